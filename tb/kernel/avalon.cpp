// SPDX-License-Identifier: Apache-2.0
//
// avalon.cpp - Avalon-MM host for register programs. It asks for single words.

#include "avalon.h"

#include <deque>

#include "registers.h"

namespace goldbeat {

class AvalonMaster final : public RegisterMaster {
 public:
  /// `words`: addresses count words, not bytes. `latency`: of reads without READDATAVALID.
  AvalonMaster(std::string name, const GbAvalonNames& names, bool words, std::int64_t latency)
      : RegisterMaster(std::move(name)), at_(names, Side::kMaster), latency_(latency) {
    word_ = at_.bytes();
    while (words && (1ULL << shift_) < word_) ++shift_;
  }

  void drive() override {
    const bool asks = !asked_.empty();
    const GbStep* const next = upcoming(true) ? upcoming(true) : upcoming(false);
    at_.read.set(asks && !writes(*asked_.front().step));
    at_.write.set(asks && writes(*asked_.front().step));
    at_.chipselect.set(asks);
    if (asks) {
      show(*asked_.front().step);
    } else if (idle_.ahead() && next) {
      show(*next);
    } else {
      idle_.drive_near(at_.address, at_.writedata, at_.byteenable, at_.burstcount);
    }
  }

 protected:
  void allow(const GbStep& step) const override {
    if (step.op == kPost) throw std::invalid_argument(name() + ": no posted writes");
    allow_fitting(step, at_.address.mask() << shift_, at_.writedata);
    if (at_.byteenable.absent()) allow_whole(step, at_.writedata);
  }

  bool in_order() const override { return true; }

  void begin(std::int64_t index, const GbStep& step, std::int64_t) override { asked_.push_back({index, &step, 0}); }

  bool edge(std::int64_t cycle) override {
    bool moved = false;
    if (at_.asks() && !at_.waitrequest.get() && !asked_.empty()) {
      Asked one = asked_.front();
      asked_.pop_front();
      moved = true;
      one.due = cycle + latency_;
      if (!writes(*one.step)) {
        reads_.push_back(one);
      } else if (at_.writeresponsevalid.absent()) {
        answer(cycle, one.index, 0, 0);
      } else {
        writes_.push_back(one);
      }
    }
    if (!reads_.empty() && (at_.piped() ? at_.readdatavalid.get() : reads_.front().due <= cycle)) {
      const std::int64_t index = reads_.front().index;
      reads_.pop_front();
      answer(cycle, index, at_.response.get(), at_.readdata.get());
      moved = true;
    }
    if (!writes_.empty() && at_.writeresponsevalid.get()) {
      const std::int64_t index = writes_.front().index;
      writes_.pop_front();
      answer(cycle, index, at_.response.get(), 0);
      moved = true;
    }
    return moved;
  }

  bool offer(std::int64_t) override { return !asked_.empty(); }

  std::string missing() const override {
    if (asked_.empty()) return reads_.empty() ? "no writeresponsevalid" : "no readdatavalid";
    return std::string(at_.read.get() ? "read" : "write") + " with waitrequest";
  }

  void idle() override {
    asked_.clear();
    reads_.clear();
    writes_.clear();
    for (Field* field : {&at_.address, &at_.writedata, &at_.byteenable, &at_.burstcount}) field->set(0);
    drive();
  }

 private:
  struct Asked {
    std::int64_t index;
    const GbStep* step;
    std::int64_t due;  ///< cycle of read data without READDATAVALID
  };

  void show(const GbStep& step) {
    at_.address.set(step.address >> shift_);
    at_.byteenable.set(writes(step) ? step.strobe : ~std::uint64_t{0});
    at_.burstcount.set(1);
    if (writes(step)) {
      at_.writedata.set(step.value);
    } else {
      idle_.drive(at_.writedata);
    }
  }

  AvalonPorts at_;
  std::int64_t latency_;
  unsigned shift_ = 0;
  std::deque<Asked> asked_;   ///< not taken yet
  std::deque<Asked> reads_;   ///< taken, without data
  std::deque<Asked> writes_;  ///< taken, without a response
};

}  // namespace goldbeat

extern "C" {

void* gb_avalon_master(const char* name, const char* port, const goldbeat::GbAvalonNames* names, int words, int latency) {
  return goldbeat::guarded(
      [&] {
        goldbeat::Clock& clock = goldbeat::kernel().clock(port);
        auto made = std::make_unique<goldbeat::AvalonMaster>(name, *names, words != 0, latency);
        return static_cast<void*>(static_cast<goldbeat::Transactor*>(goldbeat::kernel().add(clock, std::move(made))));
      },
      static_cast<void*>(nullptr));
}

}  // extern "C"
