// SPDX-License-Identifier: Apache-2.0
//
// main.cpp - the event loop of a simulation: VPI callbacks for cocotb, and clocks and transactors in C++.
//
// Time goes on in one of two ways.
//
//   time_step()  one time step with every VPI callback in the order that cocotb expects: next-time-step, timed, (evaluate, put
//                inertial writes, value change) until nothing changes, read-write, read-only.
//   stretch()    any number of clock edges without a look at VPI.
//
// Nothing here depends on the design: all of it that this file needs to know is in model.h.
//
// A callback can only be registered by another callback. So after a time step in which none was called, none is due before
// the next timed one, unless one waits for a change of value: until that deadline, time goes on by a stretch.
//
// Native clocks keep the order of cocotb's own: a callback on a clock's rising edge runs when the clock is high and
// the design has not been evaluated, so it reads what the design held before the edge, and what it writes is put after the edge.
//
// Clocks that something else drives rise in the middle of a time step, by a write of VPI or of Python. evaluate() finds them: the
// input is high and the design has yet to take it, so transactors sample what was before the edge, and drive after it. Such a
// write needs a callback, so a stretch meets none.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "kernel.h"
#include "model.h"
#include "verilated.h"
#include "verilated_vpi.h"
#include "watches.h"

extern "C" void vlog_startup_routines_bootstrap(void);

namespace {

using goldbeat::Clock;
using goldbeat::Kernel;
using goldbeat::Model;
using goldbeat::Port;
using goldbeat::Transactor;

constexpr std::uint64_t kNoTime = ~0ULL;

struct Options {
  bool coverage_per_instance = false;
  bool inputs_low = false;
  bool waves = false;
  bool flush = false;
  std::string file = Model::kWavesFile;
};

class Simulation {
 public:
  explicit Simulation(const Options& options)
      : options_(options), context_(Verilated::threadContextp()) {
    kernel_.ports_ = model_.ports();
    if (!Model::kCoverage) {
      kernel_.evaluate_ = [this] {
        // What an input is flipped to need not be legal.
        const bool judged = context_->assertOn();
        if (judged) context_->assertOn(false);
        model_.eval_step();
        if (judged) context_->assertOn(true);
      };
    }
    if (options_.inputs_low) clear_inputs();
    if (Model::kRenewable) kernel_.renew_ = [this](int seed) { renew(seed); };
    if (options_.waves) model_.open_waves(options_.file.c_str());
  }

  void run() {
    vlog_startup_routines_bootstrap();
    VerilatedVpi::callCbs(cbStartOfSimulation);
    settle();
    bool called = true;
    bool resumed = false;
    while (!context_->gotFinish()) {
      called |= time_step(resumed);
      resumed = false;
      const std::uint64_t deadline = next_deadline();
      if (!called && next_edge() < deadline && !VerilatedVpi::hasCbs(cbValueChange)) {
        resumed = stretch(deadline);
        if (resumed) continue;
        if (context_->gotFinish()) break;
      }
      const std::uint64_t next = std::min(next_deadline(), next_edge());
      if (next == kNoTime) break;
      go_to(next);
      called = VerilatedVpi::callCbs(cbNextSimTime);
      called |= settle();
      called |= VerilatedVpi::callCbs(cbAfterDelay);
      called |= settle();
    }
    model_.final();
    wrap_up();
  }

  /// Runs once, at the end or when the model calls exit().
  void wrap_up() {
    if (wrapped_up_) return;
    wrapped_up_ = true;
    VerilatedVpi::callCbs(cbEndOfSimulation);
    if (options_.waves) model_.close_waves();
    if (Model::kCoverage) Model::write_coverage(options_.coverage_per_instance);
  }

 private:
  /// Random clocks and resets would give edges out of reset before anybody drives them.
  void clear_inputs() {
    for (const Port& port : kernel_.ports_) {
      if (port.input) std::memset(port.data, 0, port.bytes());
    }
  }

  /// What a new process would do: draw all variables, then run initial blocks. The time stays, all inputs are 0.
  void renew(int seed) {
    context_->randSeed(seed);
    model_.renew();
    clear_inputs();
    // The short cut of stretches leaves initial blocks out.
    evaluate();
    kernel_.touch();
  }

  // -- one time step with VPI ---------------------------------------------------------------------------------------

  /// Call value change callbacks until they change nothing more. True when one was called.
  static bool settle() {
    bool called = false;
    while (VerilatedVpi::callValueCbs() || goldbeat::watches().call()) called = true;
    return called;
  }

  void evaluate() {
    const bool rose = sample_driven();
    kernel_.touched_ = false;
    model_.eval_step();
    VerilatedVpi::clearEvalNeeded();
    if (rose) drive();
    goldbeat::watches().apply();
  }

