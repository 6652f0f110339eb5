// SPDX-License-Identifier: Apache-2.0
//
// registers.cpp - register programs, whatever the bus.

#include "registers.h"

#include <algorithm>

#include "axi.h"

namespace goldbeat {

void RegisterMaster::reset() {
  steps_ = nullptr;
  results_ = nullptr;
  count_ = next_ = 0;
  due_ = kNever;
  joined_ = 0;
  open_.clear();
  running_ = stuck_ = false;
  idle();
}

void RegisterMaster::behave(const GbRegisterTraffic& traffic) {
  if (running_) throw std::logic_error(name() + ": a program is running");
  accept(traffic);
  traffic_ = traffic;
  drawn_ = 0;
  idle();
}

void RegisterMaster::run(const GbStep* steps, GbStepResult* results, std::int64_t count) {
  if (running_) throw std::logic_error(name() + ": a program is running");
  for (std::int64_t i = 0; i < count; ++i) {
    if (steps[i].op <= kPoll) allow(steps[i]);
    if (steps[i].op == kWaitFor) kernel().need(steps[i].port, false);
  }
  steps_ = steps;
  results_ = results;
  count_ = count;
  next_ = 0;
  moved_ = 0;
  look_ = kNever;
  running_ = count != 0;
  if (count == 0) wake();
}

bool RegisterMaster::sample(std::int64_t cycle) {
  if (!running_) return idle_.changes_at(cycle);
  bool moved = edge(cycle);
  if (cycle + 1 >= look_ && !stuck_) {
    look_ = kNever;
    begin(open_[0].step, steps_[open_[0].step], cycle + 1);
    moved = true;
  }
  if (!stuck_ && !open_.empty()) {
    if (steps_[open_[0].step].op >= kWait) wait(cycle);
    give_up(cycle);
  }
  while (running_ && !stuck_ && may_begin(cycle)) start(cycle);
  return offer(cycle + 1) || moved || idle_.changes();
}

std::string RegisterMaster::waiting() const {
  if (!running_) return {};
  if (open_.empty()) return name() + ": waits, step " + std::to_string(next_) + " of " + std::to_string(count_);
  const bool waits = steps_[open_[0].step].op >= kWait;
  std::string text = name() + ": " + (waits ? "waits" : missing()) + " since cycle " + std::to_string(open_[0].first) + ", step " +
                     std::to_string(open_[0].step) + " of " + std::to_string(count_);
  if (open_.size() > 1) text += ", " + std::to_string(open_.size()) + " accesses outstanding";
  return text;
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

/// The next step may begin behind edge `cycle`.
bool RegisterMaster::may_begin(std::int64_t cycle) {
  if (next_ == count_) return false;
  if (joined_ > 0) return true;
  const GbStep& step = steps_[next_];
  if (!open_.empty()) {
    if (static_cast<std::int64_t>(open_.size()) >= traffic_.outstanding) return false;
    if (step.op >= kPoll || steps_[open_[0].step].op >= kPoll || meets(step)) return false;
  }
  if (traffic_.gap == 0 || step.op >= kWait) return true;
  if (due_ == kNever) due_ = cycle + static_cast<std::int64_t>(draw(static_cast<std::uint64_t>(traffic_.gap) + 1));
  return cycle >= due_;
}

bool RegisterMaster::clashes(const GbStep& later, const GbStep& open) const {
  if (writes(later) == writes(open)) return false;
  const GbStep& write = writes(later) ? later : open;
  const GbStep& read = writes(later) ? open : later;
  if (read.op != kRead) return true;
  for (unsigned byte = 0; byte < 8; ++byte) {
    if ((write.strobe >> byte & 1) != 0 && (read.mask >> 8 * byte & 0xFF) != 0) return true;
  }
  return false;
}

/// The step has to wait for an open access of its word.
bool RegisterMaster::meets(const GbStep& step) const {
  for (const Open& open : open_) {
    const GbStep& other = steps_[open.step];
    if (step.address / word_ == other.address / word_ && clashes(step, other)) return true;
  }
  return false;
}

/// Begin the next step behind edge `cycle`.
void RegisterMaster::start(std::int64_t cycle) {
  const GbStep& step = steps_[next_];
  due_ = kNever;
  if (joined_ > 0) --joined_;
  open_.push_back({next_, cycle + 1});
  if (step.op == kWaitFor) watched_ = Field(kernel().need(step.port, false));
  if (step.op <= kPoll) begin(next_, step, cycle + 1);
  ++next_;
}

void RegisterMaster::answer(std::int64_t cycle, std::int64_t index, std::uint64_t response, std::uint64_t value,
                            std::uint64_t forms) {
  if (stuck_) return;
  ++kernel().served;
  results_[index].forms |= forms;
  std::size_t at = 0;
  while (open_[at].step != index) ++at;
  const GbStep& step = steps_[index];
  const bool equal = (value & step.mask) == (step.value & step.mask);
  if (step.op == kPoll && !equal && cycle + 1 - open_[at].first < step.cycles) {
    if (traffic_.rest == 0) {
      begin(index, step, cycle + 1);
    } else {
      look_ = cycle + 1 + traffic_.rest;
    }
    return;
  }
  const bool judged = step.op == kCheck || step.op == kPoll;
  end(at, cycle, !judged || equal ? kDone : step.op == kCheck ? kDiffers : kTimeout, response, value);
}

/// The only open step is a wait.
void RegisterMaster::wait(std::int64_t cycle) {
  const GbStep& step = steps_[open_[0].step];
  if (step.op == kWait) {
    if (cycle + 1 - open_[0].first >= step.cycles) end(0, cycle, kDone, 0, 0);
    return;
  }
  const std::uint64_t value = watched_.get();
  if ((value & step.mask) == (step.value & step.mask)) end(0, cycle, kDone, 0, value);
}

/// After too many cycles: what is offered stays, as the protocols demand, but no answer counts any more.
void RegisterMaster::give_up(std::int64_t cycle) {
  if (served_ != kernel().served) {
    served_ = kernel().served;
    moved_ = cycle;
  }
  for (const Open& open : open_) {
    const GbStep& step = steps_[open.step];
    // While others are served it may be waiting for its turn; who gives less time knows how long that takes.
    const bool patient = step.op < kPoll && step.cycles >= kLong;
    if (cycle + 1 - (patient ? std::max(open.first, moved_) : open.first) < step.cycles) continue;
    results_[open_[0].step] = {kTimeout, 0, 0, open_[0].first, cycle, 0};
    stuck_ = true;
    wake();
    return;
  }
}

void RegisterMaster::end(std::size_t open, std::int64_t cycle, Status status, std::uint64_t response, std::uint64_t value) {
  GbStepResult& result = results_[open_[open].step];
  result = {status, static_cast<int>(response), value, open_[open].first, cycle, result.forms};
  open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(open));
  if (status != kTimeout && (next_ < count_ || !open_.empty())) return;
  running_ = false;
  wake();
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

int gb_registers_behave(void* handle, const goldbeat::GbRegisterTraffic* traffic) {
  return goldbeat::guarded(
      [&] {
        master(handle).behave(*traffic);
        goldbeat::kernel().touch();
        return 0;
      },
      -1);
}

/// The first step that has not ended.
std::int64_t gb_registers_done(void* handle) { return master(handle).done(); }

int gb_registers_busy(void* handle) { return master(handle).busy(); }

}  // extern "C"
