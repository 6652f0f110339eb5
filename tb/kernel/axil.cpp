// SPDX-License-Identifier: Apache-2.0
//
// axil.cpp - AXI-Lite master for register programs.
//
// By default a write offers address and data together and waits for its response, a read offers its address and waits for its
// data; bready and rready are always high. Otherwise address and data of a write are offered in the order and at the distance
// drawn for it, whatever becomes of the other one: a slave may wait for both. Addresses, and data, keep the order of their
// writes, and responses belong to the oldest write or read whose requests have transferred.

#include <deque>

#include "registers.h"

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

}  // extern "C"

class AxilMaster final : public RegisterMaster {
 public:
  AxilMaster(std::string name, const GbAxilNames& names) : RegisterMaster(std::move(name)) {
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
    if (wdata_.bits() > 32 || rdata_.bits() > 32) word_ = 8;
  }

  void drive() override {
    awvalid_.set(aw_.valid);
    wvalid_.set(w_.valid);
    arvalid_.set(ar_.valid);
    bready_.set(b_ready_);
    rready_.set(r_ready_);
    const auto write_address = [this](const GbStep& step) {
      awaddr_.set(step.address);
      awprot_.set(step.prot);
    };
    const auto data = [this](const GbStep& step) {
      wdata_.set(step.value);
      wstrb_.set(step.strobe);
    };
    const auto read_address = [this](const GbStep& step) {
      araddr_.set(step.address);
      arprot_.set(step.prot);
    };
    carry(aw_, true, write_address, awaddr_, awprot_);
    carry(w_, true, data, wdata_, wstrb_);
    carry(ar_, false, read_address, araddr_, arprot_);
  }

 protected:
  void allow(const GbStep& step) const override {
    if (step.op == kPost) throw std::invalid_argument(name() + ": no posted writes");
    if (writes(step) && awvalid_.absent()) throw std::invalid_argument(name() + ": no write channels");
    if (!writes(step) && arvalid_.absent()) throw std::invalid_argument(name() + ": no read channels");
  }

  void begin(std::int64_t index, const GbStep& step, std::int64_t cycle) override {
    if (!writes(step)) {
      ar_.queue.push_back({&step, cycle});
      reads_.push_back(index);
      return;
    }
    std::uint64_t order = static_cast<std::uint64_t>(traffic().order);
    if (order == kAny) order = draw(kAny);
    std::int64_t late = 0;
    if (order != kTogether) late = static_cast<std::int64_t>(1 + draw(static_cast<std::uint64_t>(traffic().distance)));
    aw_.queue.push_back({&step, order == kDataFirst ? cycle + late : cycle});
    w_.queue.push_back({&step, order == kAddressFirst ? cycle + late : cycle});
    writes_.push_back(index);
  }

  /// What has been accepted is offered no more.
  bool edge(std::int64_t cycle) override {
    bool moved = aw_.take(awready_.get(), cycle);
    moved |= w_.take(wready_.get(), cycle);
    moved |= ar_.take(arready_.get(), cycle);
    if (stuck()) judge(cycle);
    // An answer may begin the next access, which changes the queues.
    if (b_ready_ && bvalid_.get() && aw_.taken > 0 && w_.taken > 0) {
      --aw_.taken;
      --w_.taken;
      const std::int64_t step = writes_.front();
      writes_.pop_front();
      answer(cycle, step, bresp_.get(), 0);
    }
    if (r_ready_ && rvalid_.get() && ar_.taken > 0) {
      --ar_.taken;
      const std::int64_t step = reads_.front();
      reads_.pop_front();
      answer(cycle, step, rresp_.get(), rdata_.get());
    }
    return moved;
  }

  bool offer(std::int64_t cycle) override {
    bool changed = aw_.offer(cycle);
    changed |= w_.offer(cycle);
    changed |= ar_.offer(cycle);
    changed |= hold(b_ready_, b_pattern_, bvalid_.get());
    changed |= hold(r_ready_, r_pattern_, rvalid_.get());
    return changed;
  }

  std::string missing() const override {
    std::string text;
    const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
    if (aw_.valid) add("awvalid without awready");
    if (w_.valid) add("wvalid without wready");
    if (!writes_.empty() && !aw_.valid && !w_.valid) {
      add("write without bvalid" + (traffic().order == kTogether ? "" : " (" + aw_.text("address") + ", " + w_.text("data") + ")"));
    }
    if (ar_.valid) add("arvalid without arready");
    if (!reads_.empty() && !ar_.valid) add("read without rvalid");
    return text;
  }