  bool stale() const { return kernel_.touched_ || VerilatedVpi::evalNeeded() || goldbeat::watches().pending(); }

  /// Everything that happens at the current time but its first callbacks. `resumed`: a stretch was left after the clock edges of
  /// this time because a transactor wants Python to run. True when a callback was called.
  bool time_step(bool resumed) {
    bool called = false;
    if (before_edge_) {
      // The clocks have risen, and Python is to see it before the design does.
      before_edge_ = false;
      called |= settle();
      evaluate();
      drive();
    } else if (!resumed || stale()) {
      evaluate();
    }
    if (next_edge() == kernel_.now_) {
      if (goldbeat::watches().any()) {
        // A clock of cocotb would be written together with what else is written now.
        called |= VerilatedVpi::callCbs(cbReadWriteSynch);
      }
      const bool blurred = kernel_.crossings_.armed();
      if (blurred) {
        sample_blurred();
      } else {
        sample();
      }
      VerilatedVpi::doInertialPuts();
      toggle();
      called |= settle();
      if (blurred) {
        take_edges(false);
      } else {
        evaluate();
      }
      drive();
      if (blurred) kernel_.crossings_.note(kernel_.now_);
    }
    do {
      do {
        if (stale()) evaluate();
        VerilatedVpi::doInertialPuts();
        called |= settle();
        called |= deliver();
      } while (stale());
      called |= VerilatedVpi::callCbs(cbReadWriteSynch);
      VerilatedVpi::doInertialPuts();
      called |= settle();
    } while (stale());
    model_.eval_end_step();
    called |= VerilatedVpi::callCbs(cbReadOnlySynch);
    dump();
    return called;
  }

  /// Tell Python which transactors woke it.
  bool deliver() {
    if (kernel_.woken_.empty()) return false;
    std::vector<Transactor*> woken;
    woken.swap(kernel_.woken_);
    for (Transactor* transactor : woken) {
      // The test that listened may have ended by now.
      if (kernel_.on_wake_ != nullptr) kernel_.on_wake_(transactor);
    }
    // What Python has written is still to be put.
    VerilatedVpi::doInertialPuts();
    settle();
    return true;
  }

  std::uint64_t next_deadline() const {
    const std::uint64_t vpi = VerilatedVpi::cbNextDeadline();
    return std::min(vpi, next_delay());
  }

  /// When the design's own delays are due.
  std::uint64_t next_delay() const { return Model::kTiming ? model_.next_delay() : kNoTime; }

  void go_to(std::uint64_t time) {
    kernel_.now_ = time;
    context_->time(time);
  }

  // -- clock edges --------------------------------------------------------------------------------------------------

  std::uint64_t next_edge() const {
    std::uint64_t next = kNoTime;
    for (const auto& clock : kernel_.clocks_) next = std::min(next, clock->next);
    return next;
  }

  void sample(Clock& clock) { sample(clock, clock.cycle); }

  void sample(Clock& clock, std::int64_t cycle) {
    for (Transactor* transactor : clock.transactors) {
      if (transactor->sample(cycle)) kernel_.pending_.push_back(transactor);
    }
  }

  /// Transactors of the clocks that are about to rise read their ports.
  void sample() {
    for (const auto& clock : kernel_.clocks_) {
      if (clock->next == kernel_.now_ && !*clock->data) sample(*clock);
    }
  }

  /// The same where crossings are blurred, one clock after the other.
  void sample_blurred() {
    for (const auto& clock : kernel_.clocks_) {
      if (clock->next != kernel_.now_ || *clock->data) continue;
      if (kernel_.crossings_.blur(*clock, kernel_.now_, false)) take_all();
      sample(*clock);
      if (kernel_.crossings_.restore()) take_all();
    }
  }

  /// Transactors of the clocks that something else has just made high read their ports. True when there is such a clock.
  bool sample_driven() {
    bool rose = false;
    for (const auto& clock : kernel_.clocks_) {
      const bool high = *clock->data != 0;
      if (clock->running || high == clock->level) continue;
      clock->level = high;
      if (!high) continue;
      sample(*clock);
      if (clock->rose != kNoTime) clock->spacing = kernel_.now_ - clock->rose;
      clock->rose = kernel_.now_;
      ++clock->cycle;
      rose = true;
    }
    return rose;
  }

  static void toggle(Clock& clock) {
    *clock.data = !*clock.data;
    clock.advance();
  }

  /// All edges of this moment at once.
  void toggle() {
    rising_.clear();
    for (const auto& clock : kernel_.clocks_) {
      if (clock->next != kernel_.now_) continue;
      toggle(*clock);
      if (*clock->data) rising_.push_back(clock.get());
    }
    kernel_.touched_ = true;
  }

