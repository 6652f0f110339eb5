// SPDX-License-Identifier: Apache-2.0
//
// avalon.cpp - Avalon-MM host for register programs.
//
// Accesses to one word after the other are bursts where there is BURSTCOUNT. Behind the first beat of a write burst, the address and
// BURSTCOUNT are undefined, unless they must stay. Without an allowance a request is held until it is taken. With one, every cycle
// of a request is a transfer, and requests go on until the allowance is spent.

#include "avalon.h"

#include <deque>

#include "registers.h"

namespace goldbeat {

class AvalonMaster final : public RegisterMaster {
 public:
  /// `words`: addresses count words, not bytes. `latency`: of reads without READDATAVALID. `allowance`: transfers while WAITREQUEST
  /// is high. `constant`: the address and BURSTCOUNT stay during a burst.
  AvalonMaster(std::string name, const GbAvalonNames& names, bool words, std::int64_t latency, std::int64_t allowance, bool constant)
      : RegisterMaster(std::move(name)), at_(names, Side::kMaster), latency_(latency), allowance_(allowance), constant_(constant) {
    word_ = at_.bytes();
    while (words && (1ULL << shift_) < word_) ++shift_;
  }

  void drive() override {
    const bool asks = !asked_.empty() && pause_ == 0 && (allowance_ == 0 || spent_ < allowance_);
    const GbStep* const next = upcoming(true) ? upcoming(true) : upcoming(false);
    at_.read.set(asks && !writes(*asked_.front().step));
    at_.write.set(asks && writes(*asked_.front().step));
    at_.chipselect.set(asks);
    at_.beginbursttransfer.set(asks && !shown_ && asked_.front().count > 0);
    if (asks) {
      show(asked_.front());
    } else if (idle_.ahead() && next) {
      show({-1, next, 0, 1, false, 0});
    } else if (constant_ && !asked_.empty() && asked_.front().count == 0) {
      idle_.drive(at_.writedata, at_.byteenable);
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

  /// Accesses are made in the order in which they are asked for.
  bool clashes(const GbStep&, const GbStep&) const override { return false; }

  void begin(std::int64_t index, const GbStep& step, std::int64_t) override {
    if (left_ > 0) {
      --left_;
      asked_.push_back({index, &step, 0, 0, left_ == 0, asked_.back().forms});
      return;
    }
    const std::int64_t count = length(step);
    std::uint64_t forms = 1u << (count == 1 ? kSingle : kSeveral);
    if (count >= std::min<std::int64_t>(kLongest, static_cast<std::int64_t>(at_.most()))) forms |= 1u << kMost;
    asked_.push_back({index, &step, 0, count, count == 1, forms});
    left_ = count - 1;
    join(left_);
  }

  bool edge(std::int64_t cycle) override {
    const bool asks = at_.asks() && !asked_.empty(), waits = at_.waitrequest.get();
    const bool takes = asks && (!waits || allowance_ > 0);
    if (pause_ > 0) --pause_;
    spent_ = waits ? spent_ + asks : 0;
    shown_ = asks && !takes;
    bool moved = takes;
    if (takes) take(cycle);
    if (!reads_.empty() && (at_.piped() ? at_.readdatavalid.get() : reads_.front().due <= cycle)) {
      const Asked one = reads_.front();
      reads_.pop_front();
      answer(cycle, one.index, at_.response.get(), at_.readdata.get(), one.forms);
      moved = true;
    }
    if (!writes_.empty() && at_.writeresponsevalid.get()) {
      // A burst has one response.
      for (bool last = false; !last && !writes_.empty(); moved = true) {
        const Asked one = writes_.front();
        writes_.pop_front();
        last = one.last;
        answer(cycle, one.index, at_.response.get(), 0, one.forms);
      }
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
    left_ = pause_ = 0;
    // Nothing is sent before WAITREQUEST has been low.
    spent_ = allowance_;
    shown_ = false;
    for (Field* field : {&at_.address, &at_.writedata, &at_.byteenable, &at_.burstcount}) field->set(0);
    drive();
  }

 private:
  /// Bits of AvalonPort.forms().
  enum Form { kSingle, kSeveral, kMost, kPauses, kAllowed };

  static constexpr std::int64_t kLongest = 64;      ///< beats of a burst that counts as long
  static constexpr std::uint64_t kPage = 1024;      ///< bytes whose multiples no burst crosses: another agent may begin there
  static constexpr std::uint64_t kLongestPause = 4;

  struct Asked {
    std::int64_t index;
    const GbStep* step;
    std::int64_t due;     ///< cycle of read data without READDATAVALID
    std::int64_t count;   ///< beats of the burst that it begins; 0: a later beat
    bool last;            ///< of its burst
    std::uint64_t forms;
  };

  /// Beats of the burst that a step begins: as many as go on behind it, or some of them.
  std::int64_t length(const GbStep& step) {
    if (!writes(step) && !at_.piped()) return 1;
    const auto most = static_cast<std::int64_t>(at_.most());
    std::int64_t count = 1;
    for (const GbStep* other; count < most && (other = like(count)); ++count) {
      const std::uint64_t next = step.address + static_cast<std::uint64_t>(count) * word_;
      if (other->address != next || next % kPage == 0) break;
    }
    return count == 1 || draw(2) != 0 ? count : 1 + static_cast<std::int64_t>(draw(static_cast<std::uint64_t>(count)));
  }

  void take(std::int64_t cycle) {
    const std::uint64_t allowed = allowance_ > 0 && spent_ == allowance_ ? 1u << kAllowed : 0;
    std::int64_t count = std::max<std::int64_t>(1, asked_.front().count);
    if (writes(*asked_.front().step)) count = 1;
    for (; count > 0; --count) {
      Asked one = asked_.front();
      asked_.pop_front();
      one.due = cycle + latency_;
      one.forms |= allowed;
      if (!writes(*one.step)) {
        reads_.push_back(one);
      } else if (at_.writeresponsevalid.absent()) {
        answer(cycle, one.index, 0, 0, one.forms);
      } else {
        writes_.push_back(one);
      }
    }
    if (asked_.empty() || asked_.front().count > 0 || traffic().gap == 0) return;
    pause_ = static_cast<std::int64_t>(draw(kLongestPause + 1));
    if (pause_ > 0) asked_.front().forms |= 1u << kPauses;
  }

  void show(const Asked& one) {
    const GbStep& step = *one.step;
    if (one.count > 0) {
      first_ = step.address >> shift_;
      beats_ = static_cast<std::uint64_t>(one.count);
    }
    if (one.count > 0 || constant_) {
      at_.address.set(first_);
      at_.burstcount.set(beats_);
    } else if (!shown_) {
      idle_.drive(at_.address, at_.burstcount);
    }
    at_.byteenable.set(lanes(step));
    if (writes(step)) {
      at_.writedata.set(step.value);
    } else {
      idle_.drive(at_.writedata);
    }
  }

  AvalonPorts at_;
  std::int64_t latency_, allowance_;
  bool constant_;
  unsigned shift_ = 0;
  std::deque<Asked> asked_;   ///< not taken yet
  std::deque<Asked> reads_;   ///< taken, without data
  std::deque<Asked> writes_;  ///< taken, without a response
  std::int64_t left_ = 0;     ///< steps of the latest burst that have not begun
  std::int64_t pause_ = 0;    ///< cycles without WRITE within a burst
  std::int64_t spent_ = 0;    ///< transfers since WAITREQUEST has risen
  bool shown_ = false;        ///< the request was there in the cycle before
  std::uint64_t first_ = 0, beats_ = 1;  ///< of the latest burst
};

}  // namespace goldbeat

extern "C" {

void* gb_avalon_master(const char* name, const char* port, const goldbeat::GbAvalonNames* names, int words, int latency,
                       int allowance, int constant) {
  return goldbeat::guarded(
      [&] {
        goldbeat::Clock& clock = goldbeat::kernel().clock(port);
        auto made = std::make_unique<goldbeat::AvalonMaster>(name, *names, words != 0, latency, allowance, constant != 0);
        return static_cast<void*>(static_cast<goldbeat::Transactor*>(goldbeat::kernel().add(clock, std::move(made))));
      },
      static_cast<void*>(nullptr));
}

}  // extern "C"
