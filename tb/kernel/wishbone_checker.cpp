// SPDX-License-Identifier: Apache-2.0
//
// wishbone_checker.cpp - protocol rules of Wishbone bundles. It drives nothing. docs/protocol-rules.md says what each rule means.

#include <array>

#include "wishbone.h"

namespace goldbeat {

class WishboneChecker final : public Transactor {
 public:
  /// `reset`: input of the top module; null: none. `reset_high`: its polarity. `words`: addresses count words.
  WishboneChecker(std::string name, const GbWishboneNames& names, const char* reset, bool reset_high, bool words)
      : Transactor(std::move(name)), at_(names, Side::kMonitor), reset_high_(reset_high), step_(words ? 1 : at_.bytes()) {
    if (reset) reset_ = Bit(*Finder(Side::kMonitor).port(reset, true));
  }

  void reset() override {
    in_reset_.end();
    tied_ = true;
    forget();
  }

  void drive() override {}

  bool sample(std::int64_t cycle) override {
    if (!reset_.absent() && reset_.get() == reset_high_) {
      forget();
      check_reset(cycle);
      return false;
    }
    in_reset_.end();
    const bool cycled = at_.cyc.get(), asks = at_.asks(), answered = at_.answered();
    lone_ = !cycled && (lone_ || at_.stb.get());
    if (at_.stb.get() && !cycled && !lone_strobes) violation("wishbone_strobe_alone", cycle, "stb is high without cyc");
    if (at_.ack.get() + at_.err.get() + at_.rty.get() > 1) {
      violation("wishbone_answers_exclusive", cycle, "more than one of ack, err and rty is high");
    }
    if (waits_) follow(cycle, cycled);
    check_answer(cycle, cycled, asks, answered);
    check_burst(cycle, cycled, asks, answered);
    waits_ = asks && (at_.pipelined() ? at_.stall.get() : !answered);
    held_ = controls();
    cycled_ = cycled;
    return false;
  }

 private:
  /// What must not change while a request waits.
  std::array<std::uint64_t, 6> controls() const {
    return {at_.adr.get(), at_.we.get(), at_.writes() ? at_.wdat.get() : 0, at_.sel.get(), at_.cti.get(), at_.bte.get()};
  }

  void forget() {
    waits_ = bursts_ = cycled_ = lone_ = false;
    open_ = 0;
  }

  /// Reported once in each reset.
  void check_reset(std::int64_t cycle) {
    if (!in_reset_.running()) high_in_reset_ = false;
    in_reset_.edge();
    if (!in_reset_.settled() || high_in_reset_ || !(at_.cyc.get() || at_.stb.get())) return;
    high_in_reset_ = true;
    violation("wishbone_request_in_reset", cycle, std::string(at_.cyc.get() ? "cyc" : "stb") + " is high after " +
                                                      std::to_string(in_reset_.taken()) + " edges in reset");
  }