  /// Crossings are blurred: the clocks that have just risen, and which the design has yet to see, rise one after the other in an
  /// order that the seed draws, since of two edges at the same time either may be the first in truth. `samples`: transactors have
  /// yet to read their ports.
  void take_edges(bool samples) {
    goldbeat::Crossings& crossings = kernel_.crossings_;
    for (Clock* clock : rising_) *clock->data = 0;
    // Other edges of this time, and what was written before.
    take_all();
    for (std::size_t left = rising_.size(); left > 0; --left) {
      std::swap(rising_[left - 1], rising_[crossings.draw(left)]);
      Clock& clock = *rising_[left - 1];
      if (samples) {
        if (crossings.blur(clock, kernel_.now_, false)) take_all();
        // toggle() has counted the edge.
        sample(clock, clock.cycle - 1);
        crossings.restore();
      }
      crossings.blur(clock, kernel_.now_, true);
      *clock.data = 1;
      take_all();
      crossings.took(clock, kernel_.now_);
      if (crossings.restore()) take_all();
      crossings.note(kernel_.now_);
    }
  }

  void take_all() {
    kernel_.touched_ = false;
    model_.eval_step();
    VerilatedVpi::clearEvalNeeded();
  }

  /// Those transactors that want to write their ports.
  void drive() {
    if (kernel_.pending_.empty()) return;
    for (Transactor* transactor : kernel_.pending_) transactor->drive();
    kernel_.pending_.clear();
    kernel_.touched_ = true;
  }

  // -- stretches ----------------------------------------------------------------------------------------------------

  /// Run all clock edges before `limit`, or until a transactor asks to be woken (then true), or the design finishes.
  bool stretch(std::uint64_t limit) {
    Clock* only = nullptr;
    std::size_t running = 0;
    bool plain = true;
    for (const auto& clock : kernel_.clocks_) {
      if (!clock->running) continue;
      only = clock.get();
      plain &= clock->jitter == 0;
      ++running;
    }
    if (kernel_.crossings_.armed()) {
      stretch_blurred(limit);
    } else if (goldbeat::watches().any()) {
      const bool called = stretch_watched(limit);
      goldbeat::watches().rouse();
      if (called) return true;
    } else if (running == 1 && plain) {
      stretch_one(*only, limit);
    } else {
      stretch_many(limit);
    }
    // Callbacks must not see outputs that have yet to follow the inputs.
    if (kernel_.touched_) step_eval();
    return !kernel_.woken_.empty();
  }

  void step_eval() {
    kernel_.touched_ = false;
    model_.step();
  }

  /// After the edges of a time step: with waves, the outputs must follow the inputs within the same step.
  void end_of_edges() {
    // The step in which Python is woken is dumped when Python is done.
    if (options_.waves && kernel_.woken_.empty()) {
      if (kernel_.touched_) step_eval();
      dump();
    }
  }

  void stretch_one(Clock& clock, std::uint64_t limit) {
    Transactor* const* const first = clock.transactors.data();
    Transactor* const* const last = first + clock.transactors.size();
    kernel_.pending_.resize(clock.transactors.size());
    Transactor** const pending = kernel_.pending_.data();
    std::uint8_t* const data = clock.data;
    std::uint64_t next = clock.next;
    std::int64_t cycle = clock.cycle;
    while (next < limit) {
      go_to(next);
      if (*data) {
        *data = 0;
        next += clock.low;
        step_eval();
        end_of_edges();
        // Inputs that were written after the rising edge may have begun a delay.
        if (context_->gotFinish() || next >= limit || next_delay() <= next) break;
        go_to(next);
      }
      Transactor** end = pending;
      for (auto at = first; at != last; ++at) {
        *end = *at;
        end += (*at)->sample(cycle);
      }
      *data = 1;
      next += clock.high;
      ++cycle;
      step_eval();
      for (auto at = pending; at != end; ++at) (*at)->drive();
      kernel_.touched_ = end != pending;
      end_of_edges();
      if (!kernel_.woken_.empty() || context_->gotFinish() || next_delay() <= next) break;
    }
    clock.next = next;
    clock.cycle = cycle;
    kernel_.pending_.clear();
  }

  void stretch_many(std::uint64_t limit) {
    for (std::uint64_t next = next_edge(); next < limit; next = next_edge()) {
      bool rising = false;
      for (const auto& clock : kernel_.clocks_) rising |= clock->next == next && !*clock->data;
      // Inputs written after an earlier edge of another clock must have reached the outputs that are sampled now.
      if (rising && kernel_.touched_) {
        step_eval();
        if (next_delay() <= next) break;
      }
      go_to(next);
      if (rising) sample();
      toggle();
      step_eval();
      drive();
      end_of_edges();
      if (!kernel_.woken_.empty() || context_->gotFinish() || next_delay() <= next_edge()) break;
    }
  }

