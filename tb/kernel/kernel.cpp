// SPDX-License-Identifier: Apache-2.0
//
// kernel.cpp - ports, clocks and transactors, and the functions that Python calls on them. The event loop is in main.cpp.

#include "kernel.h"

#include <algorithm>

namespace goldbeat {

Kernel& kernel() {
  static Kernel one;
  return one;
}

const Port* Kernel::find(std::string_view name) const {
  for (const Port& port : ports_) {
    if (name == port.name) return &port;
  }
  return nullptr;
}

const Port& Kernel::need(std::string_view name, bool input) const {
  const Port* port = find(name);
  if (port == nullptr) throw std::invalid_argument("the top module has no port " + std::string(name));
  if (port->input != input) {
    throw std::invalid_argument("port " + std::string(name) + " is an " + (port->input ? "input" : "output") +
                                " of the design, expected an " + (input ? "input" : "output"));
  }
  return *port;
}

Clock& Kernel::clock(std::string_view name) {
  for (auto& clock : clocks_) {
    if (clock->name == name) return *clock;
  }
  const Port* found = find(name);
  if (found == nullptr || !found->input || found->bits != 1) {
    std::string there;
    for (const Port& port : ports_) {
      if (port.input && port.bits == 1) there += (there.empty() ? "" : ", ") + std::string(port.name);
    }
    throw std::invalid_argument("clock " + std::string(name) + ": the top module has no such input of one bit; it has " +
                                (there.empty() ? "none" : there));
  }
  const Port& port = *found;
  for (auto& clock : clocks_) {
    if (clock->data == port.data) return *clock;
  }
  auto made = std::make_unique<Clock>();
  made->name = name;
  made->data = static_cast<std::uint8_t*>(port.data);
  made->level = *made->data != 0;
  clocks_.push_back(std::move(made));
  return *clocks_.back();
}

void Kernel::start(Clock& clock, std::uint64_t high, std::uint64_t low, std::uint64_t first, std::int64_t cycle) {
  if (high == 0 || low == 0) throw std::invalid_argument("clock " + clock.name + ": a half period of no time");
  if (first <= now_) throw std::invalid_argument("clock " + clock.name + ": its first edge has passed");
  clock.high = high;
  clock.low = low;
  clock.next = first;
  clock.cycle = cycle;
  clock.jitter = 0;
  clock.running = true;
  clock.outside = false;
  clock.level = false;
  clock.rose = ~0ULL;
  *clock.data = 0;
  touch();
}

Clock& Kernel::toggle(
    const std::string& path, std::uint8_t* data, std::uint64_t high, std::uint64_t low, std::uint64_t next) {
  Clock* found = nullptr;
  for (auto& clock : clocks_) {
    if (clock->data == data) found = clock.get();
  }
  if (found == nullptr) {
    clocks_.push_back(std::make_unique<Clock>());
    found = clocks_.back().get();
    found->name = path;
    found->data = data;
  }
  found->outside = true;
  found->running = true;
  found->high = high;
  found->low = low;
  found->next = next;
  found->jitter = 0;
  return *found;
}

void Kernel::jitter(Clock& clock, std::uint64_t most, std::uint64_t seed) {
  if (4 * most > clock.high + clock.low || most >= clock.high || most >= clock.low) {
    throw std::invalid_argument("clock " + clock.name + ": jitter of more than a quarter of its period");
  }
  clock.jitter = most;
  clock.seed = seed;
  clock.due = clock.next;
}

void Kernel::stop(Clock& clock) {
  clock.running = false;
  clock.next = ~0ULL;
  clock.level = false;
  *clock.data = 0;
  touch();
}

std::uint64_t Kernel::slowest() const {
  std::uint64_t longest = 0;
  for (const auto& clock : clocks_) longest = std::max(longest, clock->running ? clock->high + clock->low : clock->spacing);
  return longest;
}

void Kernel::clear() {
  for (auto& clock : clocks_) {
    // What something else drives keeps its level.
    if (clock->running && !clock->outside) stop(*clock);
    clock->transactors.clear();
  }
  crossings_.clear();
  clocks_.erase(
      std::remove_if(clocks_.begin(), clocks_.end(), [](const auto& clock) { return !clock->outside; }), clocks_.end());
  transactors_.clear();
  pending_.clear();
  woken_.clear();
  disabled_.clear();
  on_wake_ = nullptr;
}

void Kernel::enable(const std::string& rule, bool on) {
  if (on) {
    disabled_.erase(rule);
  } else {
    disabled_.insert(rule);
  }
}

void Transactor::violation(const char* rule, std::int64_t cycle, const std::string& text) {
  if (!kernel().enabled(rule) || (violations_.size() >= kMostViolations && reported(rule))) return;
  violations_.push_back(std::string(rule) + ": " + name_ + ", cycle " + std::to_string(cycle) + ": " + text);
}

void Transactor::idle_payload(IdlePolicy policy, std::uint64_t seed, const char* resetn) {
  idle_ = IdlePayload(policy, seed);
  resetn_ = resetn ? Bit(kernel().need(resetn, true)) : Bit();
  reset();
}

bool Transactor::reported(const std::string& rule) const {
  const std::string start = rule + ":";
  for (const std::string& text : violations_) {
    if (text.compare(0, start.size(), start) == 0) return true;
  }
  return false;
}

void Transactor::wake() { kernel().woken_.push_back(this); }

namespace {
std::string last_error;
}

void keep_error(const char* text) { last_error = text; }

}  // namespace goldbeat

