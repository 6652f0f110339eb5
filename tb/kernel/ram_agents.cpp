// SPDX-License-Identifier: Apache-2.0
//
// ram_agents.cpp - the processes of cocotbext-axi's slaves and memories of AXI and AXI-Lite. An AXI-Lite access is a burst of one beat.
//
// The memory stays Python's. Pages of a SparseMemory are written and read here; Python is asked for their addresses once, and for
// every access to any other memory, which may take time.

#include <algorithm>
#include <unordered_map>

#include "access_agents.h"

extern "C" {

struct GbRam {
  const char* clock;
  GbEnd address, data, answer;  ///< answer: of writes
  std::uint64_t lanes, size;  ///< size: 0 where addresses go to Python as they are
  /// Reads or writes bytes: an Access.
  std::int32_t (*access)(std::uint64_t address, int write, std::uint8_t* data, std::int64_t count);
  /// The address of a page; null: not there. A write makes it. Null for a memory without pages.
  std::uint8_t* (*page)(std::uint64_t address, int write);
  /// Changes when Python adds or removes pages.
  const std::int64_t* changes;
};

}  // extern "C"

namespace {

using namespace goldbeat;

/// How an access to Python's memory has ended.
enum Access : std::int32_t { kAccessFailed, kAccessDone, kAccessPending };

/// Python's memory.
class RamMemory {
 public:
  explicit RamMemory(const GbRam& ram) : ram_(ram) {}

  /// Python is asked.
  bool asks(std::uint64_t address, std::uint64_t count) const {
    return ram_.page == nullptr || address % ram_.size + count > ram_.size;
  }

  /// From here on Python is asked for every access.
  void ask_always() {
    ram_.page = nullptr;
    ram_.size = 0;
  }

  std::int32_t ask(std::uint64_t address, bool write, std::uint8_t* data, std::uint64_t count) const {
    if (ram_.size != 0) address %= ram_.size;
    return ram_.access(address, write, data, static_cast<std::int64_t>(count));
  }

  bool copy(std::uint64_t address, bool write, std::uint8_t* data, std::uint64_t count) {
    address %= ram_.size;
    for (std::uint64_t some = 0; count > 0; address += some, data += some, count -= some) {
      some = std::min(count, kPage - address % kPage);
      std::uint8_t* page = find(address / kPage * kPage, write);
      if (page == nullptr && write) return false;
      if (page == nullptr) continue;
      page += address % kPage;
      std::memcpy(write ? page : data, write ? data : page, some);
    }
    return true;
  }

 private:
  std::uint8_t* find(std::uint64_t address, bool write) {
    if (seen_ != *ram_.changes) pages_.clear();
    seen_ = *ram_.changes;
    const auto found = pages_.find(address);
    if (found != pages_.end() && (found->second != nullptr || !write)) return found->second;
    std::uint8_t* page = ram_.page(address, write);
    seen_ = *ram_.changes;
    pages_[address] = page;
    return page;
  }

  GbRam ram_;
  std::int64_t seen_ = 0;
  std::unordered_map<std::uint64_t, std::uint8_t*> pages_;
};

/// What writes and reads have in common: the burst that is running.
class RamProcess : public Process {
 public:
  explicit RamProcess(const GbRam& ram) : lanes_(ram.lanes), memory_(ram), address_(ram.address, kAddressFields, this) {}

  /// Python has ended an access that it had begun.
  void answered(bool done) {
    if (!done) failed();
    go_on();
  }

  void ask_always() { memory_.ask_always(); }

  Broken broken = Broken::kNothing;

 protected:
  enum class Step { kAddress, kBeat, kAccess, kSend };

  void restart() override { step_ = Step::kAddress; }

  /// Read or write bytes of the current word. False: Python has yet to end it.
  bool access(std::uint64_t first, bool write, std::uint8_t* data, std::uint64_t count) {
    if (!memory_.asks(word() + first, count)) {
      if (!memory_.copy(word() + first, write, data, count)) failed();
      return true;
    }
    moved();
    // Python may have begun something that must not wait.
    note(1);
    const std::int32_t how = memory_.ask(word() + first, write, data, count);
    if (how == kAccessPending) return wait(&memory_);
    if (how == kAccessFailed) failed();
    return true;
  }

  /// The access has failed.
  virtual void failed() = 0;

  bool fail(Broken how) {
    broken = how;
    note(1);
    return wait(&broken);
  }

  /// Begin the next burst. False: it waits for one.
  bool begin() {
    if (address_.channel->queued() == 0) return wait(address_.channel);
    const ChannelItem item = address_.channel->take();
    id_ = address_.get(item, kId);
    length_ = address_.get(item, kLen) + 1;
    burst_ = address_.get(item, kBurst, kIncr);
    if (burst_ > kWrap) return fail(Broken::kBurstType);
    const std::uint64_t size = address_.get(item, kSize, ~0ULL);
    bytes_ = size == ~0ULL ? lanes_ : 1ULL << size;
    if (bytes_ > lanes_) return fail(Broken::kAssertion);
    const std::uint64_t address = address_.get(item, kAddr);
    now_ = address / bytes_ * bytes_;
    if (burst_ == kIncr && kPage - now_ % kPage < bytes_ * length_ && address_.has(kLen)) return fail(Broken::kAssertion);
    lower_ = address / (bytes_ * length_) * (bytes_ * length_);
    beat_ = 0;
    step_ = Step::kBeat;
    return true;
  }

