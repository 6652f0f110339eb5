// SPDX-License-Identifier: Apache-2.0
//
// axil.cpp - AXI-Lite master that runs whole register programs, one access at a time.
//
// A write offers address and data together and waits for its response, a read offers its address and waits for its data. The
// next access is offered in the cycle after the answer. bready and rready are always high.

#include "kernel.h"

namespace goldbeat {

extern "C" {

/// The top module's port of every signal; null where it has none. All of the write or of the read channels may be absent.
struct GbAxilNames {
  const char *awaddr, *awprot, *awvalid, *awready;
  const char *wdata, *wstrb, *wvalid, *wready;
  const char *bresp, *bvalid, *bready;
  const char *araddr, *arprot, *arvalid, *arready;
  const char *rdata, *rresp, *rvalid, *rready;
};

/// One step of a program.
struct GbAxilStep {
  int op;                    ///< one of Op
  std::uint64_t address;
  std::uint64_t value;       ///< to write, or to compare with under `mask`, or the level to wait for
  std::uint64_t mask;
  std::uint64_t strobe;
  std::int64_t cycles;       ///< to wait, or allowed (from the first offer on)
  const char* port;          ///< output of the design to wait for
};

/// What became of it.
struct GbAxilResult {
  int status;             ///< one of Status
  int response;           ///< BRESP or RRESP
  std::uint64_t value;    ///< read
  std::int64_t first;     ///< cycle in which it was first offered, or waiting began
  std::int64_t last;      ///< cycle of the answer
};

}  // extern "C"

class AxilMaster final : public Transactor {
 public:
  enum Op { kWrite, kRead, kCheck, kPoll, kWait, kWaitFor };
  enum Status { kPending, kDone, kDiffers, kTimeout };

  AxilMaster(std::string name, const GbAxilNames& names) : Transactor(std::move(name)) {
    const auto in = [](const char* port) { return port ? Field(kernel().need(port, true)) : Field(); };
    const auto out = [](const char* port) { return port ? Field(kernel().need(port, false)) : Field(); };
    const auto in_bit = [](const char* port) { return port ? Bit(kernel().need(port, true)) : Bit(); };
    const auto out_bit = [](const char* port) { return port ? Bit(kernel().need(port, false)) : Bit(); };
    awaddr_ = in(names.awaddr);
    awprot_ = in(names.awprot);
    awvalid_ = in_bit(names.awvalid);
    awready_ = out_bit(names.awready);
    wdata_ = in(names.wdata);
    wstrb_ = in(names.wstrb);
    wvalid_ = in_bit(names.wvalid);
    wready_ = out_bit(names.wready);
    bresp_ = out(names.bresp);
    bvalid_ = out_bit(names.bvalid);
    bready_ = in_bit(names.bready);
    araddr_ = in(names.araddr);
    arprot_ = in(names.arprot);
    arvalid_ = in_bit(names.arvalid);
    arready_ = out_bit(names.arready);
    rdata_ = out(names.rdata);
    rresp_ = out(names.rresp);
    rvalid_ = out_bit(names.rvalid);
    rready_ = in_bit(names.rready);
  }

  void reset() override {
    for (Bit* valid : {&awvalid_, &wvalid_, &arvalid_}) valid->set(false);
    for (Bit* ready : {&bready_, &rready_}) ready->set(true);
    for (Field* field : {&awaddr_, &awprot_, &wdata_, &wstrb_, &araddr_, &arprot_}) field->set(0);
    steps_ = nullptr;
    results_ = nullptr;
    count_ = at_ = 0;
    state_ = State::kIdle;
    aw_ = w_ = ar_ = fresh_ = stuck_ = false;
  }

  /// Run a program; the arrays must live until it is over. Its first access is offered in the cycle after the next one.
  void run(const GbAxilStep* steps, GbAxilResult* results, std::int64_t count) {
    if (state_ != State::kIdle) throw std::logic_error(name() + ": a program is running");
    for (std::int64_t i = 0; i < count; ++i) check(steps[i]);
    steps_ = steps;
    results_ = results;
    count_ = count;
    at_ = 0;
    state_ = count ? State::kNext : State::kIdle;
    if (count == 0) wake();
  }

  /// Steps that have ended.
  std::int64_t done() const { return at_; }
  bool busy() const { return state_ != State::kIdle; }

  bool sample(std::int64_t cycle) override {
    if (stuck_) return handshakes();
    switch (state_) {
      case State::kIdle: return false;
      case State::kNext: begin(cycle); return true;
      case State::kWrite: return write(cycle);
      case State::kRead: return read(cycle);
      case State::kWait: return wait(cycle);
    }
    return false;
  }

  void drive() override {
    awvalid_.set(aw_);
    wvalid_.set(w_);
    arvalid_.set(ar_);
    if (!fresh_) return;
    fresh_ = false;
    const GbAxilStep& step = steps_[at_];
    if (aw_) {
      awaddr_.set(step.address);
      wdata_.set(step.value);
      wstrb_.set(step.strobe);
    } else {
      araddr_.set(step.address);
    }
  }

  std::string waiting() const override {
    if (state_ == State::kIdle) return {};
    const std::string since = " since cycle " + std::to_string(first_);
    const std::string step = ", step " + std::to_string(at_) + " of " + std::to_string(count_);
    if (state_ == State::kWrite) {
      std::string what = aw_ && w_ ? "awvalid without awready, wvalid without wready"
                         : aw_     ? "awvalid without awready"
                         : w_      ? "wvalid without wready"
                                   : "write without bvalid";
      return name() + ": " + what + since + step;
    }
    if (state_ == State::kRead) {
      return name() + ": " + (ar_ ? "arvalid without arready" : "read without rvalid") + since + step;
    }
    return name() + ": waits" + since + step;
  }

