// SPDX-License-Identifier: Apache-2.0
//
// apb_memory.cpp - APB3 and APB4 slave memory on plain arrays.
//
// An access has so many wait states: its latency less one, and the jitter. A write is stored, and a read looks, in the cycle that
// ends the access. PREADY of all other cycles, those that set an access up included, is that of a pattern.

#include <algorithm>
#include <cstring>
#include <limits>

#include "apb.h"
#include "axi.h"
#include "pattern.h"
#include "regions.h"

namespace goldbeat {

extern "C" {

/// Cycles with PENABLE of an access: at least the latency, and up to so many more.
struct GbApbTiming {
  std::int64_t read_latency, read_jitter;
  std::int64_t write_latency, write_jitter;
  std::uint64_t seed;
  GbPattern ready;  ///< PREADY while no access waits for it
};

}  // extern "C"

class ApbMemory final : public Transactor {
 public:
  ApbMemory(std::string name, const GbApbNames& names) : Transactor(std::move(name)) {
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
  }

  /// The address space; arrays must outlive the transactor's use.
  void map(const GbAxiRegion* regions, std::int64_t count) { regions_ = all_regions(regions, count); }

  void start(const GbApbTiming& timing, std::int64_t base) {
    if (timing.read_latency < 1 || timing.write_latency < 1) throw std::invalid_argument(name() + ": a latency below 1");
    pattern_ = Ready(timing.ready);
    timing_ = timing;
    timing_.ready.values = nullptr;
    base_ = base;
    count_[0] = count_[1] = 0;
  }

  void reset() override {
    prdata_.set(0);
    pslverr_.set(false);
    base_ = kNever;
    open_ = answers_ = early_ = false;
    log_.clear();
    drive();
  }

  bool sample(std::int64_t cycle) override {
    if (cycle < base_) return idle_.changes();
    // From here on, whatever numbers the clock's edges have.
    base_ = std::numeric_limits<std::int64_t>::min();
    const bool shown = ready();
    early_ = pattern_.next();
    if (answers_ && psel_.get() && penable_.get()) return end(cycle);
    if (!open_ && psel_.get() && !penable_.get()) begin(cycle);
    if (!open_ || left_-- > 0) return shown != ready() || idle_.changes();
    answers_ = true;
    return true;
  }

  void drive() override {
    pready_.set(ready());
    const bool shows = answers_ || (idle_.ahead() && open_);
    if (shows && !log_.back().kind) {
      prdata_.set(held());
    } else {
      idle_.drive(prdata_);
    }
    if (shows) {
      pslverr_.set(log_.back().response != kOkay);
    } else {
      idle_.drive(pslverr_);
    }
  }

  std::string waiting() const override {
    return open_ ? name() + ": an access at " + hex(log_.back().address) + " since cycle " + std::to_string(log_.back().cycle) : "";
  }

  const std::vector<GbAxiAccess>& log() const { return log_; }

 private:
  /// PREADY.
  bool ready() const { return open_ ? answers_ : early_; }

  std::uint64_t bytes() const { return pwdata_.bits() / 8; }

  void begin(std::int64_t cycle) {
    const bool write = pwrite_.get();
    GbAxiAccess row{};
    row.address = paddr_.get() & ~(bytes() - 1);
    row.cycle = cycle;
    row.first = row.last = row.done = -1;
    row.kind = write;
    row.burst = kIncr;
    row.region = find(row.address);
    row.prot = static_cast<std::uint8_t>(pprot_.get());
    const std::string what = (write ? "write at " : "read at ") + hex(row.address);
    if (row.region < 0) {
      row.response = kSlverr;
      violation("mem_bounds", cycle, what + " is outside of every region");
    } else if (const Region& region = regions_[static_cast<std::size_t>(row.region)]; !(write ? region.writable : region.readable)) {
      row.response = kSlverr;
      violation("mem_rights", cycle, what + " is in region " + region.name + ", which is not " + (write ? "writable" : "readable"));
    } else if (const std::uint8_t* const answers = region.answers_to(write); answers && answers[row.address - region.base] != kOkay) {
      row.response = kSlverr;
    }
    log_.push_back(row);
    const std::int64_t most = write ? timing_.write_jitter : timing_.read_jitter;
    left_ = (write ? timing_.write_latency : timing_.read_latency) - 1;
    if (most) left_ += static_cast<std::int64_t>(splitmix64(4 * timing_.seed + write, count_[write]++) % static_cast<std::uint64_t>(most + 1));
    if (pready_.absent()) left_ = 0;
    open_ = true;
  }

