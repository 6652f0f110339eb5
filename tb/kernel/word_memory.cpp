// SPDX-License-Identifier: Apache-2.0
//
// word_memory.cpp - the address space, the log and the latencies of memories of words, whatever the bus.

#include "word_memory.h"

#include <algorithm>
#include <cstring>

namespace goldbeat {

void WordMemory::start(const GbWordTiming& timing, std::int64_t base) {
  if (timing.read_latency < 1 || timing.write_latency < 1) throw std::invalid_argument(name() + ": a latency below 1");
  pattern_ = Ready(timing.ready);
  timing_ = timing;
  timing_.ready.values = nullptr;
  base_ = base;
  count_[0] = count_[1] = drawn_ = 0;
}

void WordMemory::reset() {
  base_ = kNever;
  log_.clear();
  forget();
  drive();
}

bool WordMemory::sample(std::int64_t cycle) {
  if (cycle < base_) return idle_.changes();
  // From here on, whatever numbers the clock's edges have.
  base_ = std::numeric_limits<std::int64_t>::min();
  return edge(cycle) || idle_.changes();
}

std::size_t WordMemory::begin(std::int64_t cycle, bool write, std::uint64_t address, std::uint64_t prot) {
  GbAxiAccess row{};
  row.address = address & ~(bytes_ - 1);
  row.cycle = cycle;
  row.first = row.last = row.done = -1;
  row.kind = write;
  row.burst = kIncr;
  while ((1ULL << row.size) < bytes_) ++row.size;
  row.region = find(row.address);
  row.prot = static_cast<std::uint8_t>(prot);
  const std::string what = (write ? "write at " : "read at ") + hex(row.address);
  if (row.region < 0) {
    row.response = kDecerr;
    violation("mem_bounds", cycle, what + " is outside of every region");
  } else if (const Region& region = regions_[static_cast<std::size_t>(row.region)]; !(write ? region.writable : region.readable)) {
    row.response = kSlverr;
    violation("mem_rights", cycle, what + " is in region " + region.name + ", which is not " + (write ? "writable" : "readable"));
  } else if (const std::uint8_t* const answers = region.answers_to(write)) {
    row.response = answers[row.address - region.base];
  }
  if (one_error_ && row.response != kOkay) row.response = kSlverr;
  log_.push_back(row);
  return log_.size() - 1;
}

std::int64_t WordMemory::latency(bool write) {
  const std::int64_t most = write ? timing_.write_jitter : timing_.read_jitter;
  const std::int64_t least = write ? timing_.write_latency : timing_.read_latency;
  if (!most) return least;
  return least + static_cast<std::int64_t>(splitmix64(4 * timing_.seed + write, count_[write]++) % static_cast<std::uint64_t>(most + 1));
}

std::uint64_t WordMemory::held(std::size_t row) const {
  std::uint64_t value = 0;
  if (!refused(row)) std::memcpy(&value, at(row), bytes_);
  return value;
}

std::uint64_t WordMemory::shown(std::size_t row, std::uint64_t lanes) const {
  std::uint64_t value = held(row);
  if (refused(row) || !idle_.random()) return value;
  const std::uint64_t other = splitmix64(timing_.seed + 3, row);
  for (std::uint64_t lane = 0; lane < bytes_; ++lane) {
    const std::uint64_t mask = 0xFFULL << 8 * lane;
    if (!(lanes >> lane & 1)) value = (value & ~mask) | (other & mask);
  }
  return value;
}

void WordMemory::store(std::size_t row, std::uint64_t value, std::uint64_t strobe) const {
  if (refused(row)) return;
  for (std::uint64_t lane = 0; lane < bytes_; ++lane) {
    if (strobe >> lane & 1) at(row)[lane] = static_cast<std::uint8_t>(value >> 8 * lane);
  }
}

std::string WordMemory::open_text(std::size_t row) const {
  return name() + ": an access at " + hex(log_[row].address) + " since cycle " + std::to_string(log_[row].cycle);
}

std::uint8_t* WordMemory::at(std::size_t row) const {
  const Region& region = regions_[static_cast<std::size_t>(log_[row].region)];
  return region.data + (log_[row].address - region.base);
}

std::int32_t WordMemory::find(std::uint64_t address) const {
  const auto found = std::find_if(regions_.begin(), regions_.end(), [&](const Region& one) { return one.holds(address, bytes_); });
  return found == regions_.end() ? -1 : static_cast<std::int32_t>(found - regions_.begin());
}

}  // namespace goldbeat

using goldbeat::guarded;
using goldbeat::WordMemory;

namespace {

WordMemory& word_memory(void* handle) { return *static_cast<WordMemory*>(static_cast<goldbeat::Transactor*>(handle)); }

}  // namespace

extern "C" {

int gb_word_memory_map(void* handle, const goldbeat::GbAxiRegion* regions, std::int64_t count) {
  return guarded(
      [&] {
        word_memory(handle).map(regions, count);
        return 0;
      },
      -1);
}

int gb_word_memory_start(void* handle, const goldbeat::GbWordTiming* timing, std::int64_t base) {
  return guarded(
      [&] {
        word_memory(handle).start(*timing, base);
        return 0;
      },
      -1);
}

/// The log so far; valid until time goes on.
std::int64_t gb_word_memory_log(void* handle, const goldbeat::GbAxiAccess** rows) {
  const auto& log = word_memory(handle).log();
  *rows = log.data();
  return static_cast<std::int64_t>(log.size());
}

}  // extern "C"
