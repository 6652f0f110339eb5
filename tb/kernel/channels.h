// SPDX-License-Identifier: Apache-2.0
//
// channels.h - agents for channels of valid and ready with any fields, edge for edge as cocotbext-axi's StreamSource, StreamSink and
// StreamMonitor: the channels of AXI and AXI-Lite.
//
// An item is all fields one after the other, each in as many bytes as Verilator stores it in.

#pragma once

#include <cstring>
#include <deque>

#include "pauses.h"

extern "C" {

struct GbChannel {
  const char* clock;
  goldbeat::GbSignal valid, ready;
  const goldbeat::GbSignal* fields;
  std::int64_t count;
};

}  // extern "C"

namespace goldbeat {

/// Events that Python may listen for.
enum ChannelEvent : std::uint32_t { kChannelItem = 1, kChannelIdle = 2, kChannelTaken = 4 };

using ChannelItem = std::vector<std::uint8_t>;

/// Handles the items of channels, and waits for them in place of a coroutine of Python.
class Process : public Agent {
 public:
  void run() final {
    while (step()) {
    }
  }

  /// What it may wait for has changed.
  void told(const void* source) {
    if (waits_for_ == source) wake();
  }

 protected:
  /// Go on. False: it waits.
  virtual bool step() = 0;

  bool wait(const void* source) {
    waits_for_ = source;
    sleep();
    return false;
  }

  /// End a wait, at once.
  void go_on() {
    state_ = State::kReady;
    run();
  }

 private:
  const void* waits_for_ = nullptr;
};

class Channel : public Pausable {
 public:
  explicit Channel(const GbChannel& names) : valid_(bit_of(names.valid)), ready_(bit_of(names.ready)) {
    for (std::int64_t i = 0; i < names.count; ++i) {
      fields_.push_back(port_of(names.fields[i]));
      offsets_.push_back(bytes_);
      bytes_ += stored(fields_.back().bits);
    }
  }

  std::size_t bytes() const { return bytes_; }
  std::size_t offset(std::size_t field) const { return offsets_[field]; }
  std::size_t size(std::size_t field) const { return stored(fields_[field].bits); }
  std::int64_t queued() const { return static_cast<std::int64_t>(items_.size()); }

  Process* process = nullptr;  ///< that sends or takes the items
  std::int64_t limit = -1;     ///< of items in the queue

 protected:
  bool valid() const { return valid_.absent() || valid_.get(); }
  bool ready() const { return ready_.absent() || ready_.get(); }

  void restart() override {
    active = false;
    waits_ = true;
  }

  /// The process may go on.
  void tell() {
    if (process != nullptr) process->told(this);
  }

  Bit valid_, ready_;
  std::vector<Port> fields_;
  std::vector<std::size_t> offsets_;
  std::size_t bytes_ = 0;
  std::deque<ChannelItem> items_;
  bool waits_ = false;  ///< goes on to wait for an edge

 public:
  bool active = false;
};

class ChannelSource final : public Channel {
 public:
  using Channel::Channel;

  void send(ChannelItem item) {
    items_.push_back(std::move(item));
    ++sent;
    wake();
  }

  void drop() {
    items_.clear();
    tell();
  }

  bool full() const { return limit > 0 && queued() >= limit; }

  void run() override {
    if (waits_) {
      waits_ = false;
      await_edge();
      return;
    }
    if (valid() && !ready()) {
      await_edge();
      return;
    }
    want_write();
    offered_ = !items_.empty() && !pause_;
    if (offered_) {
      item_ = std::move(items_.front());
      items_.pop_front();
      ++taken;
      moved();
      note(kChannelTaken);
      tell();
      active = true;
      await_edge();
      return;
    }
    active = !items_.empty();
    if (active) {
      await_edge();
      return;
    }
    ++idled;
    note(kChannelIdle);
    waits_ = true;
    sleep();
  }

  void write() override {
    valid_.set(offered_);
    if (!offered_) return;
    const std::uint8_t* from = item_.data();
    for (const Port& field : fields_) {
      const std::size_t size = stored(field.bits);
      std::memcpy(field.data, from, size);
      from += size;
    }
  }

  std::int64_t sent = 0, taken = 0, idled = 0;  ///< how often an item came, was taken, and how often there was none

 private:
  bool offered_ = false;
  ChannelItem item_;
};

class ChannelSink final : public Channel {
 public:
  ChannelSink(const GbChannel& names, bool passive) : Channel(names), passive_(passive) {}

  void run() override {
    if (waits_) {
      waits_ = false;
      paused_ = pause_;
      await_edge();
      return;
    }
    const bool was_valid = valid();
    const bool was_ready = ready();
    if (was_valid && was_ready) capture();
    if (done(was_valid, was_ready)) {
      waits_ = true;
      sleep();
      return;
    }
    paused_ = pause_;
    await_edge();
  }

  void write() override { ready_.set(taking_); }

  void bind() override {
    rouse_by(valid_);
    rouse_by(ready_);
  }

  const std::uint8_t* front() const { return items_.empty() ? nullptr : items_.front().data(); }
  void pop() { items_.pop_front(); }

  /// The oldest item, which is there.
  ChannelItem take() {
    ChannelItem item = std::move(items_.front());
    items_.pop_front();
    took(1);
    return item;
  }

  /// The test has taken so many.
  void took(std::int64_t count) {
    held -= count;
    if (!passive_) wake();
  }

  std::int64_t held = 0;  ///< that the test has not taken

 private:
  void pause_changed() override { wake(); }

  /// Whether it sleeps until something happens.
  bool done(bool valid, bool ready) {
    if (passive_) return !(valid && ready);
    if (ready_.absent()) return !valid;
    const bool paused = (limit > 0 && held >= limit) || paused_;
    taking_ = !paused;
    want_write();
    return (!valid || paused) && paused_ == pause_;
  }

  void capture() {
    ChannelItem item(bytes_);
    std::uint8_t* to = item.data();
    for (const Port& field : fields_) {
      const std::size_t size = stored(field.bits);
      std::memcpy(to, field.data, size);
      to += size;
    }
    items_.push_back(std::move(item));
    ++held;
    moved();
    note(kChannelItem);
    tell();
  }

  bool passive_;
  bool paused_ = false;  ///< the pause as it was when it began to wait
  bool taking_ = false;
};

}  // namespace goldbeat