  std::uint64_t word() const { return now_ / lanes_ * lanes_; }

  void next() {
    ++beat_;
    if (burst_ == kFixed) return;
    now_ += bytes_;
    if (burst_ == kWrap && now_ == lower_ + bytes_ * length_) now_ = lower_;
  }

  std::uint64_t lanes_;
  RamMemory memory_;
  In address_;
  Step step_ = Step::kAddress;
  std::uint64_t id_ = 0, length_ = 0, burst_ = 0, bytes_ = 0, now_ = 0, lower_ = 0, beat_ = 0;
};

class RamWrite final : public RamProcess {
 public:
  explicit RamWrite(const GbRam& ram)
      : RamProcess(ram), data_(ram.data, kDataFields, this), answer_(ram.answer, kAnswerFields, this) {}

 private:
  bool step() override {
    switch (step_) {
      case Step::kAddress:
        resp_ = kOkay;
        return begin();
      case Step::kBeat:
        if (data_.channel->queued() == 0) return wait(data_.channel);
        item_ = data_.channel->take();
        lane_ = 0;
        step_ = Step::kAccess;
        return true;
      case Step::kAccess:
        return store();
      case Step::kSend:
        break;
    }
    if (answer_.channel->full()) return wait(answer_.channel);
    ChannelItem item = answer_.item();
    answer_.put(item, kAnswerId, id_);
    answer_.put(item, kAnswerResp, resp_);
    answer_.channel->send(std::move(item));
    step_ = Step::kAddress;
    return true;
  }

  void failed() override {
    resp_ = kSlaveError;
    // The rest of the beat is not written.
    lane_ = lanes_;
  }

  bool strobe(std::uint64_t lane) const {
    return !data_.has(kStrb) || (data_.at(item_, kStrb)[lane / 8] >> lane % 8 & 1) != 0;
  }

  /// Write each run of bytes whose strobe is set.
  bool store() {
    while (lane_ < lanes_) {
      const std::uint64_t first = lane_;
      while (lane_ < lanes_ && strobe(lane_)) ++lane_;
      if (lane_ == first) {
        ++lane_;
      } else if (!access(first, true, data_.at(item_, kData) + first, lane_ - first)) {
        return false;
      }
    }
    const bool last = data_.get(item_, kLast, beat_ == length_ - 1) != 0;
    if (last != (beat_ == length_ - 1)) return fail(Broken::kAssertion);
    next();
    step_ = beat_ == length_ ? Step::kSend : Step::kBeat;
    return true;
  }

  In data_;
  Out answer_;
  ChannelItem item_;
  std::uint64_t resp_ = kOkay, lane_ = 0;
};

class RamRead final : public RamProcess {
 public:
  explicit RamRead(const GbRam& ram) : RamProcess(ram), data_(ram.data, kReadFields, this) {}

 private:
  bool step() override {
    switch (step_) {
      case Step::kAddress:
        return begin();
      case Step::kBeat:
        item_ = data_.item();
        step_ = Step::kAccess;
        data_.put(item_, kReadId, id_);
        data_.put(item_, kReadLast, beat_ == length_ - 1);
        return access(0, false, data_.at(item_, kReadData), lanes_);
      case Step::kAccess:
      case Step::kSend:
        break;
    }
    if (data_.channel->full()) return wait(data_.channel);
    data_.channel->send(std::move(item_));
    next();
    step_ = beat_ == length_ ? Step::kAddress : Step::kBeat;
    return true;
  }

  void failed() override { data_.put(item_, kReadResp, kSlaveError); }

  Out data_;
  ChannelItem item_;
};

}  // namespace

extern "C" {

void* gb_ram_write(const GbRam* ram) {
  return made_agent(ram->clock, [&] { return std::make_unique<RamWrite>(*ram); });
}
void* gb_ram_read(const GbRam* ram) {
  return made_agent(ram->clock, [&] { return std::make_unique<RamRead>(*ram); });
}
void gb_ram_answered(void* ram, int done) { static_cast<RamProcess*>(static_cast<Agent*>(ram))->answered(done != 0); }
void gb_ram_ask(void* ram) { static_cast<RamProcess*>(static_cast<Agent*>(ram))->ask_always(); }
/// What has been broken, as Broken.
std::int32_t gb_ram_broken(void* ram) {
  return static_cast<std::int32_t>(static_cast<RamProcess*>(static_cast<Agent*>(ram))->broken);
}

}  // extern "C"