  bool end(std::int64_t cycle) {
    GbAxiAccess& row = log_.back();
    row.first = row.last = row.done = cycle;
    if (row.kind && row.response == kOkay) store();
    open_ = answers_ = false;
    return true;
  }

  std::uint8_t* at() const {
    const Region& region = regions_[static_cast<std::size_t>(log_.back().region)];
    return region.data + (log_.back().address - region.base);
  }

  std::uint64_t held() const {
    std::uint64_t value = 0;
    if (log_.back().response == kOkay) std::memcpy(&value, at(), bytes());
    return value;
  }

  void store() const {
    const std::uint64_t value = pwdata_.get();
    for (std::uint64_t lane = 0; lane < bytes(); ++lane) {
      if (pstrb_.absent() || (pstrb_.get() >> lane & 1)) at()[lane] = static_cast<std::uint8_t>(value >> 8 * lane);
    }
  }

  std::int32_t find(std::uint64_t address) const {
    const auto found = std::find_if(regions_.begin(), regions_.end(), [&](const Region& one) { return one.holds(address, bytes()); });
    return found == regions_.end() ? -1 : static_cast<std::int32_t>(found - regions_.begin());
  }

  Bit psel_, penable_, pwrite_, pslverr_;
  Bit pready_{true};
  Field paddr_, pwdata_, pstrb_, pprot_, prdata_;
  std::vector<Region> regions_;
  GbApbTiming timing_{};
  std::int64_t base_ = kNever;
  std::uint64_t count_[2] = {0, 0};  ///< reads and writes so far
  std::int64_t left_ = 0;            ///< wait states of the open access
  bool open_ = false;                ///< an access was set up and has not ended
  bool answers_ = false;             ///< PREADY is high for it
  bool early_ = false;               ///< PREADY is high, if no access is open
  Ready pattern_;
  std::vector<GbAxiAccess> log_;
};

}  // namespace goldbeat

using goldbeat::ApbMemory;
using goldbeat::guarded;
using goldbeat::kernel;
using goldbeat::Transactor;

namespace {

ApbMemory& apb_memory(void* handle) { return *static_cast<ApbMemory*>(static_cast<Transactor*>(handle)); }

}  // namespace

extern "C" {

void* gb_apb_memory(const char* name, const char* clock, const goldbeat::GbApbNames* names) {
  return guarded(
      [&] {
        auto made = std::make_unique<ApbMemory>(name, *names);
        return static_cast<void*>(static_cast<Transactor*>(kernel().add(kernel().clock(clock), std::move(made))));
      },
      static_cast<void*>(nullptr));
}

int gb_apb_memory_map(void* handle, const goldbeat::GbAxiRegion* regions, std::int64_t count) {
  return guarded(
      [&] {
        apb_memory(handle).map(regions, count);
        return 0;
      },
      -1);
}

int gb_apb_memory_start(void* handle, const goldbeat::GbApbTiming* timing, std::int64_t base) {
  return guarded(
      [&] {
        apb_memory(handle).start(*timing, base);
        return 0;
      },
      -1);
}

/// The log so far; valid until time goes on.
std::int64_t gb_apb_memory_log(void* handle, const goldbeat::GbAxiAccess** rows) {
  const auto& log = apb_memory(handle).log();
  *rows = log.data();
  return static_cast<std::int64_t>(log.size());
}

}  // extern "C"
