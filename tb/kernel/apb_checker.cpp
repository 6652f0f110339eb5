// SPDX-License-Identifier: Apache-2.0
//
// apb_checker.cpp - protocol rules of APB3 and APB4 bundles. It drives nothing. docs/protocol-rules.md says what each rule means.
//
// A transfer is a cycle of PSEL without PENABLE (setup), then PENABLE until PREADY (access).

#include <algorithm>
#include <array>

#include "apb.h"
#include "axi.h"

namespace goldbeat {

class ApbChecker final : public Transactor {
 public:
  /// `reset`: input of the top module; null: none. `reset_high`: its polarity.
  ApbChecker(std::string name, const GbApbNames& names, const char* reset, bool reset_high)
      : Transactor(std::move(name)), reset_high_(reset_high) {
    const Finder find(Side::kMonitor);
    if (reset) reset_ = Bit(*find.port(reset, true));
    psel_ = find.bit(names.psel, true);
    penable_ = find.bit(names.penable, true);
    pwrite_ = find.bit(names.pwrite, true);
    paddr_ = find.field(names.paddr, true);
    pwdata_ = find.field(names.pwdata, true);
    bytes_ = std::max<std::uint64_t>(1, pwdata_.bits() / 8);
    pstrb_ = find.field(names.pstrb, true);
    pprot_ = find.field(names.pprot, true);
    if (names.pready) pready_ = find.bit(names.pready, false);
    pslverr_ = find.bit(names.pslverr, false);
    // Of a design that is the master, the bench answers: its idle PSLVERR is undefined on purpose.
    judges_answers_ = names.pslverr && !find.port(names.pslverr, false)->input;
  }

  void reset() override {
    open_ = false;
    in_reset_.end();
  }

  void drive() override {}

  bool sample(std::int64_t cycle) override {
    if (!reset_.absent() && reset_.get() == reset_high_) {
      open_ = false;
      check_reset(cycle);
      return false;
    }
    in_reset_.end();
    const bool selected = psel_.get(), enabled = penable_.get();
    if (open_) {
      follow(cycle, selected, enabled);
    } else if (selected && enabled) {
      // Without PSEL, PENABLE belongs to a transfer with another completer.
      violation("apb_sequence", cycle, "penable is high without a setup before it");
    } else if (selected) {
      set_up(cycle);
    }
    const bool ends = selected && enabled && pready_.get();
    if (judges_answers_ && !undefined_errors && pslverr_.get() && !ends) {
      violation("apb_slverr_early", cycle, "pslverr is high, and no transfer ends in this cycle");
    }
    open_ = selected && !ends && (open_ || !enabled);
    return false;
  }

 private:
  /// What must not change during a transfer.
  std::array<std::uint64_t, 5> controls() const {
    return {paddr_.get(), pwrite_.get(), pwrite_.get() ? pwdata_.get() : 0, pstrb_.get(), pprot_.get()};
  }

  /// Reported once in each reset.
  void check_reset(std::int64_t cycle) {
    if (!in_reset_.running()) high_in_reset_ = false;
    in_reset_.edge();
    if (!in_reset_.settled() || high_in_reset_ || !(psel_.get() || penable_.get())) return;
    high_in_reset_ = true;
    violation("apb_select_in_reset", cycle, std::string(psel_.get() ? "psel" : "penable") + " is high after " +
                                                std::to_string(in_reset_.taken()) + " edges in reset");
  }

  void set_up(std::int64_t cycle) {
    held_ = controls();
    if (paddr_.get() % bytes_ != 0) {
      violation("apb_unaligned", cycle, "paddr is " + hex(paddr_.get()) + ", data have " + std::to_string(bytes_) + " bytes");
    }
    if (!pwrite_.get() && pstrb_.get() != 0) violation("apb_strobe_read", cycle, "pstrb is not 0 in a read");
  }

  void follow(std::int64_t cycle, bool selected, bool enabled) {
    if (!selected || !enabled) {
      violation("apb_sequence", cycle, std::string(selected ? "penable" : "psel") + " is low before the transfer has ended");
      return;
    }
    static const char* const names[] = {"paddr", "pwrite", "pwdata", "pstrb", "pprot"};
    const auto now = controls();
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now[i] == held_[i]) continue;
      violation("apb_payload_stable", cycle, std::string(names[i]) + " changed during a transfer");
      break;
    }
  }

  Bit reset_, psel_, penable_, pwrite_, pslverr_;
  Bit pready_{true};
  Field paddr_, pwdata_, pstrb_, pprot_;
  bool reset_high_;
  bool judges_answers_ = false;  ///< PSLVERR is the design's
  std::uint64_t bytes_ = 1;      ///< of the data bus
  ResetTime in_reset_;
  bool high_in_reset_ = false;   ///< reported in this reset
  bool open_ = false;  ///< a transfer was set up and had not ended before this cycle
  std::array<std::uint64_t, 5> held_{};
};

}  // namespace goldbeat

extern "C" {

void* gb_apb_checker(const char* name, const char* port, const goldbeat::GbApbNames* names, const char* reset, int reset_high) {
  return goldbeat::guarded(
      [&] {
        goldbeat::Clock& clock = goldbeat::kernel().clock(port);
        auto made = std::make_unique<goldbeat::ApbChecker>(name, *names, reset, reset_high != 0);
        return static_cast<void*>(static_cast<goldbeat::Transactor*>(goldbeat::kernel().add(clock, std::move(made))));
      },
      static_cast<void*>(nullptr));
}

}  // extern "C"
