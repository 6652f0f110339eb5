// SPDX-License-Identifier: Apache-2.0
//
// access_agents.h - what masters and memories of AXI and AXI-Lite have in common: processes in place of the coroutines of cocotbext-axi's
// AxiMaster, AxiRam, AxiLiteMaster and AxiLiteRam. Each goes on where its coroutine would, in the same order.

#pragma once

#include "channels.h"

extern "C" {

/// A channel, and by role the index of its field, -1 for one that is not there.
struct GbEnd {
  void* channel;
  const std::int32_t* fields;
};

}  // extern "C"

namespace goldbeat {

/// Roles of fields, in the order in which Python gives their indices.
enum AddressField { kId, kAddr, kLen, kSize, kBurst, kProt, kLock, kCache, kQos, kRegion, kUser, kAddressFields };
enum DataField { kData, kLast, kDataUser, kStrb, kDataFields };
enum ReadField { kReadData, kReadLast, kReadUser, kReadId, kReadResp, kReadFields };
enum AnswerField { kAnswerId, kAnswerResp, kAnswerUser, kAnswerFields };
enum BurstType : std::uint64_t { kFixed, kIncr, kWrap };
constexpr std::uint64_t kOkay = 0, kSlaveError = 2;
constexpr std::uint64_t kPage = 4096;

/// What cocotbext-axi asserts; Python raises it.
enum class Broken : std::int32_t { kNothing, kUnexpectedId, kMissingLast, kUnexpectedLast, kAssertion, kBurstType };

/// One end of a channel, and where its fields are in an item.
template <typename Kind>
class End {
 public:
  End(const GbEnd& end, int roles, Process* process)
      : channel(static_cast<Kind*>(static_cast<Agent*>(end.channel))), fields_(end.fields, end.fields + roles) {
    channel->process = process;
  }

  bool has(int role) const { return fields_[static_cast<std::size_t>(role)] >= 0; }

  ChannelItem item() const { return ChannelItem(channel->bytes()); }

  std::uint8_t* at(ChannelItem& item, int role) const { return item.data() + channel->offset(index(role)); }
  const std::uint8_t* at(const ChannelItem& item, int role) const { return item.data() + channel->offset(index(role)); }

  void put(ChannelItem& item, int role, std::uint64_t value) const {
    if (has(role)) std::memcpy(at(item, role), &value, std::min(channel->size(index(role)), sizeof value));
  }

  std::uint64_t get(const ChannelItem& item, int role, std::uint64_t absent = 0) const {
    if (!has(role)) return absent;
    std::uint64_t value = 0;
    std::memcpy(&value, at(item, role), std::min(channel->size(index(role)), sizeof value));
    return value;
  }

  Kind* channel;

 private:
  std::size_t index(int role) const { return static_cast<std::size_t>(fields_[static_cast<std::size_t>(role)]); }

  std::vector<std::int32_t> fields_;
};

using Out = End<ChannelSource>;
using In = End<ChannelSink>;

}  // namespace goldbeat
