// SPDX-License-Identifier: Apache-2.0
//
// channels.cpp - see channels.h.

#include "channels.h"

namespace {

using goldbeat::Agent;
using goldbeat::Channel;
using goldbeat::ChannelSink;
using goldbeat::ChannelSource;

template <typename Kind>
Kind* channel_as(void* agent) {
  return static_cast<Kind*>(static_cast<Agent*>(agent));
}

}  // namespace

extern "C" {

void* gb_channel_source(const GbChannel* names) {
  return goldbeat::made_agent(names->clock, [&] { return std::make_unique<ChannelSource>(*names); });
}

void* gb_channel_sink(const GbChannel* names, int passive) {
  return goldbeat::made_agent(names->clock, [&] { return std::make_unique<ChannelSink>(*names, passive != 0); });
}

/// Bytes of an item.
std::int64_t gb_channel_bytes(void* agent) { return static_cast<std::int64_t>(channel_as<Channel>(agent)->bytes()); }
int gb_channel_active(void* agent) { return channel_as<Channel>(agent)->active; }
void gb_channel_send(void* source, const std::uint8_t* item) {
  auto* found = channel_as<ChannelSource>(source);
  found->send({item, item + found->bytes()});
}
void gb_channel_drop(void* source) { channel_as<ChannelSource>(source)->drop(); }
std::int64_t gb_channel_queued(void* channel) { return channel_as<Channel>(channel)->queued(); }
std::int64_t gb_channel_taken(void* source) { return channel_as<ChannelSource>(source)->taken; }
std::int64_t gb_channel_sent(void* source) { return channel_as<ChannelSource>(source)->sent; }
std::int64_t gb_channel_idled(void* source) { return channel_as<ChannelSource>(source)->idled; }
void gb_channel_limit(void* channel, std::int64_t limit) { channel_as<Channel>(channel)->limit = limit; }
void gb_channel_took(void* sink, std::int64_t count) { channel_as<ChannelSink>(sink)->took(count); }

/// Put the oldest item there. False where there is none.
int gb_channel_fetch(void* sink, std::uint8_t* into) {
  auto* found = channel_as<ChannelSink>(sink);
  const std::uint8_t* item = found->front();
  if (item == nullptr) return 0;
  std::memcpy(into, item, found->bytes());
  found->pop();
  return 1;
}

}  // extern "C"
