// SPDX-License-Identifier: Apache-2.0
//
// word_memory.h - memories of words on plain arrays; those behind the masters of the various buses derive from it.
//
// It knows the address space, the log and the latencies. A bus says when an access begins and when it ends.

#pragma once

#include <limits>

#include "axi.h"
#include "pattern.h"
#include "regions.h"

namespace goldbeat {

extern "C" {

/// Cycles from a request to its answer: at least the latency, and up to so many more.
struct GbWordTiming {
  std::int64_t read_latency, read_jitter;
  std::int64_t write_latency, write_jitter;
  std::uint64_t seed;
  GbPattern ready;  ///< whether it is ready, where nothing else says so
};

}  // extern "C"

class WordMemory : public Transactor {
 public:
  using Transactor::Transactor;

  /// The address space; arrays must outlive the transactor's use.
  void map(const GbAxiRegion* regions, std::int64_t count) { regions_ = all_regions(regions, count); }
  void start(const GbWordTiming& timing, std::int64_t base);
  /// Every access since the last reset, in order.
  const std::vector<GbAxiAccess>& log() const { return log_; }

  void reset() final;
  bool sample(std::int64_t cycle) final;

 protected:
  /// Drop all accesses and write the ports that drive() does not.
  virtual void forget() = 0;
  /// An edge at which it works. True asks for drive().
  virtual bool edge(std::int64_t cycle) = 0;

  /// An access of the whole word at a byte address has begun: its row in the log.
  std::size_t begin(std::int64_t cycle, bool write, std::uint64_t address, std::uint64_t prot = 0);
  /// Its answer is taken at this edge.
  void end(std::size_t row, std::int64_t cycle) { log_[row].first = log_[row].last = log_[row].done = cycle; }
  /// The latest access has never been.
  void withdraw() { log_.pop_back(); }
  /// Cycles from its request to its answer; drawn once for each access.
  std::int64_t latency(bool write);
  /// A number below `below` for the `index`-th access that asks.
  std::uint64_t draw(std::uint64_t below) { return splitmix64(timing_.seed + 2, drawn_++) % below; }

  bool refused(std::size_t row) const { return log_[row].response != kOkay; }
  std::uint64_t held(std::size_t row) const;
  /// The same as a read of these lanes shows it; the others are anything.
  std::uint64_t shown(std::size_t row, std::uint64_t lanes) const;
  void store(std::size_t row, std::uint64_t value, std::uint64_t strobe) const;
  std::string open_text(std::size_t row) const;

  std::uint64_t bytes_ = 4;  ///< of a word
  bool one_error_ = true;    ///< the bus has one error for all refusals
  Ready pattern_;
  GbWordTiming timing_{};
  std::vector<GbAxiAccess> log_;

 private:
  std::int32_t find(std::uint64_t address) const;
  std::uint8_t* at(std::size_t row) const;

  std::vector<Region> regions_;
  std::int64_t base_ = kNever;
  std::uint64_t count_[2] = {0, 0};  ///< reads and writes so far
  std::uint64_t drawn_ = 0;
};

}  // namespace goldbeat
