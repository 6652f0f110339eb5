// SPDX-License-Identifier: Apache-2.0
//
// avalon_checker.cpp - protocol rules of Avalon-MM bundles. It drives nothing. docs/protocol-rules.md says what each rule means.

#include <array>

#include "avalon.h"

namespace goldbeat {

class AvalonChecker final : public Transactor {
 public:
  /// `reset`: input of the top module; null: none. `reset_high`: its polarity. `words`: addresses count words. `allowance`: transfers
  /// while WAITREQUEST is high.
  AvalonChecker(std::string name, const GbAvalonNames& names, const char* reset, bool reset_high, bool words, std::int64_t allowance)
      : Transactor(std::move(name)),
        at_(names, Side::kMonitor),
        reset_high_(reset_high),
        step_(words ? 1 : at_.bytes()),
        allowance_(allowance) {
    if (reset) reset_ = Bit(*Finder(Side::kMonitor).port(reset, true));
  }

  void reset() override {
    waits_ = false;
    reads_ = writes_ = beats_ = spent_ = 0;
  }

  void drive() override {}

  bool sample(std::int64_t cycle) override {
    if (!reset_.absent() && reset_.get() == reset_high_) {
      reset();
      return false;
    }
    const bool asks = at_.asks();
    if (waits_) {
      follow(cycle);
    } else if (asks) {
      judge(cycle);
    }
    if (at_.readdatavalid.get() && reads_-- == 0) {
      reads_ = 0;
      violation("avalon_data_without_request", cycle, "readdatavalid is high, and no read waits for data");
    }
    if (at_.writeresponsevalid.get() && writes_-- == 0) {
      writes_ = 0;
      violation("avalon_response_without_request", cycle, "writeresponsevalid is high, and no write waits for a response");
    }
    if (!at_.beginbursttransfer.absent() && at_.beginbursttransfer.get() != (asks && !waits_ && beats_ == 0)) {
      violation("avalon_burst_begin", cycle, std::string("beginbursttransfer is ") +
                                                 (at_.beginbursttransfer.get() ? "high, and no burst begins" : "low, and a burst begins"));
    }
    if (allowance_ > 0) {
      count_allowed(cycle, asks);
    } else {
      waits_ = asks && at_.waitrequest.get();
    }
    held_ = controls();
    if (asks && !waits_) taken();
    return false;
  }

 private:
  /// What must not change while a request waits.
  std::array<std::uint64_t, 4> controls() const {
    return {at_.address.get(), at_.write.get() ? at_.writedata.get() : 0, at_.byteenable.get(), at_.burstcount.get()};
  }

  void judge(std::int64_t cycle) {
    reading_ = at_.read.get();
    if (reading_ && at_.write.get()) violation("avalon_read_and_write", cycle, "read and write are high");
    if (beats_ > 0 && reading_) {
      violation("avalon_burst_broken", cycle, "read is high, and " + std::to_string(beats_) + " beats of a write burst have not come");
      beats_ = 0;
    }
    if (beats_ == 0 && !at_.burstcount.absent() && (at_.burstcount.get() == 0 || at_.burstcount.get() > at_.most())) {
      violation("avalon_burst_length", cycle, "burstcount is " + std::to_string(at_.burstcount.get()) + ", expected 1 to " +
                                                  std::to_string(at_.most()));
    }
    if (beats_ == 0 && at_.address.get() % step_ != 0) {
      violation("avalon_unaligned", cycle, "address is " + hex(at_.address.get()) + ", data have " + std::to_string(step_) + " bytes");
    }
  }

  void follow(std::int64_t cycle) {
    if (!(reading_ ? at_.read : at_.write).get()) {
      violation("avalon_request_held", cycle, std::string(reading_ ? "read" : "write") + " is low before the request was taken");
      return;
    }
    static const char* const names[] = {"address", "writedata", "byteenable", "burstcount"};
    const auto now = controls();
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now[i] == held_[i]) continue;
      violation("avalon_payload_stable", cycle, std::string(names[i]) + " changed while the request waited");
      break;
    }
  }

  void count_allowed(std::int64_t cycle, bool asks) {
    spent_ = at_.waitrequest.get() ? spent_ + asks : 0;
    if (!asks || spent_ <= allowance_) return;
    violation("avalon_allowance", cycle, "transfer " + std::to_string(spent_) + " since waitrequest is high, " +
                                             std::to_string(allowance_) + " are allowed");
  }

  void taken() {
    const auto count = static_cast<std::int64_t>(at_.count());
    if (at_.read.get()) {
      reads_ += count;
      return;
    }
    if (beats_ == 0) beats_ = count;
    writes_ += --beats_ == 0;
  }

  AvalonPorts at_;
  Bit reset_;
  bool reset_high_;
  std::uint64_t step_;     ///< addresses are multiples of it
  std::int64_t allowance_;
  std::int64_t spent_ = 0;  ///< transfers since WAITREQUEST has risen
  bool waits_ = false;     ///< a request stood in the cycle before, and was not taken
  bool reading_ = false;   ///< the latest request is a read
  std::int64_t reads_ = 0, writes_ = 0;  ///< words and writes without an answer
  std::int64_t beats_ = 0;               ///< of a burst of writes that have not come
  std::array<std::uint64_t, 4> held_{};
};

}  // namespace goldbeat

extern "C" {

void* gb_avalon_checker(const char* name, const char* port, const goldbeat::GbAvalonNames* names, const char* reset,
                        int reset_high, int words, int allowance) {
  return goldbeat::guarded(
      [&] {
        goldbeat::Clock& clock = goldbeat::kernel().clock(port);
        auto made = std::make_unique<goldbeat::AvalonChecker>(name, *names, reset, reset_high != 0, words != 0, allowance);
        return static_cast<void*>(static_cast<goldbeat::Transactor*>(goldbeat::kernel().add(clock, std::move(made))));
      },
      static_cast<void*>(nullptr));
}

}  // extern "C"
