// SPDX-License-Identifier: Apache-2.0
//
// idle.h - what the signals of a channel carry while its valid is low.
//
// Every protocol leaves them undefined then. By default they change to random values in every such cycle, so that a reader
// that ignores valid, or samples a cycle late, takes a wrong value.

#pragma once

#include <cstdint>

#include "pattern.h"

namespace goldbeat {

/// By number those of goldbeat.pymodels.payload.
enum class IdlePolicy : int { kRandom, kHold, kZeros, kOnes, kNext };

/// Draws the values of one transactor's idle channels, from a seed of their own: no other draw depends on them.
class IdlePayload {
 public:
  IdlePayload() = default;
  IdlePayload(IdlePolicy policy, std::uint64_t seed) : policy_(policy), seed_(seed) {}

  /// There may be something to drive in every cycle without valid.
  bool changes() const { return policy_ == IdlePolicy::kRandom || policy_ == IdlePolicy::kNext; }
  /// The same for a master without a program, whose signals change less often: it may share a clock with streams at full speed.
  bool changes_at(std::int64_t cycle) const { return changes() && cycle % kRest == 0; }
  /// What nobody asked for is anything.
  bool random() const { return policy_ == IdlePolicy::kRandom; }
  /// The transfer that comes next is shown before its valid rises.
  bool ahead() const { return policy_ == IdlePolicy::kNext; }

  /// The same for a bus whose address says what an access reaches: in half of the cycles it stays as it was.
  template <typename Address, typename... Signals>
  void drive_near(Address& address, Signals&... signals) {
    if (policy_ == IdlePolicy::kRandom && splitmix64(seed_, drawn_++) & 1) {
      drive(signals...);
    } else {
      drive(address, signals...);
    }
  }

  /// The signals of a channel whose valid is low in the coming cycle.
  template <typename... Signals>
  void drive(Signals&... signals) {
    if (policy_ == IdlePolicy::kHold || policy_ == IdlePolicy::kNext) return;
    const auto word = [this] {
      if (policy_ == IdlePolicy::kRandom) return splitmix64(seed_, drawn_++);
      return policy_ == IdlePolicy::kOnes ? ~std::uint64_t{0} : std::uint64_t{0};
    };
    (signals.fill(word), ...);
  }

 private:
  static constexpr std::int64_t kRest = 8;

  IdlePolicy policy_ = IdlePolicy::kRandom;
  std::uint64_t seed_ = 0;
  std::uint64_t drawn_ = 0;
};

}  // namespace goldbeat
