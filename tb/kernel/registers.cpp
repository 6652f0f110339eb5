// SPDX-License-Identifier: Apache-2.0
//
// registers.cpp - register programs, whatever the bus.

#include "registers.h"

#include "axi.h"

namespace goldbeat {

void RegisterMaster::reset() {
  idle();
  steps_ = nullptr;
  results_ = nullptr;
  count_ = at_ = 0;
  state_ = State::kIdle;
  stuck_ = false;
}

void RegisterMaster::run(const GbStep* steps, GbStepResult* results, std::int64_t count) {
  if (state_ != State::kIdle) throw std::logic_error(name() + ": a program is running");
  for (std::int64_t i = 0; i < count; ++i) {
    if (steps[i].op <= kPoll) allow(steps[i]);
    if (steps[i].op == kWaitFor) kernel().need(steps[i].port, false);
  }
  steps_ = steps;
  results_ = results;
  count_ = count;
  at_ = 0;
  state_ = count ? State::kNext : State::kIdle;
  if (count == 0) wake();
}

bool RegisterMaster::sample(std::int64_t cycle) {
  switch (state_) {
    case State::kIdle: return false;
    case State::kNext: next(cycle); return true;
    case State::kAccess: return access(cycle);
    case State::kWait: return wait(cycle);
  }
  return false;
}

std::string RegisterMaster::waiting() const {
  if (state_ == State::kIdle) return {};
  return name() + ": " + (state_ == State::kAccess ? missing() : "waits") + " since cycle " + std::to_string(first_) +
         ", step " + std::to_string(at_) + " of " + std::to_string(count_);
}

void RegisterMaster::allow_fitting(const GbStep& step, std::uint64_t addresses, const Field& data) const {
  if (step.address & ~addresses) throw std::invalid_argument(name() + ": no address " + hex(step.address));
  if (writes(step) && (step.value & ~data.mask())) {
    throw std::invalid_argument(name() + ": " + hex(step.value) + " does not fit in " + std::to_string(data.bits()) + " bits");
  }
}

void RegisterMaster::allow_whole(const GbStep& step, const Field& data) const {
  const std::uint64_t lanes = (1ULL << ((data.bits() + 7) / 8)) - 1;
  if (writes(step) && (~step.strobe & lanes)) throw std::invalid_argument(name() + ": no strobes, words are written whole");
}

/// Begin step at_ behind edge `cycle`.
void RegisterMaster::next(std::int64_t cycle) {
  const GbStep& step = steps_[at_];
  first_ = cycle + 1;
  if (step.op == kWaitFor) watched_ = Field(kernel().need(step.port, false));
  state_ = step.op <= kPoll ? State::kAccess : State::kWait;
  if (state_ == State::kAccess) begin(step);
}

bool RegisterMaster::access(std::int64_t cycle) {
  Answer answer;
  const bool moved = edge(answer);
  if (stuck_) return moved;
  if (!answer.here) return late(cycle) || moved;
  const GbStep& step = steps_[at_];
  const bool equal = (answer.value & step.mask) == (step.value & step.mask);
  if (step.op == kPoll && !equal && cycle + 1 - first_ < step.cycles) {
    begin(step);
    return true;
  }
  const bool judged = step.op == kCheck || step.op == kPoll;
  const Status status = !judged || equal ? kDone : step.op == kCheck ? kDiffers : kTimeout;
  return end(cycle, status, answer.response, answer.value) || moved;
}

bool RegisterMaster::wait(std::int64_t cycle) {
  if (stuck_) return false;
  const GbStep& step = steps_[at_];
  if (step.op == kWait) return cycle + 1 - first_ >= step.cycles && end(cycle, kDone, 0, 0);
  const std::uint64_t value = watched_.get();
  if ((value & step.mask) == (step.value & step.mask)) return end(cycle, kDone, 0, value);
  return late(cycle);
}

/// Give up after too many cycles: what is offered stays, as the protocols demand, but no answer counts any more.
bool RegisterMaster::late(std::int64_t cycle) {
  if (cycle + 1 - first_ < steps_[at_].cycles) return false;
  results_[at_] = {kTimeout, 0, 0, first_, cycle};
  stuck_ = true;
  wake();
  return false;
}

bool RegisterMaster::end(std::int64_t cycle, Status status, std::uint64_t response, std::uint64_t value) {
  results_[at_] = {status, static_cast<int>(response), value, first_, cycle};
  if (++at_ < count_ && status != kTimeout) {
    next(cycle);
    return true;
  }
  state_ = State::kIdle;
  wake();
  return false;
}

}  // namespace goldbeat

using goldbeat::RegisterMaster;

namespace {

RegisterMaster& master(void* handle) { return *static_cast<RegisterMaster*>(static_cast<goldbeat::Transactor*>(handle)); }

}  // namespace

extern "C" {

int gb_registers_run(void* handle, const goldbeat::GbStep* steps, goldbeat::GbStepResult* results, std::int64_t count) {
  return goldbeat::guarded(
      [&] {
        master(handle).run(steps, results, count);
        return 0;
      },
      -1);
}

/// Steps that have ended.
std::int64_t gb_registers_done(void* handle) { return master(handle).done(); }

int gb_registers_busy(void* handle) { return master(handle).busy(); }

}  // extern "C"
