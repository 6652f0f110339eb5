// SPDX-License-Identifier: Apache-2.0
//
// axil.cpp - AXI-Lite master for register programs.
//
// A write offers address and data together and waits for its response, a read offers its address and waits for its data.
// bready and rready are always high.

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
  }

  void drive() override {
    awvalid_.set(aw_);
    wvalid_.set(w_);
    arvalid_.set(ar_);
    if (fresh_ == nullptr) return;
    if (aw_) {
      awaddr_.set(fresh_->address);
      wdata_.set(fresh_->value);
      wstrb_.set(fresh_->strobe);
    } else {
      araddr_.set(fresh_->address);
    }
    fresh_ = nullptr;
  }

 protected:
  void allow(const GbStep& step) const override {
    if (step.op == kPost) throw std::invalid_argument(name() + ": no posted writes");
    if (writes(step) && awvalid_.absent()) throw std::invalid_argument(name() + ": no write channels");
    if (!writes(step) && arvalid_.absent()) throw std::invalid_argument(name() + ": no read channels");
  }

  void begin(const GbStep& step) override {
    fresh_ = &step;
    write_ = aw_ = w_ = writes(step);
    ar_ = !write_;
  }

  /// What has been accepted is offered no more.
  bool edge(Answer& answer) override {
    const bool aw = aw_ && awready_.get(), w = w_ && wready_.get(), ar = ar_ && arready_.get();
    aw_ &= !aw;
    w_ &= !w;
    ar_ &= !ar;
    if (write_) {
      if (!aw_ && !w_ && bvalid_.get()) answer = {true, bresp_.get(), 0};
    } else if (!ar_ && rvalid_.get()) {
      answer = {true, rresp_.get(), rdata_.get()};
    }
    return aw || w || ar;
  }

  std::string missing() const override {
    if (!write_) return ar_ ? "arvalid without arready" : "read without rvalid";
    return aw_ && w_ ? "awvalid without awready, wvalid without wready"
           : aw_     ? "awvalid without awready"
           : w_      ? "wvalid without wready"
                     : "write without bvalid";
  }

  void idle() override {
    for (Bit* valid : {&awvalid_, &wvalid_, &arvalid_}) valid->set(false);
    for (Bit* ready : {&bready_, &rready_}) ready->set(true);
    for (Field* field : {&awaddr_, &awprot_, &wdata_, &wstrb_, &araddr_, &arprot_}) field->set(0);
    write_ = aw_ = w_ = ar_ = false;
    fresh_ = nullptr;
  }

 private:
  Field awaddr_, awprot_, wdata_, wstrb_, bresp_, araddr_, arprot_, rdata_, rresp_;
  Bit awvalid_, awready_, wvalid_, wready_, bvalid_, bready_, arvalid_, arready_, rvalid_, rready_;
  bool write_ = false;
  bool aw_ = false, w_ = false, ar_ = false;
  const GbStep* fresh_ = nullptr;  ///< for drive() to offer
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
