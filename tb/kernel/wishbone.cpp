// SPDX-License-Identifier: Apache-2.0
//
// wishbone.cpp - Wishbone master for register programs.
//
// Accesses to one word after the other, or to one word again, are a burst where there is CTI and no pause between them. RTY makes
// the access once more.
// An error in the pipeline ends the cycle, unless `aborts` is false: CYC falls, and what has no answer is asked for again. While CYC is low, STB is as
// undefined as the payload: a slave has to ignore it.

#include "wishbone.h"

#include <deque>

#include "registers.h"

namespace goldbeat {

class WishboneMaster final : public RegisterMaster {
 public:
  /// `words`: addresses count words, not bytes. `lone`: STB may be high without CYC. `aborts`: an error in the pipeline ends the cycle.
  WishboneMaster(std::string name, const GbWishboneNames& names, bool words, bool lone, bool aborts)
      : RegisterMaster(std::move(name)), at_(names, Side::kMaster), lone_(lone), aborts_(aborts) {
    word_ = at_.bytes();
    while (words && (1ULL << shift_) < word_) ++shift_;
  }

  void drive() override {
    const bool asks = asking() < open_.size() && !drops_ && !leaves();
    at_.cyc.set(!drops_ && (!open_.empty() || keeps_));
    at_.stb.set(asks);
    const GbStep* const next = upcoming(true) ? upcoming(true) : upcoming(false);
    if (asks) {
      show(open_[asking()]);
    } else if (idle_.ahead() && next) {
      show({-1, next, kClassic, 0, false});
    } else {
      idle_.drive_near(at_.adr, at_.we, at_.wdat, at_.sel, at_.cti, at_.bte);
      // In reset STB must be low.
      if (lone_ && !at_.cyc.get() && released()) {
        idle_.drive(at_.stb);
        lone_strobes |= at_.stb.get();
      }
    }
  }

 protected:
  void allow(const GbStep& step) const override {
    if (step.op == kPost) throw std::invalid_argument(name() + ": no posted writes");
    allow_fitting(step, at_.adr.mask() << shift_, at_.wdat);
    if (at_.sel.absent()) allow_whole(step, at_.wdat);
  }

  void accept(const GbRegisterTraffic& traffic) const override {
    if (traffic.outstanding > 1 && (!at_.pipelined() || !at_.rty.absent())) {
      throw std::invalid_argument(name() + ": one access at a time without STALL, or with RTY");
    }
  }

  /// Accesses are made in the order in which they are asked for. A read that an error makes this master ask for again must not
  /// see what a later write has done already.
  bool clashes(const GbStep& later, const GbStep& open) const override {
    return aborts_ && at_.pipelined() && !at_.err.absent() && writes(later) && !writes(open);
  }

  void begin(std::int64_t index, const GbStep& step, std::int64_t) override {
    if (!open_.empty() && open_.back().type == kUnknown) {
      decide(open_.back(), writes(step) == writes(*open_.back().step) ? &step : nullptr);
    }
    open_.push_back({index, &step, kUnknown, 0, false});
  }

  bool edge(std::int64_t cycle) override {
    if (drops_) {
      drops_ = false;
      return true;
    }
    if (leaves() && asking() == 0) {
      drops_ = true;
      tenure_ = 0;
      return true;
    }
    bool moved = false;
    if (at_.asks() && at_.pipelined() && !at_.stall.get()) {
      moved = open_[asking()].taken = true;
      ++tenure_;
    }
    const bool waits = !open_.empty() && (at_.pipelined() ? open_.front().taken : at_.asks());
    if (!waits || !at_.answered()) return moved;
    Asked& one = open_.front();
    if (at_.rty.get() && !at_.ack.get() && !at_.err.get()) {
      one.taken = false;
      one.type = kClassic;
      one.forms = 0;
      bursts_ = false;
      drops_ = draw(2) != 0;
      return true;
    }
    const bool failed = at_.err.get(), polls = one.step->op == kPoll;
    const std::int64_t index = one.index;
    const std::uint64_t value = writes(*one.step) ? 0 : at_.rdat.get();
    const std::uint64_t forms = failed ? 0 : one.forms;
    open_.pop_front();
    if (failed && open_.empty()) bursts_ = false;
    if (failed && aborts_ && at_.pipelined()) {
      drops_ = true;
      for (Asked& other : open_) other.taken = false;
    }
    answer(cycle, index, failed, value, forms);
    // CYC may stay high until the next access.
    const bool next = upcoming(true) || upcoming(false);
    keeps_ = next && (bursts_ || draw(2) != 0);
    // Between two looks at one word others have their turn.
    keeps_ &= !(polls && traffic().rest);
    if (drops_ || (open_.empty() && !keeps_)) tenure_ = 0;
    return true;
  }

