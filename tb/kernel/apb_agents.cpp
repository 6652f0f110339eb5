// SPDX-License-Identifier: Apache-2.0
//
// apb_agents.cpp - APB agents that work edge for edge as cocotbext-axi's ApbMaster and ApbRam.

#include <cstring>
#include <deque>

#include "pauses.h"

extern "C" {

struct GbApbSignals {
  const char* clock;
  goldbeat::GbSignal addr, sel, enable, write, wdata, strb, ready, rdata, prot, error;
};

/// An access of any number of bytes.
struct GbApbCommand {
  std::uint64_t address;
  const std::uint8_t* data;  ///< null: a read
  std::int64_t bytes;
  std::uint64_t prot;
};

}  // extern "C"

namespace {

using goldbeat::Agent;
using goldbeat::Bit;
using goldbeat::Field;
using goldbeat::Pausable;

/// Events that Python may listen for.
enum ApbEvent : std::uint32_t { kAccessDone = 1 };

struct ApbAgentSignals {
  explicit ApbAgentSignals(const GbApbSignals& names)
      : sel(bit_of(names.sel)),
        enable(bit_of(names.enable)),
        write(bit_of(names.write)),
        ready(bit_of(names.ready)),
        error(bit_of(names.error)),
        addr(field_of(names.addr)),
        wdata(field_of(names.wdata)),
        strb(field_of(names.strb)),
        rdata(field_of(names.rdata)),
        prot(field_of(names.prot)),
        lanes(wdata.bits() / 8) {}

  bool failed() const { return !error.absent() && error.get(); }

  Bit sel, enable, write, ready, error;
  Field addr, wdata, strb, rdata, prot;
  std::uint64_t lanes;
};

struct ApbAccess {
  std::uint64_t address, prot;
  bool write;
  std::uint64_t bytes;
  std::vector<std::uint8_t> data;
  bool failed = false;
};

class ApbMasterAgent final : public Pausable {
 public:
  explicit ApbMasterAgent(const GbApbSignals& names) : at_(names) {}

  void send(const GbApbCommand& command) {
    ApbAccess made{command.address, command.prot, command.data != nullptr, static_cast<std::uint64_t>(command.bytes), {}};
    if (made.write) made.data.assign(command.data, command.data + command.bytes);
    queue_.push_back(std::move(made));
    wake();
  }

  void drop() { queue_.clear(); }

  void run() override {
    while (step()) {
    }
  }

  void write() override {
    at_.sel.set(sel_);
    at_.enable.set(enable_);
    if (!offered_) return;
    offered_ = false;
    at_.addr.set(address_);
    at_.prot.set(now_.prot);
    at_.write.set(now_.write);
    at_.wdata.set(data_);
    at_.strb.set(strobe_);
  }

  std::int64_t begun = 0;
  std::deque<ApbAccess> done;

 private:
  enum class Step { kStart, kFetch, kWoken, kBegin, kOffer, kEnable, kAccess };

  void restart() override {
    step_ = Step::kStart;
    sel_ = enable_ = offered_ = false;
  }

  bool wait(Step then) {
    step_ = then;
    await_edge();
    return false;
  }

  bool step() {
    switch (step_) {
      case Step::kStart:
        return wait(Step::kFetch);
      case Step::kFetch:
        step_ = queue_.empty() ? Step::kWoken : Step::kBegin;
        if (queue_.empty()) {
          sleep();
          return false;
        }
        return true;
      case Step::kWoken:
        return wait(Step::kBegin);
      case Step::kBegin:
        begin();
        return true;
      case Step::kOffer:
        if (pause_) return wait(Step::kOffer);
        offer();
        return wait(Step::kEnable);
      case Step::kEnable:
        enable_ = true;
        want_write();
        return wait(Step::kAccess);
      case Step::kAccess:
        if (!at_.ready.get()) return wait(Step::kAccess);
        take();
        return true;
    }
    return false;
  }

  void begin() {
    now_ = std::move(queue_.front());
    queue_.pop_front();
    ++begun;
    moved();
    beats_ = (now_.bytes + now_.address % at_.lanes + at_.lanes - 1) / at_.lanes;
    beat_ = place_ = 0;
    read_.clear();
    next();
  }

  void next() {
    step_ = Step::kOffer;
    if (beat_ < beats_) return;
    now_.data = read_;
    done.push_back(std::move(now_));
    note(kAccessDone);
    step_ = Step::kFetch;
  }

  std::uint64_t first() const { return beat_ == 0 ? now_.address % at_.lanes : 0; }
  std::uint64_t last() const {
    return beat_ == beats_ - 1 ? (now_.address + now_.bytes - 1) % at_.lanes + 1 : at_.lanes;
  }