  void idle() override {
    for (Field* field : {&awaddr_, &awprot_, &wdata_, &wstrb_, &araddr_, &arprot_}) field->set(0);
    aw_ = w_ = ar_ = Requests{};
    writes_.clear();
    reads_.clear();
    // No response is taken before a program begins: one that a reset has left behind stays, and is seen.
    b_ready_ = r_ready_ = false;
    b_pattern_ = Ready(traffic().b_ready);
    r_pattern_ = Ready(traffic().r_ready);
    drive();
  }

 private:
  /// A channel on which the master offers: what waits to be offered, in order, the front first.
  struct Requests {
    struct Request {
      const GbStep* step;
      std::int64_t at;  ///< first cycle in which it may be offered
    };

    bool valid = false;       ///< the front is offered
    bool is_new = false;      ///< and has not been driven
    std::int64_t taken = 0;   ///< transferred, without an answer
    std::int64_t last = -1;   ///< cycle of the latest transfer
    std::deque<Request> queue;

    const GbStep& first() const { return *queue.front().step; }

    bool take(bool ready, std::int64_t cycle) {
      if (!valid || !ready) return false;
      valid = false;
      ++taken;
      last = cycle;
      queue.pop_front();
      return true;
    }

    bool offer(std::int64_t cycle) {
      if (valid || queue.empty() || cycle < queue.front().at) return false;
      valid = is_new = true;
      return true;
    }

    /// Whether the front must be driven; once.
    bool fresh() {
      const bool found = is_new;
      is_new = false;
      return found;
    }

    std::string text(const char* what) const { return std::string(what) + " taken in cycle " + std::to_string(last); }
  };

  /// Drive a channel: the request that it offers, or what is undefined.
  template <typename Show, typename... Signals>
  void carry(Requests& channel, bool write, Show show, Signals&... signals) {
    if (channel.fresh()) {
      show(channel.first());
    } else if (!channel.valid) {
      const GbStep* const next = channel.queue.empty() ? upcoming(write) : &channel.first();
      if (idle_.ahead() && next) {
        show(*next);
      } else {
        idle_.drive(signals...);
      }
    }
  }

  /// When answers are taken.
  bool hold(bool& ready, Ready& pattern, bool valid) {
    const bool next = !holds_back() || pattern.next(valid && !ready);
    const bool changed = next != ready;
    ready = next;
    return changed;
  }

  /// After giving up, ready is high without waiting for valid. A valid that comes then has waited for it.
  void judge(std::int64_t cycle) {
    const auto check = [&](bool late, bool valid, std::int64_t& taken, const char* channel) {
      if (!late || !valid || taken == 0 || cycle > given_up() + kProbe) return;
      taken = 0;
      const std::string name(channel);
      violation("axil_valid_waits", cycle, name + "valid came when " + name + "ready rose, which waited for it since cycle " +
                                                         std::to_string(since()));
    };
    check(b_pattern_.waits(), bvalid_.get() && aw_.taken > 0, w_.taken, "b");
    check(r_pattern_.waits(), rvalid_.get(), ar_.taken, "r");
  }

  /// Cycles in which valid must follow ready to be blamed for waiting for it.
  static constexpr std::int64_t kProbe = 16;

  Field awaddr_, awprot_, wdata_, wstrb_, bresp_, araddr_, arprot_, rdata_, rresp_;
  Bit awvalid_, awready_, wvalid_, wready_, bvalid_, bready_, arvalid_, arready_, rvalid_, rready_;
  Requests aw_, w_, ar_;
  std::deque<std::int64_t> writes_, reads_;  ///< steps without an answer
  Ready b_pattern_, r_pattern_;
  bool b_ready_ = false, r_ready_ = false;
};

}  // namespace goldbeat

extern "C" {

void* gb_axil_master(const char* name, const char* port, const goldbeat::GbAxilNames* names) {
  return goldbeat::guarded(
      [&] {
        goldbeat::Clock& clock = goldbeat::kernel().clock(port);
        auto made = std::make_unique<goldbeat::AxilMaster>(name, *names);
        return static_cast<void*>(static_cast<goldbeat::Transactor*>(goldbeat::kernel().add(clock, std::move(made))));
      },
      static_cast<void*>(nullptr));
}

}  // extern "C"
