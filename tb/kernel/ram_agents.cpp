// SPDX-License-Identifier: Apache-2.0
//
// ram_agents.cpp - the processes of cocotbext-axi's AxiRam and AxiLiteRam. An AXI-Lite access is a burst of one beat.
//
// The memory stays Python's. Pages of a SparseMemory are written and read here; Python is asked for their addresses once, and for
// every access to any other memory.

#include <algorithm>
#include <unordered_map>

#include "access_agents.h"

extern "C" {

struct GbRam {
  const char* clock;
  GbEnd address, data, answer;  ///< answer: of writes
  std::uint64_t lanes, size;
  /// Reads or writes bytes. False where that fails.
  int (*access)(std::uint64_t address, int write, std::uint8_t* data, std::int64_t count);
  /// The address of a page; null: not there. A write makes it. Null for a memory without pages.
  std::uint8_t* (*page)(std::uint64_t address, int write);
  /// Changes when Python adds or removes pages.
  const std::int64_t* changes;
};

}  // extern "C"

namespace {

using namespace goldbeat;

/// Python's memory.
class RamMemory {
 public:
  explicit RamMemory(const GbRam& ram) : ram_(ram) {}

  bool write(std::uint64_t address, const std::uint8_t* data, std::uint64_t count) {
    address %= ram_.size;
    if (ram_.page == nullptr || address + count > ram_.size) {
      return ram_.access(address, 1, const_cast<std::uint8_t*>(data), static_cast<std::int64_t>(count)) != 0;
    }
    for (std::uint64_t some = 0; count > 0; address += some, data += some, count -= some) {
      some = std::min(count, kPage - address % kPage);
      std::uint8_t* page = find(address / kPage * kPage, true);
      if (page == nullptr) return false;
      std::memcpy(page + address % kPage, data, some);
    }
    return true;
  }

  bool read(std::uint64_t address, std::uint8_t* data, std::uint64_t count) {
    address %= ram_.size;
    if (ram_.page == nullptr || address + count > ram_.size) {
      return ram_.access(address, 0, data, static_cast<std::int64_t>(count)) != 0;
    }
    for (std::uint64_t some = 0; count > 0; address += some, data += some, count -= some) {
      some = std::min(count, kPage - address % kPage);
      const std::uint8_t* page = find(address / kPage * kPage, false);
      if (page != nullptr) std::memcpy(data, page + address % kPage, some);
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

  Broken broken = Broken::kNothing;

 protected:
  enum class Step { kAddress, kBeat, kSend };

  void restart() override { step_ = Step::kAddress; }

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
  explicit RamWrite(const GbRam& ram) : RamProcess(ram), data_(ram.data, kDataFields, this), answer_(ram.answer, kAnswerFields, this) {}

 private:
  bool step() override {
    switch (step_) {
      case Step::kAddress:
        failed_ = false;
        return begin();
      case Step::kBeat:
        return store();
      case Step::kSend:
        break;
    }
    if (answer_.channel->full()) return wait(answer_.channel);
    ChannelItem item = answer_.item();
    answer_.put(item, kAnswerId, id_);
    answer_.put(item, kAnswerResp, failed_ ? kSlaveError : kOkay);
    answer_.channel->send(std::move(item));
    step_ = Step::kAddress;
    return true;
  }

  bool store() {
    if (data_.channel->queued() == 0) return wait(data_.channel);
    const ChannelItem item = data_.channel->take();
    if (!store(item)) failed_ = true;
    const bool last = data_.get(item, kLast, beat_ == length_ - 1) != 0;
    if (last != (beat_ == length_ - 1)) return fail(Broken::kAssertion);
    next();
    if (beat_ == length_) step_ = Step::kSend;
    return true;
  }

  /// Write each run of bytes whose strobe is set.
  bool store(const ChannelItem& item) {
    const std::uint8_t* data = data_.at(item, kData);
    if (!data_.has(kStrb)) return memory_.write(word(), data, lanes_);
    const std::uint8_t* strobe = data_.at(item, kStrb);
    std::uint64_t begin = 0;
    for (std::uint64_t lane = 0; lane <= lanes_; ++lane) {
      if (lane < lanes_ && (strobe[lane / 8] >> lane % 8 & 1) != 0) continue;
      if (lane > begin && !memory_.write(word() + begin, data + begin, lane - begin)) return false;
      begin = lane + 1;
    }
    return true;
  }

  In data_;
  Out answer_;
  bool failed_ = false;
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
        load();
        break;
      case Step::kSend:
        break;
    }
    if (data_.channel->full()) return wait(data_.channel);
    data_.channel->send(std::move(item_));
    next();
    step_ = beat_ == length_ ? Step::kAddress : Step::kBeat;
    return true;
  }

  /// Read a beat. It may have to wait for room.
  void load() {
    item_ = data_.item();
    if (!memory_.read(word(), data_.at(item_, kReadData), lanes_)) data_.put(item_, kReadResp, kSlaveError);
    data_.put(item_, kReadId, id_);
    data_.put(item_, kReadLast, beat_ == length_ - 1);
    step_ = Step::kSend;
  }

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
/// What has been broken, as Broken.
std::int32_t gb_ram_broken(void* ram) {
  return static_cast<std::int32_t>(static_cast<RamProcess*>(static_cast<Agent*>(ram))->broken);
}

}  // extern "C"
