// SPDX-License-Identifier: Apache-2.0
//
// apb.cpp - APB3 and APB4 master for register programs.
//
// An access is a cycle of PSEL without PENABLE and then PENABLE until PREADY. PSEL stays high between accesses that follow one
// another at once. The bus has room for one access at a time.

#include "apb.h"
#include "axi.h"
#include "registers.h"

namespace goldbeat {

class ApbMaster final : public RegisterMaster {
 public:
  ApbMaster(std::string name, const GbApbNames& names) : RegisterMaster(std::move(name)) {
    const Finder find(Side::kMaster);
    psel_ = find.bit(names.psel, true);
    penable_ = find.bit(names.penable, true);
    paddr_ = find.field(names.paddr, true);
    pwrite_ = find.bit(names.pwrite, true);
    pwdata_ = find.field(names.pwdata, true);
    pstrb_ = find.field(names.pstrb, true);
    pprot_ = find.field(names.pprot, true);
    prdata_ = find.field(names.prdata, false);
    if (names.pready) pready_ = find.bit(names.pready, false);
    pslverr_ = find.bit(names.pslverr, false);
  }

  void drive() override {
    psel_.set(phase_ != Phase::kNone);
    penable_.set(phase_ == Phase::kAccess);
    if (phase_ == Phase::kSetup) show(*step_);
    if (phase_ != Phase::kNone) return;
    const GbStep* const next = upcoming(true) ? upcoming(true) : upcoming(false);
    if (idle_.ahead() && next) {
      show(*next);
      return;
    }
    idle_.drive_near(paddr_, pwrite_, pwdata_, pstrb_, pprot_);
    // Without PSEL, PENABLE belongs to a transfer with another completer. In reset it must be low.
    if (released()) idle_.drive(penable_);
  }

 protected:
  void allow(const GbStep& step) const override {
    if (step.op == kPost) throw std::invalid_argument(name() + ": no posted writes");
    allow_fitting(step, paddr_.mask(), pwdata_);
    if (pstrb_.absent()) allow_whole(step, pwdata_);
  }

  void accept(const GbRegisterTraffic& traffic) const override {
    if (traffic.outstanding > 1) throw std::invalid_argument(name() + ": APB has room for one access at a time");
  }

  void begin(std::int64_t index, const GbStep& step, std::int64_t) override {
    step_ = &step;
    index_ = index;
    phase_ = Phase::kSetup;
  }

  bool edge(std::int64_t cycle) override {
    if (phase_ == Phase::kSetup) {
      phase_ = Phase::kAccess;
      return true;
    }
    if (phase_ == Phase::kNone || !pready_.get()) return false;
    phase_ = Phase::kNone;
    answer(cycle, index_, pslverr_.get(), writes(*step_) ? 0 : prdata_.get());
    return true;
  }

  /// A setup that has just begun.
  bool offer(std::int64_t) override { return phase_ == Phase::kSetup; }

  std::string missing() const override { return "penable without pready"; }

  void idle() override {
    pwrite_.set(false);
    for (Field* field : {&paddr_, &pwdata_, &pstrb_, &pprot_}) field->set(0);
    phase_ = Phase::kNone;
    drive();
  }

 private:
  enum class Phase { kNone, kSetup, kAccess };

  void show(const GbStep& step) {
    paddr_.set(step.address);
    pprot_.set(step.prot);
    pwrite_.set(writes(step));
    // Reads have no strobes, and their write data are undefined.
    pstrb_.set(writes(step) ? step.strobe : 0);
    if (writes(step)) {
      pwdata_.set(step.value);
    } else {
      idle_.drive(pwdata_);
    }
  }

  Bit psel_, penable_, pwrite_, pslverr_;
  Bit pready_{true};
  Field paddr_, pwdata_, pstrb_, pprot_, prdata_;
  const GbStep* step_ = nullptr;
  std::int64_t index_ = 0;
  Phase phase_ = Phase::kNone;
};

}  // namespace goldbeat

extern "C" {

void* gb_apb_master(const char* name, const char* port, const goldbeat::GbApbNames* names) {
  return goldbeat::guarded(
      [&] {
        goldbeat::Clock& clock = goldbeat::kernel().clock(port);
        auto made = std::make_unique<goldbeat::ApbMaster>(name, *names);
        return static_cast<void*>(static_cast<goldbeat::Transactor*>(goldbeat::kernel().add(clock, std::move(made))));
      },
      static_cast<void*>(nullptr));
}

}  // extern "C"