using goldbeat::Clock;
using goldbeat::guarded;
using goldbeat::kernel;
using goldbeat::Port;
using goldbeat::Transactor;

// Functions that make something return a null pointer, others -1, when they fail; gb_error() then says why.
extern "C" {

const char* gb_error() { return goldbeat::last_error.c_str(); }

void gb_clear() { kernel().clear(); }

std::uint64_t gb_now() { return kernel().now(); }

std::uint64_t gb_served() { return kernel().served; }

/// Width of a port in bits, negative for an input of the design, 0 where there is no such port.
int gb_port(const char* name) {
  const Port* port = kernel().find(name);
  if (port == nullptr) return 0;
  return port->input ? -static_cast<int>(port->bits) : static_cast<int>(port->bits);
}

/// Copy a port's value, (bits + 7) / 8 bytes.
int gb_peek(const char* name, void* value) {
  const Port* port = kernel().find(name);
  if (port == nullptr) return -1;
  std::memcpy(value, port->data, port->bytes());
  return 0;
}

/// Write an input of the design at once.
int gb_poke(const char* name, const void* value) {
  return guarded(
      [&] {
        const Port& port = kernel().need(name, true);
        std::memcpy(port.data, value, port.bytes());
        kernel().touch();
        return 0;
      },
      -1);
}

/// Flip all bits of an input and put them back, within this cycle: the first output, of those named, that follows by wires alone.
/// -1 where none does, -2 where the design cannot be asked (coverage would count it).
int gb_follows(const char* input, const char* const* outputs, int count) {
  return guarded(
      [&] {
        if (!kernel().evaluate_) return -2;
        const Port& flipped = kernel().need(input, true);
        std::vector<const Port*> watched;
        std::vector<std::vector<std::uint8_t>> before;
        const auto bytes = [](const Port& port) {
          const auto* data = static_cast<const std::uint8_t*>(port.data);
          return std::vector<std::uint8_t>(data, data + port.bytes());
        };
        kernel().evaluate_();
        for (int i = 0; i < count; ++i) {
          watched.push_back(&kernel().need(outputs[i], false));
          before.push_back(bytes(*watched.back()));
        }
        const std::vector<std::uint8_t> kept = bytes(flipped);
        std::vector<std::uint8_t> other = kept;
        for (std::size_t i = 0; i < other.size(); ++i) {
          const std::size_t left = flipped.bits - 8 * i;
          other[i] ^= left >= 8 ? 0xFF : (1U << left) - 1;
        }
        std::memcpy(flipped.data, other.data(), other.size());
        kernel().evaluate_();
        int found = -1;
        for (int i = 0; i < count && found < 0; ++i) {
          if (bytes(*watched[static_cast<std::size_t>(i)]) != before[static_cast<std::size_t>(i)]) found = i;
        }
        std::memcpy(flipped.data, kept.data(), kept.size());
        kernel().evaluate_();
        return found;
      },
      -3);
}

/// Put the design back to before its first evaluation, with all inputs at 0 and initial values drawn from `seed` (from 1 on).
/// False where the design cannot be put back.
int gb_renew(int seed) {
  if (!kernel().renew_) return 0;
  kernel().renew_(seed);
  return 1;
}

void* gb_clock(const char* port) {
  return guarded([&] { return static_cast<void*>(&kernel().clock(port)); }, static_cast<void*>(nullptr));
}

int gb_clock_start(void* clock, std::uint64_t high, std::uint64_t low, std::uint64_t first, std::int64_t cycle) {
  return guarded(
      [&] {
        kernel().start(*static_cast<Clock*>(clock), high, low, first, cycle);
        return 0;
      },
      -1);
}

/// Displace the rising edges behind number 0 by at most so many time steps, each as the seed draws it.
int gb_clock_jitter(void* clock, std::uint64_t most, std::uint64_t seed) {
  return guarded(
      [&] {
        kernel().jitter(*static_cast<Clock*>(clock), most, seed);
        return 0;
      },
      -1);
}

/// See Crossings.
int gb_crossing(const char* source, const void* clock, const char* copy) {
  return guarded(
      [&] {
        kernel().crossings_.add(source, *static_cast<const Clock*>(clock), copy);
        return 0;
      },
      -1);
}

void gb_crossings_arm(std::uint64_t seed, std::uint64_t window) { kernel().crossings_.arm(seed, window); }

/// How many bits were seen late since then at a crossing, in the order of gb_crossing().
std::int64_t gb_crossings_late(std::uint64_t crossing) { return kernel().crossings_.late(crossing); }

/// Edges at which the flip-flop of one crossing took several bits that had changed together, since they were armed.
std::int64_t gb_crossings_torn(std::uint64_t crossing) { return kernel().crossings_.torn(crossing); }

void gb_clock_stop(void* clock) { kernel().stop(*static_cast<Clock*>(clock)); }

/// Count a clock that something else drives from here on: its next rising edge has this number.
void gb_clock_number(void* clock, std::int64_t cycle) { static_cast<Clock*>(clock)->cycle = cycle; }

/// Number of the next rising edge.
std::int64_t gb_clock_cycle(const void* clock) { return static_cast<const Clock*>(clock)->cycle; }

/// Of a clock that something else drives: time of its latest rising edge, in time steps.
std::uint64_t gb_clock_rose(const void* clock) {
  const auto* found = static_cast<const Clock*>(clock);
  if (!found->outside) return found->rose;
  // Its next edge is a rising one while it is low.
  return *found->data != 0 ? found->next - found->high : found->next - found->high - found->low;
}

/// Of a clock that something else drives: time between its latest two rising edges, 0 before there are two.
std::uint64_t gb_clock_spacing(const void* clock) {
  const auto* found = static_cast<const Clock*>(clock);
  return found->outside ? found->high + found->low : found->spacing;
}

void gb_on_wake(void (*call)(Transactor*)) { kernel().on_wake_ = call; }

void gb_rule(const char* name, int on) { kernel().enable(name, on != 0); }

/// See Transactor::idle_payload().
int gb_reset(void* transactor, int policy, std::uint64_t seed, const char* resetn) {
  return guarded(
      [&] {
        static_cast<Transactor*>(transactor)->idle_payload(static_cast<goldbeat::IdlePolicy>(policy), seed, resetn);
        kernel().touch();
        return 0;
      },
      -1);
}

const char* gb_waiting(void* transactor) {
  auto* found = static_cast<Transactor*>(transactor);
  return found->keep(found->waiting());
}

/// See Transactor::stalls().
const std::int64_t* gb_stalls(const void* transactor) { return static_cast<const Transactor*>(transactor)->stalls(); }

/// Cycle since which it stands still, -1 where it does not.
std::int64_t gb_stalled(const void* transactor) {
  const std::int64_t since = static_cast<const Transactor*>(transactor)->stalled();
  return since == goldbeat::kNever ? -1 : since;
}

std::int64_t gb_violations(const void* transactor) {
  return static_cast<std::int64_t>(static_cast<const Transactor*>(transactor)->violations().size());
}

const char* gb_violation(const void* transactor, std::int64_t index) {
  return static_cast<const Transactor*>(transactor)->violations()[static_cast<std::size_t>(index)].c_str();
}

void gb_clear_violations(void* transactor) { static_cast<Transactor*>(transactor)->clear_violations(); }

}  // extern "C"