  void follow(std::int64_t cycle, bool cycled) {
    // In the pipeline a master may end the cycle, and with it all requests.
    if (!cycled && at_.pipelined()) return;
    if (!cycled || !at_.stb.get()) {
      violation("wishbone_request_held", cycle, std::string(cycled ? "stb" : "cyc") + " is low before the request was " +
                                                    (at_.pipelined() ? "taken" : "answered"));
      return;
    }
    static const char* const names[] = {"adr", "we", "wdat", "sel", "cti", "bte"};
    const auto now = controls();
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now[i] == held_[i]) continue;
      violation("wishbone_payload_stable", cycle, std::string(names[i]) + " changed while the request waited");
      break;
    }
  }

  void check_answer(std::int64_t cycle, bool cycled, bool asks, bool answered) {
    // A slave without wait states may hold ACK high for ever.
    tied_ = tied_ && at_.ack.get();
    if (!at_.pipelined()) {
      // The slave of a burst may expect its next cycle.
      if (answered && !asks && !tied_ && !bursts_) without_request(cycle);
      return;
    }
    if (!cycled) {
      open_ = 0;
      // An answer to what the master has given up may be on its way.
      if (answered && !cycled_ && !tied_) without_request(cycle);
      return;
    }
    open_ += asks && !at_.stall.get();
    if (!answered) return;
    if (open_ > 0) {
      --open_;
    } else if (!tied_) {
      without_request(cycle);
    }
  }

  void without_request(std::int64_t cycle) {
    const char* const name = at_.ack.get() ? "ack" : at_.err.get() ? "err" : "rty";
    if (lone_) {
      violation("wishbone_answer_without_cyc", cycle, std::string(name) + " is high without cyc: stb alone is no request (slaves "
                                                      "that never look at cyc need lone_strobe = false)");
    } else {
      violation("wishbone_answer_without_request", cycle, std::string(name) + " is high, and no request waits for it");
    }
  }

  /// The next address of a burst, whose lowest bits wrap as BTE says.
  std::uint64_t next_address() const {
    const std::uint64_t size = at_.bte.get() ? step_ << (at_.bte.get() + 1) : 0;
    const std::uint64_t next = at_.adr.get() + step_;
    return (size ? (at_.adr.get() & ~(size - 1)) | (next & (size - 1)) : next) & at_.adr.mask();
  }

  /// In the pipeline, requests are followed; an error among the answers ends the cycle, and with it a burst.
  void check_burst(std::int64_t cycle, bool cycled, bool asks, bool answered) {
    if (bursts_ && !cycled && at_.pipelined()) {
      bursts_ = false;
    } else if (bursts_ && !cycled) {
      violation("wishbone_burst", cycle, "cyc is low, and the cycle before said in cti that another one follows");
      bursts_ = false;
    } else if (bursts_ && asks && !waits_) {
      const char* const wrong = at_.adr.get() != expected_[0]  ? "adr"
                                : at_.we.get() != expected_[1] ? "we"
                                : at_.sel.get() != expected_[2] ? "sel"
                                                                : nullptr;
      if (wrong) violation("wishbone_burst", cycle, std::string(wrong) + " is not that of the burst which cti began");
      bursts_ = false;
    }
    if (!asks || (at_.pipelined() ? at_.stall.get() : !answered)) return;
    const std::uint64_t type = at_.cti.get();
    bursts_ = (type == kIncrementing || type == kConstant) && (at_.pipelined() || at_.ack.get());
    expected_ = {type == kIncrementing ? next_address() : at_.adr.get(), at_.we.get(), at_.sel.get()};
  }

  WishbonePorts at_;
  Bit reset_;
  bool reset_high_;
  std::uint64_t step_;          ///< from one address of a burst to the next
  ResetTime in_reset_;
  bool high_in_reset_ = false;  ///< reported in this reset
  bool tied_ = true;            ///< ACK has never been low
  bool waits_ = false;          ///< a request stood in the cycle before, and was not taken
  bool cycled_ = false;         ///< CYC was high in the cycle before
  bool lone_ = false;           ///< STB has been high since CYC was low
  bool bursts_ = false;         ///< CTI has announced a cycle
  std::int64_t open_ = 0;       ///< pipelined: requests without an answer
  std::array<std::uint64_t, 6> held_{};
  std::array<std::uint64_t, 3> expected_{};  ///< address, WE and SEL of the next cycle of a burst
};

}  // namespace goldbeat

extern "C" {

void* gb_wishbone_checker(const char* name, const char* port, const goldbeat::GbWishboneNames* names, const char* reset,
                          int reset_high, int words) {
  return goldbeat::guarded(
      [&] {
        goldbeat::Clock& clock = goldbeat::kernel().clock(port);
        auto made = std::make_unique<goldbeat::WishboneChecker>(name, *names, reset, reset_high != 0, words != 0);
        return static_cast<void*>(static_cast<goldbeat::Transactor*>(goldbeat::kernel().add(clock, std::move(made))));
      },
      static_cast<void*>(nullptr));
}

}  // extern "C"