 private:
  enum class State { kIdle, kNext, kWrite, kRead, kWait };

  void check(const GbAxilStep& step) const {
    if (step.op == kWrite && awvalid_.absent()) throw std::invalid_argument(name() + ": no write channels");
    if ((step.op == kRead || step.op == kCheck || step.op == kPoll) && arvalid_.absent()) {
      throw std::invalid_argument(name() + ": no read channels");
    }
    if (step.op == kWaitFor) kernel().need(step.port, false);
  }

  /// Begin step at_ behind edge `cycle`.
  void begin(std::int64_t cycle) {
    const GbAxilStep& step = steps_[at_];
    first_ = cycle + 1;
    fresh_ = step.op <= kPoll;
    aw_ = w_ = step.op == kWrite;
    ar_ = fresh_ && !aw_;
    if (step.op == kWaitFor) watched_ = Field(kernel().need(step.port, false));
    state_ = aw_ ? State::kWrite : ar_ ? State::kRead : State::kWait;
  }

  /// What has been accepted is offered no more.
  bool handshakes() {
    const bool aw = aw_ && awready_.get(), w = w_ && wready_.get(), ar = ar_ && arready_.get();
    aw_ &= !aw;
    w_ &= !w;
    ar_ &= !ar;
    return aw || w || ar;
  }

  bool write(std::int64_t cycle) {
    const bool moved = handshakes();
    if (!aw_ && !w_ && bvalid_.get()) return end(cycle, kDone, bresp_.get(), 0) || moved;
    return late(cycle) || moved;
  }

  bool read(std::int64_t cycle) {
    const bool moved = handshakes();
    if (ar_ || !rvalid_.get()) return late(cycle) || moved;
    const GbAxilStep& step = steps_[at_];
    const std::uint64_t value = rdata_.get();
    const bool equal = (value & step.mask) == (step.value & step.mask);
    if (step.op == kPoll && !equal && cycle + 1 - first_ < step.cycles) {
      fresh_ = ar_ = true;
      return true;
    }
    const Status status = step.op == kRead || equal ? kDone : step.op == kCheck ? kDiffers : kTimeout;
    return end(cycle, status, rresp_.get(), value) || moved;
  }

  bool wait(std::int64_t cycle) {
    const GbAxilStep& step = steps_[at_];
    if (step.op == kWait) return cycle + 1 - first_ >= step.cycles && end(cycle, kDone, 0, 0);
    const std::uint64_t value = watched_.get();
    if ((value & step.mask) == (step.value & step.mask)) return end(cycle, kDone, 0, value);
    return late(cycle);
  }

  /// Give up after too many cycles: what is offered stays, as the protocol demands, but no answer counts any more.
  bool late(std::int64_t cycle) {
    if (cycle + 1 - first_ < steps_[at_].cycles) return false;
    results_[at_] = {kTimeout, 0, 0, first_, cycle};
    stuck_ = true;
    wake();
    return false;
  }

  bool end(std::int64_t cycle, Status status, std::uint64_t response, std::uint64_t value) {
    results_[at_] = {status, static_cast<int>(response), value, first_, cycle};
    if (++at_ < count_ && status != kTimeout) {
      begin(cycle);
      return true;
    }
    state_ = State::kIdle;
    wake();
    return false;
  }

  Field awaddr_, awprot_, wdata_, wstrb_, bresp_, araddr_, arprot_, rdata_, rresp_, watched_;
  Bit awvalid_, awready_, wvalid_, wready_, bvalid_, bready_, arvalid_, arready_, rvalid_, rready_;
  const GbAxilStep* steps_ = nullptr;
  GbAxilResult* results_ = nullptr;
  std::int64_t count_ = 0;
  std::int64_t at_ = 0;
  std::int64_t first_ = 0;
  State state_ = State::kIdle;
  bool aw_ = false, w_ = false, ar_ = false;
  bool fresh_ = false;  ///< drive() has an address to write
  bool stuck_ = false;  ///< given up
};

}  // namespace goldbeat

using goldbeat::AxilMaster;
using goldbeat::guarded;
using goldbeat::kernel;
using goldbeat::Transactor;

namespace {

AxilMaster& master(void* handle) { return *static_cast<AxilMaster*>(static_cast<Transactor*>(handle)); }

}  // namespace

extern "C" {

void* gb_axil_master(const char* name, const char* port, const goldbeat::GbAxilNames* names) {
  return guarded(
      [&] {
        goldbeat::Clock& clock = kernel().clock(port);
        auto made = std::make_unique<AxilMaster>(name, *names);
        return static_cast<void*>(static_cast<Transactor*>(kernel().add(clock, std::move(made))));
      },
      static_cast<void*>(nullptr));
}

int gb_axil_run(void* handle, const goldbeat::GbAxilStep* steps, goldbeat::GbAxilResult* results, std::int64_t count) {
  return guarded(
      [&] {
        master(handle).run(steps, results, count);
        return 0;
      },
      -1);
}

/// Steps that have ended.
std::int64_t gb_axil_done(void* handle) { return master(handle).done(); }

int gb_axil_busy(void* handle) { return master(handle).busy(); }

}  // extern "C"