  bool offer(std::int64_t) override {
    if (!open_.empty() && open_.back().type == kUnknown) {
      Asked& last = open_.back();
      decide(last, upcoming(writes(*last.step)));
    }
    return !open_.empty();
  }

  std::string missing() const override {
    if (!at_.pipelined()) return "stb without ack";
    return !open_.empty() && open_.front().taken ? "no ack" : "stb with stall";
  }

  void idle() override {
    open_.clear();
    drops_ = keeps_ = bursts_ = false;
    tenure_ = 0;
    at_.we.set(false);
    for (Field* field : {&at_.adr, &at_.wdat, &at_.sel, &at_.cti, &at_.bte}) field->set(0);
    drive();
  }

 private:
  struct Asked {
    std::int64_t index;
    const GbStep* step;
    std::uint64_t type;  ///< CTI; kUnknown: the step behind it is not known yet
    unsigned order;      ///< BTE: of a burst, how its addresses go on
    bool taken;          ///< pipelined: at an edge without STALL
    std::uint64_t forms = 0;  ///< a bit for each of WishbonePort.forms()
  };

  /// The first request that has to be made.
  std::size_t asking() const {
    std::size_t at = 0;
    while (at < open_.size() && open_[at].taken) ++at;
    return at;
  }

  /// Has asked so often without a pause that it lets others ask, who wait for CYC to fall; no burst is cut in two.
  bool leaves() const { return tenure_ >= kTenure && !bursts_ && !open_.empty(); }

  static constexpr std::int64_t kTenure = 16;
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

  /// The address behind one in a burst: 0 linear, else it wraps at 4, 8 or 16 words.
  std::uint64_t behind(std::uint64_t address, unsigned order) const {
    const std::uint64_t next = address + word_;
    if (order == 0) return next;
    const std::uint64_t block = word_ << (order + 1);
    return address / block * block + next % block;
  }

  /// CTI and BTE of an access that begins: of a burst, if the next step of the program goes on where this one ends.
  void decide(Asked& one, const GbStep* next) {
    const GbStep& step = *one.step;
    one.type = kClassic;
    if (at_.cti.absent()) return;
    const bool like = next && next->op < kPoll && step.op < kPoll && next->strobe == step.strobe;
    const bool may = like && traffic().gap == 0;
    const bool again = may && next->address == step.address && !(bursts_ && type_ != kConstant);
    unsigned orders[4], count = 0;
    for (unsigned order = 0; may && !again && !at_.bte.absent() && order < 4; ++order) {
      if (bursts_ && (type_ != kIncrementing || order != order_)) continue;
      if (next->address == behind(step.address, order)) orders[count++] = order;
    }
    if (again) {
      one.type = kConstant;
    } else if (count) {
      one.type = kIncrementing;
      one.order = orders[count > 1 ? draw(count) : 0];
    } else if (bursts_ || draw(2) != 0) {
      one.type = kEndOfBurst;
      one.order = bursts_ ? order_ : 0;
    }
    if (one.type == kIncrementing && one.order != 0) {
      // Only where the addresses turn back does the order show.
      one.forms = next->address < step.address ? 1u << (kIncrementing + one.order) : 0;
    } else if (one.type != kEndOfBurst) {
      one.forms = 1u << one.type;
    }
    type_ = one.type;
    order_ = one.order;
    bursts_ = type_ == kConstant || type_ == kIncrementing;
  }

  void show(const Asked& one) {
    const GbStep& step = *one.step;
    at_.adr.set(step.address >> shift_);
    at_.we.set(writes(step));
    at_.sel.set(lanes(step));
    at_.cti.set(one.type);
    at_.bte.set(one.order);
    if (writes(step)) {
      at_.wdat.set(step.value);
    } else {
      idle_.drive(at_.wdat);
    }
  }

  WishbonePorts at_;
  bool lone_;
  bool aborts_;
  unsigned shift_ = 0;
  std::deque<Asked> open_;
  bool drops_ = false;   ///< CYC is low for a cycle
  std::int64_t tenure_ = 0;  ///< pipelined: requests since CYC has risen
  bool keeps_ = false;   ///< CYC stays high without an access
  bool bursts_ = false;  ///< the latest request is one of a burst that goes on
  std::uint64_t type_ = kClassic;  ///< its CTI
  unsigned order_ = 0;             ///< its BTE
};

}  // namespace goldbeat

extern "C" {

void* gb_wishbone_master(const char* name, const char* port, const goldbeat::GbWishboneNames* names, int words, int lone,
                         int aborts) {
  return goldbeat::guarded(
      [&] {
        goldbeat::Clock& clock = goldbeat::kernel().clock(port);
        auto made = std::make_unique<goldbeat::WishboneMaster>(name, *names, words != 0, lone != 0, aborts != 0);
        return static_cast<void*>(static_cast<goldbeat::Transactor*>(goldbeat::kernel().add(clock, std::move(made))));
      },
      static_cast<void*>(nullptr));
}

}  // extern "C"
