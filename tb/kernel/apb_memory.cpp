// SPDX-License-Identifier: Apache-2.0
//
// apb_memory.cpp - APB3 and APB4 slave memory on plain arrays.
//
// An access has so many wait states: its latency less one, and the jitter. A write is stored, and a read looks, in the cycle that
// ends the access. PREADY of all other cycles, those that set an access up included, is that of a pattern.

#include "apb.h"
#include "word_memory.h"

namespace goldbeat {

class ApbMemory final : public WordMemory {
 public:
  ApbMemory(std::string name, const GbApbNames& names) : WordMemory(std::move(name)) {
    const Finder find(Side::kSlave);
    psel_ = find.bit(names.psel, true);
    penable_ = find.bit(names.penable, true);
    paddr_ = find.field(names.paddr, true);
    pwrite_ = find.bit(names.pwrite, true);
    pwdata_ = find.field(names.pwdata, true);
    pstrb_ = find.field(names.pstrb, true);
    pprot_ = find.field(names.pprot, true);
    prdata_ = find.field(names.prdata, false);
    pready_ = find.bit(names.pready, false);
    pslverr_ = find.bit(names.pslverr, false);
    undefined_errors |= !pslverr_.absent();
    bytes_ = pwdata_.bits() / 8;
  }

  void drive() override {
    pready_.set(ready());
    const bool shows = answers_ || (idle_.ahead() && open_);
    if (shows && !log_[row_].kind) {
      prdata_.set(held(row_));
    } else {
      idle_.drive(prdata_);
    }
    if (shows) {
      pslverr_.set(refused(row_));
    } else {
      idle_.drive(pslverr_);
    }
  }

  std::string waiting() const override { return open_ ? open_text(row_) : ""; }

 protected:
  void forget() override {
    prdata_.set(0);
    pslverr_.set(false);
    open_ = answers_ = early_ = false;
  }

  bool edge(std::int64_t cycle) override {
    const bool shown = ready();
    early_ = pattern_.next();
    if (answers_ && psel_.get() && penable_.get()) {
      end(row_, cycle);
      if (log_[row_].kind) store(row_, pwdata_.get(), pstrb_.absent() ? ~std::uint64_t{0} : pstrb_.get());
      open_ = answers_ = false;
      return true;
    }
    if (!open_ && psel_.get() && !penable_.get()) {
      row_ = begin(cycle, pwrite_.get(), paddr_.get(), pprot_.get());
      left_ = latency(pwrite_.get()) - 1;
      if (pready_.absent()) left_ = 0;
      open_ = true;
    }
    if (!open_ || left_-- > 0) return shown != ready();
    answers_ = true;
    return true;
  }

 private:
  /// PREADY.
  bool ready() const { return open_ ? answers_ : early_; }

  Bit psel_, penable_, pwrite_, pslverr_;
  Bit pready_{true};
  Field paddr_, pwdata_, pstrb_, pprot_, prdata_;
  std::size_t row_ = 0;     ///< of the open access
  std::int64_t left_ = 0;   ///< its wait states
  bool open_ = false;       ///< an access was set up and has not ended
  bool answers_ = false;    ///< PREADY is high for it
  bool early_ = false;      ///< PREADY is high, if no access is open
};

}  // namespace goldbeat

extern "C" {

void* gb_apb_memory(const char* name, const char* port, const goldbeat::GbApbNames* names) {
  return goldbeat::guarded(
      [&] {
        goldbeat::Clock& clock = goldbeat::kernel().clock(port);
        auto made = std::make_unique<goldbeat::ApbMemory>(name, *names);
        return static_cast<void*>(static_cast<goldbeat::Transactor*>(goldbeat::kernel().add(clock, std::move(made))));
      },
      static_cast<void*>(nullptr));
}

}  // extern "C"