  /// With agents, or with tasks of Python that wait for signals. True where Python is to go on.
  bool stretch_watched(std::uint64_t limit) {
    goldbeat::Watches& watches = goldbeat::watches();
    for (std::uint64_t next = next_edge(); next < limit; next = next_edge()) {
      bool rising = false;
      for (const auto& clock : kernel_.clocks_) rising |= clock->next == next && !*clock->data;
      if (rising && kernel_.touched_) {
        step_eval();
        if (next_delay() <= next) break;
      }
      go_to(next);
      if (rising) sample();
      toggle();
      if (watches.poll()) {
        before_edge_ = true;
        return true;
      }
      step_eval();
      drive();
      watches.apply();
      if (kernel_.touched_ && watches.watches_design()) step_eval();
      if (watches.poll() || watches.pending()) return true;
      end_of_edges();
      if (!kernel_.woken_.empty() || context_->gotFinish() || next_delay() <= next_edge()) break;
    }
    return false;
  }

  void stretch_blurred(std::uint64_t limit) {
    for (std::uint64_t next = next_edge(); next < limit; next = next_edge()) {
      go_to(next);
      toggle();
      take_edges(true);
      drive();
      kernel_.crossings_.note(kernel_.now_);
      end_of_edges();
      if (!kernel_.woken_.empty() || context_->gotFinish() || next_delay() <= next_edge()) break;
    }
  }

  void dump() {
    if (!options_.waves) return;
    model_.eval_end_step();
    model_.dump(kernel_.now_);
    if (options_.flush) model_.flush_waves();
  }

  Kernel& kernel_ = goldbeat::kernel();
  Options options_;
  VerilatedContext* context_;
  Model model_;
  std::vector<Clock*> rising_;  ///< clocks that rise at this time
  bool before_edge_ = false;    ///< a stretch was left between an edge of a clock and its evaluation
  bool wrapped_up_ = false;
};

constexpr const char* kUsage =
    "usage: %s [--coverage-per-instance] [--inputs-low] [--trace] [--trace-flush] [--trace-file FILE]\n\n"
    "  --coverage-per-instance  count coverage of every instance apart (needs a coverage build)\n"
    "  --inputs-low             start with all inputs at 0, not at random values\n"
    "  --trace                  write waves (needs a build with waves)\n"
    "  --trace-flush            write them out at every time step (slow)\n"
    "  --trace-file FILE        the wave file\n";

int refuse(const char* option, const char* reason) {
  std::fprintf(stderr, "%s: %s\n", option, reason);
  return 1;
}

/// -1 to go on, else the exit code.
int parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--help") {
      std::printf(kUsage, argv[0]);
      return 0;
    }
    if (option == "--coverage-per-instance") {
      if (!Model::kCoverage) return refuse(argv[i], "this simulator was built without coverage");
      options.coverage_per_instance = true;
    }
    options.inputs_low |= option == "--inputs-low";
    const bool file = option == "--trace-file";
    if (file && i + 1 == argc) return refuse(argv[i], "needs a file name");
    if (file) options.file = argv[++i];
    if (option == "--trace" && !Model::kWaves) return refuse(argv[i], "this simulator was built without waves");
    options.waves |= option == "--trace";
    options.flush |= option == "--trace-flush";
  }
  return -1;
}

}  // namespace

/// What $time says, where the model asks for it this way.
double sc_time_stamp() { return static_cast<double>(goldbeat::kernel().now()); }

/// Write the code coverage of all that has run so far: a simulation that dies later leaves this much.
extern "C" void gb_coverage() {
  if (Model::kCoverage) Model::write_coverage(false);
}

/// Count from here on: what initial values make a signal do says nothing of traffic.
extern "C" void gb_restart_coverage() {
  if (Model::kCoverage) Model::restart_coverage();
}

int main(int argc, char** argv) {
  Options options;
  const int code = parse(argc, argv, options);
  if (code >= 0) return code;
  Verilated::commandArgs(argc, argv);
  // cocotb looks for system tasks that Verilator does not have.
  Verilated::fatalOnVpiError(false);
  Simulation simulation(options);
  const auto at_exit = [](void* one) { static_cast<Simulation*>(one)->wrap_up(); };
  Verilated::addExitCb(at_exit, &simulation);
  simulation.run();
  Verilated::removeExitCb(at_exit, &simulation);
  return Verilated::threadContextp()->errorCount() > 0;
}