  void offer() {
    data_ = strobe_ = 0;
    for (std::uint64_t lane = first(); now_.write && lane < last(); ++lane) {
      data_ |= std::uint64_t{now_.data[place_++]} << lane * 8;
      strobe_ |= 1ULL << lane;
    }
    address_ = beat_ == 0 ? now_.address : now_.address / at_.lanes * at_.lanes + beat_ * at_.lanes;
    offered_ = sel_ = true;
    want_write();
  }

  void take() {
    moved();
    const std::uint64_t data = at_.rdata.get();
    now_.failed |= at_.failed();
    for (std::uint64_t lane = first(); lane < last(); ++lane) read_.push_back(static_cast<std::uint8_t>(data >> lane * 8));
    sel_ = enable_ = false;
    want_write();
    ++beat_;
    next();
  }

  ApbAgentSignals at_;
  std::deque<ApbAccess> queue_;
  ApbAccess now_{};
  Step step_ = Step::kStart;
  std::uint64_t beats_ = 0, beat_ = 0, place_ = 0;
  std::uint64_t address_ = 0, data_ = 0, strobe_ = 0;
  bool sel_ = false, enable_ = false, offered_ = false;
  std::vector<std::uint8_t> read_;
};

/// A slave that asks Python's memory.
class ApbRamAgent final : public Pausable {
 public:
  /// Reads into `data`, or writes the bytes of it whose strobe is set. False where that fails.
  using Access = int (*)(std::uint64_t address, int write, std::uint64_t prot, std::uint64_t* data, std::uint64_t strobe);

  ApbRamAgent(const GbApbSignals& names, Access access) : at_(names), access_(access) {}

  void run() override {
    switch (step_) {
      case Step::kStart:
        ready_ = false;
        want_write();
        step_ = Step::kWatch;
        break;
      case Step::kWatch:
        if (pause_ || !at_.sel.get() || !at_.enable.get()) break;
        access();
        step_ = Step::kAnswer;
        break;
      case Step::kAnswer:
        ready_ = true;
        want_write();
        step_ = Step::kEnd;
        break;
      case Step::kEnd:
        ready_ = failed_ = false;
        want_write();
        step_ = Step::kWatch;
        break;
    }
    await_edge();
  }

  void write() override {
    at_.ready.set(ready_);
    at_.error.set(ready_ && failed_);
    if (read_) at_.rdata.set(data_);
    read_ = false;
  }

 private:
  enum class Step { kStart, kWatch, kAnswer, kEnd };

  void restart() override { step_ = Step::kStart; }

  void access() {
    moved();
    const std::uint64_t address = at_.addr.get() / at_.lanes * at_.lanes;
    read_ = !at_.write.get();
    std::uint64_t data = read_ ? 0 : at_.wdata.get();
    // Python may begin something that must not wait.
    note(kAccessDone);
    const std::uint64_t strobe = at_.strb.absent() ? (1ULL << at_.lanes) - 1 : at_.strb.get();
    failed_ = access_(address, !read_, at_.prot.get(), &data, strobe) == 0;
    if (read_) {
      data_ = data;
      want_write();
    }
  }

  ApbAgentSignals at_;
  Access access_;
  Step step_ = Step::kStart;
  bool ready_ = false, failed_ = false, read_ = false;
  std::uint64_t data_ = 0;
};

ApbMasterAgent* apb_master(void* agent) { return static_cast<ApbMasterAgent*>(static_cast<Agent*>(agent)); }

}  // namespace

extern "C" {

void* gb_apb_agent_master(const GbApbSignals* names) {
  return goldbeat::made_agent(names->clock, [&] { return std::make_unique<ApbMasterAgent>(*names); });
}
void* gb_apb_agent_ram(const GbApbSignals* names, ApbRamAgent::Access access) {
  return goldbeat::made_agent(names->clock, [&] { return std::make_unique<ApbRamAgent>(*names, access); });
}

void gb_apb_agent_send(void* agent, const GbApbCommand* command) { apb_master(agent)->send(*command); }
void gb_apb_agent_drop(void* agent) { apb_master(agent)->drop(); }
std::int64_t gb_apb_agent_begun(void* agent) { return apb_master(agent)->begun; }

/// Bytes of the oldest access that has ended, -1 where there is none.
std::int64_t gb_apb_agent_ended(void* agent) {
  const auto& done = apb_master(agent)->done;
  return done.empty() ? -1 : static_cast<std::int64_t>(done.front().data.size());
}
/// What it has read; 1 where it has failed.
int gb_apb_agent_result(void* agent, std::uint8_t* into) {
  auto& done = apb_master(agent)->done;
  const ApbAccess result = std::move(done.front());
  done.pop_front();
  std::memcpy(into, result.data.data(), result.data.size());
  return result.failed;
}

}  // extern "C"
