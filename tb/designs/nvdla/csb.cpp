// SPDX-License-Identifier: Apache-2.0
//
// csb.cpp - master of NVDLA's configuration bus (CSB) for register programs.
//
// A request is held until it is taken. A read then waits for its data and a write for its completion, unless it is posted:
// nothing answers that. Reads, and writes, are answered in their order. Programs count addresses in bytes, the bus in words of
// four.

#include <deque>

#include "axi.h"
#include "registers.h"

namespace goldbeat {

extern "C" {

/// The top module's port of every signal.
struct GbCsbNames {
  const char *valid, *ready, *addr, *wdat, *write, *nposted;
  const char *response_valid, *response_data, *wr_complete;
};

}  // extern "C"

class CsbMaster final : public RegisterMaster {
 public:
  CsbMaster(std::string name, const GbCsbNames& names) : RegisterMaster(std::move(name)) {
    const Finder find(Side::kMaster);
    valid_ = find.bit(names.valid, true);
    ready_ = find.bit(names.ready, false);
    addr_ = find.field(names.addr, true);
    wdat_ = find.field(names.wdat, true);
    write_ = find.bit(names.write, true);
    nposted_ = find.bit(names.nposted, true);
    response_valid_ = find.bit(names.response_valid, false);
    response_data_ = find.field(names.response_data, false);
    wr_complete_ = find.bit(names.wr_complete, false);
  }

  void drive() override {
    valid_.set(offered_);
    if (offered_) {
      if (fresh_) show(*requests_.front().step);
      fresh_ = false;
      return;
    }
    const GbStep* const next = upcoming(true) ? upcoming(true) : upcoming(false);
    if (idle_.ahead() && next) {
      show(*next);
    } else {
      idle_.drive(addr_, wdat_, write_, nposted_);
    }
  }

 protected:
  void allow(const GbStep& step) const override {
    allow_fitting(step, addr_.mask() << 2, wdat_);
    allow_whole(step, wdat_);
  }

  void begin(std::int64_t index, const GbStep& step, std::int64_t) override { requests_.push_back({index, &step}); }

  bool edge(std::int64_t cycle) override {
    const bool taken = offered_ && ready_.get();
    if (taken) take(cycle);
    if (wr_complete_.get() && !finish(writes_, 0, cycle)) {
      violation("csb_complete_without_request", cycle, "wr_complete without an outstanding write");
    }
    if (response_valid_.get() && !finish(reads_, response_data_.get(), cycle)) {
      violation("csb_response_without_request", cycle, "a response without an outstanding read");
    }
    return taken;
  }

  bool offer(std::int64_t) override {
    if (offered_ || requests_.empty()) return false;
    return offered_ = fresh_ = true;
  }

  std::string missing() const override {
    if (offered_) return "valid without ready";
    return writes_.empty() ? "read without data" : "write without wr_complete";
  }

  void idle() override {
    for (Bit* bit : {&write_, &nposted_}) bit->set(false);
    for (Field* field : {&addr_, &wdat_}) field->set(0);
    offered_ = fresh_ = false;
    requests_.clear();
    writes_.clear();
    reads_.clear();
    drive();
  }

 private:
  struct Request {
    std::int64_t index;
    const GbStep* step;
  };

  void show(const GbStep& step) {
    addr_.set(step.address >> 2);
    write_.set(writes(step));
    nposted_.set(step.op == kWrite);
    if (writes(step)) {
      wdat_.set(step.value);
    } else {
      idle_.drive(wdat_);
    }
  }

  void take(std::int64_t cycle) {
    const Request one = requests_.front();
    requests_.pop_front();
    offered_ = false;
    if (one.step->op == kPost) {
      answer(cycle, one.index, 0, 0);
    } else {
      (writes(*one.step) ? writes_ : reads_).push_back(one.index);
    }
  }

  /// The oldest one ends; false where there is none.
  bool finish(std::deque<std::int64_t>& open, std::uint64_t value, std::int64_t cycle) {
    if (open.empty()) return false;
    const std::int64_t index = open.front();
    open.pop_front();
    answer(cycle, index, 0, value);
    return true;
  }

  Bit valid_, ready_, write_, nposted_, response_valid_, wr_complete_;
  Field addr_, wdat_, response_data_;
  std::deque<Request> requests_;              ///< not taken; the front is offered, or will be
  std::deque<std::int64_t> writes_, reads_;  ///< taken, without an answer
  bool offered_ = false;
  bool fresh_ = false;  ///< offered, and not driven
};

}  // namespace goldbeat

extern "C" {

void* gb_csb_master(const char* name, const char* port, const goldbeat::GbCsbNames* names) {
  return goldbeat::guarded(
      [&] {
        goldbeat::Clock& clock = goldbeat::kernel().clock(port);
        auto made = std::make_unique<goldbeat::CsbMaster>(name, *names);
        return static_cast<void*>(static_cast<goldbeat::Transactor*>(goldbeat::kernel().add(clock, std::move(made))));
      },
      static_cast<void*>(nullptr));
}

}  // extern "C"
