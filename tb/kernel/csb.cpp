// SPDX-License-Identifier: Apache-2.0
//
// csb.cpp - master of NVDLA's configuration bus (CSB) for register programs.
//
// A request is held until it is taken. A read then waits for its data and a write for its completion, unless it is posted:
// nothing answers that. Programs count addresses in bytes, the bus in words of four.

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
    if (!offered_) return;
    addr_.set(step_->address >> 2);
    write_.set(writes(*step_));
    nposted_.set(step_->op == kWrite);
    if (writes(*step_)) wdat_.set(step_->value);
  }

 protected:
  void allow(const GbStep& step) const override {
    allow_fitting(step, addr_.mask() << 2, wdat_);
    allow_whole(step, wdat_);
  }

  void begin(const GbStep& step) override {
    step_ = &step;
    offered_ = true;
  }

  bool edge(Answer& answer) override {
    const bool taken = offered_ && ready_.get();
    offered_ &= !taken;
    if (step_->op == kPost) {
      answer.here = taken;
    } else if (step_->op == kWrite) {
      answer.here = !offered_ && wr_complete_.get();
    } else if (!offered_ && response_valid_.get()) {
      answer = {true, 0, response_data_.get()};
    }
    return taken;
  }

  std::string missing() const override {
    return offered_ ? "valid without ready" : writes(*step_) ? "write without wr_complete" : "read without data";
  }

  void idle() override {
    for (Bit* bit : {&valid_, &write_, &nposted_}) bit->set(false);
    for (Field* field : {&addr_, &wdat_}) field->set(0);
    offered_ = false;
  }

 private:
  Bit valid_, ready_, write_, nposted_, response_valid_, wr_complete_;
  Field addr_, wdat_, response_data_;
  const GbStep* step_ = nullptr;
  bool offered_ = false;
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
