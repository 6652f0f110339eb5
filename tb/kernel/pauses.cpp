// SPDX-License-Identifier: Apache-2.0
//
// pauses.cpp - see pauses.h.

#include "pauses.h"

namespace {

using goldbeat::Agent;
using goldbeat::Pausable;
using goldbeat::watches;

/// Sets a pause anew at every edge, from a generator of Python that gives `count` values at a time.
class Pauses final : public Agent {
 public:
  using More = std::int64_t (*)(void* pauses, std::uint8_t* values, std::int64_t most);

  Pauses(Pausable& target, More more) : target_(target), more_(more) {}

  void run() override {
    if (place_ == values_.size() && !refill()) {
      stop();
      return;
    }
    target_.set_pause(values_[place_++] != 0);
    await_edge();
  }

 private:
  static constexpr std::size_t kMost = 1024;

  void restart() override {}

  bool refill() {
    values_.resize(kMost);
    values_.resize(static_cast<std::size_t>(more_(this, values_.data(), kMost)));
    place_ = 0;
    return !values_.empty();
  }

  Pausable& target_;
  More more_;
  std::vector<std::uint8_t> values_;
  std::size_t place_ = 0;
};

Pausable* pausable(void* target) { return static_cast<Pausable*>(static_cast<Agent*>(target)); }

}  // namespace

extern "C" {

/// `target` is an agent that may be paused.
void* gb_pauses(void* target, Pauses::More more) {
  Pausable* found = pausable(target);
  auto agent = std::make_unique<Pauses>(*found, more);
  agent->line = found->line;
  return static_cast<Agent*>(watches().add(std::move(agent)));
}

void gb_set_pause(void* target, int value) { pausable(target)->set_pause(value != 0); }
int gb_pause(void* target) { return pausable(target)->pause(); }

}  // extern "C"
