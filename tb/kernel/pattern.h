// SPDX-License-Identifier: Apache-2.0
//
// pattern.h - ready patterns, value for value those of pymodels/pattern.py.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace goldbeat {

extern "C" {

/// A ready pattern, as goldbeat.pymodels.pattern.Pattern describes it.
struct GbPattern {
  int kind;                       ///< 0 none, 1 random, 2 bursty, 3 worst, 4 array, 5 after-valid
  std::uint64_t seed;
  std::uint64_t threshold;        ///< random: busy where the hash is below it
  std::uint64_t burst;            ///< bursty: longest run; after-valid: largest distance
  std::uint64_t stall;            ///< worst: cycles away at first
  std::uint64_t period;           ///< worst: then one beat every so many cycles
  const std::uint8_t* values;     ///< array: copied
  std::int64_t count;
};

}  // extern "C"

/// The `index`-th value, counted from 0, of the splitmix64 sequence of `seed`.
inline std::uint64_t splitmix64(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// The values of a pattern one after the other, made a block at a time.
class Ready {
 public:
  Ready() = default;
  explicit Ready(const GbPattern& pattern)
      : pattern_(pattern), values_(pattern.values, pattern.values + (pattern.values ? pattern.count : 0)) {
    pattern_.values = nullptr;
    if (pattern.kind == kArray && values_.empty()) throw std::invalid_argument("an array pattern needs values");
    if ((pattern.kind == kBursty || pattern.kind == kAfterValid) && pattern.burst == 0) {
      throw std::invalid_argument("burst length 0");
    }
    if (pattern.kind == kWorst && pattern.period == 0) throw std::invalid_argument("a worst pattern of period 0");
  }

  bool always() const { return pattern_.kind == kNone; }
  /// after-valid: next() needs to know what stands.
  bool waits() const { return pattern_.kind == kAfterValid; }

  /// Whether the channel is ready in the next cycle. `stands`: in this cycle something is offered that could be taken, and is not.
  bool next(bool stands = false) {
    if (pattern_.kind == kNone) return true;
    if (pattern_.kind == kAfterValid) return after_valid(stands);
    if (at_ == kBlock) fill();
    return block_[at_++];
  }

 private:
  enum Kind { kNone, kRandom, kBursty, kWorst, kArray, kAfterValid };
  static constexpr std::size_t kBlock = 4096;

  /// Ready once it has stood for a beat's distance, until it is taken.
  bool after_valid(bool stands) {
    if (!stands) {
      run_ += stood_ != 0;
      stood_ = 0;
      return false;
    }
    return ++stood_ > splitmix64(pattern_.seed, run_) % pattern_.burst;
  }

  void fill() {
    for (std::size_t i = 0; i < kBlock; ++i) block_[i] = value(cycle_ + i);
    cycle_ += kBlock;
    at_ = 0;
  }

  bool value(std::uint64_t cycle) {
    switch (pattern_.kind) {
      case kRandom: return splitmix64(pattern_.seed, cycle) >= pattern_.threshold;
      case kBursty:
        if (left_ == 0) left_ = 1 + splitmix64(pattern_.seed, run_++) % pattern_.burst;
        --left_;
        return run_ % 2 == 1;
      case kWorst: return cycle >= pattern_.stall && cycle % pattern_.period == 0;
      case kArray: return values_[cycle % values_.size()] != 0;
      default: return true;
    }
  }

  GbPattern pattern_{};
  std::vector<std::uint8_t> values_;
  std::uint64_t cycle_ = 0;
  std::uint64_t run_ = 0;  ///< bursty: of runs; after-valid: of beats
  std::uint64_t stood_ = 0;
  std::uint64_t left_ = 0;
  std::size_t at_ = kBlock;
  std::array<bool, kBlock> block_{};
};

}  // namespace goldbeat
