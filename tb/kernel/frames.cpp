// SPDX-License-Identifier: Apache-2.0
//
// frames.cpp - AXI-Stream agents that take and give whole frames of bytes, edge for edge as cocotbext-axi's source, sink and monitor.

#include <algorithm>
#include <cstring>

#include "kernel.h"
#include "pauses.h"
#include "watches.h"

namespace {

using goldbeat::Agent;
using goldbeat::Bit;
using goldbeat::bit_of;
using goldbeat::Field;
using goldbeat::field_of;
using goldbeat::Port;
using goldbeat::Pausable;
using goldbeat::port_of;

constexpr int kSides = 3;

/// Events that Python may listen for.
enum Event : std::uint32_t { kFrame = 1, kIdle = 2, kTaken = 4, kFailed = 8 };

}  // namespace

extern "C" {

/// Signals by cocotb's path and width; a null pointer for one that is not there. TID, TDEST, TUSER last.
struct GbFrameSignals {
  const char* clock;
  goldbeat::GbSignal data, valid, ready, last, keep, sides[kSides];
};

/// A frame to send. Side values are one for the whole frame, or one per byte.
struct GbFrame {
  const std::uint8_t* data;
  std::int64_t bytes;
  const std::uint8_t* keep;  ///< per byte; null: all ones
  const std::uint64_t* sides[kSides];
  std::int64_t counts[kSides];
  int told;  ///< Python hears of its end
};

/// A frame that has come.
struct GbReceived {
  const std::uint8_t* data;  ///< the bytes whose TKEEP is set
  std::int64_t bytes;
  std::int64_t whole;         ///< bytes of all beats
  const std::uint8_t* all;    ///< those
  const std::uint8_t* keep;   ///< per byte of all; null: no TKEEP
  std::uint64_t start;
  std::uint64_t end;
  int kinds[kSides];          ///< 0: no value, 1: one for the whole frame, 2: one per byte
  std::uint64_t values[kSides];
  const std::uint64_t* beats[kSides];  ///< per beat; null: no such signal
  std::int64_t lanes;
};

}  // extern "C"

namespace {

struct Signals {
  explicit Signals(const GbFrameSignals& names)
      : data(port_of(names.data)), valid(bit_of(names.valid)), ready(bit_of(names.ready)), last(bit_of(names.last)) {
    if (names.keep.path != nullptr) keep = port_of(names.keep);
    for (int i = 0; i < kSides; ++i) sides[i] = field_of(names.sides[i]);
    lanes = data.bits / 8;
  }

  Port data;
  Port keep{"", nullptr, 0, false};
  Bit valid, ready, last;
  Field sides[kSides];
  std::size_t lanes;
};

// -- source -----------------------------------------------------------------------------------------------------------

struct Outgoing {
  std::vector<std::uint8_t> data, keep;
  std::vector<std::uint64_t> sides[kSides];
  bool told = false;
};

class Source final : public Pausable {
 public:
  explicit Source(const GbFrameSignals& names) : at_(names), beat_((at_.data.bits + 31) / 32 * 4 + 8), keeps_(beat_.size()) {}

  void send(const GbFrame& frame) {
    Outgoing made;
    made.data.assign(frame.data, frame.data + frame.bytes);
    if (frame.keep != nullptr) made.keep.assign(frame.keep, frame.keep + frame.bytes);
    for (int i = 0; i < kSides; ++i) made.sides[i].assign(frame.sides[i], frame.sides[i] + frame.counts[i]);
    made.told = frame.told != 0;
    bytes += frame.bytes;
    ++frames;
    queue_.push_back(std::move(made));
    idle = false;
    wake();
  }

  void drop_queue() {
    queue_.clear();
    bytes = frames = 0;
    idle = true;
  }

  void run() override {
    if (waits_) {
      waits_ = false;
      await_edge();
      return;
    }
    const bool valid = at_.valid.absent() || at_.valid.get();
    const bool ready = at_.ready.absent() || at_.ready.get();
    if (valid && !ready) {
      await_edge();
      return;
    }
    if (!open_ && !queue_.empty()) take();
    if (open_ && !pause_) {
      offer();
    } else {
      offered_ = false;
      want_write();
      active = open_;
      if (!open_ && queue_.empty()) {
        idle = true;
        note(kIdle);
        waits_ = true;
        sleep();
        return;
      }
    }
    await_edge();
  }

  void write() override {
    at_.valid.set(offered_);
    if (!offered_) {
      at_.last.set(false);
      return;
    }
    at_.last.set(last_);
    std::memcpy(at_.data.data, beat_.data(), at_.data.bytes());
    if (at_.keep.data != nullptr) std::memcpy(at_.keep.data, keeps_.data(), at_.keep.bytes());
    for (int i = 0; i < kSides; ++i) at_.sides[i].set(values_[i]);
  }

  std::int64_t queued() const { return static_cast<std::int64_t>(queue_.size()); }

  bool active = false;
  bool idle = true;
  std::int64_t bytes = 0, frames = 0;
  std::int64_t taken = 0, ended = 0;  ///< frames begun and ended
  std::uint64_t start_time = 0, end_time = 0;

  /// The frame that is being sent is lost.
  void flush() {
    open_ = false;
    ended = taken;
  }

  void deactivate() {
    active = false;
    if (queue_.empty()) idle = true;
  }

 private:
  void restart() override {
    open_ = false;
    active = false;
    waits_ = true;
  }

  void take() {
    frame_ = std::move(queue_.front());
    queue_.pop_front();
    bytes -= static_cast<std::int64_t>(frame_.data.size());
    --frames;
    ++taken;
    note(kTaken);
    start_time = goldbeat::kernel().now();
    active = true;
    place_ = 0;
    open_ = !frame_.data.empty();
    // Nothing of it is ever offered.
    ended += !open_;
  }

  std::uint64_t side(int which, std::size_t byte) const {
    const auto& values = frame_.sides[which];
    if (values.empty()) return 0;
    return values[std::min(byte, values.size() - 1)];
  }

  void offer() {
    moved();
    const std::size_t count = std::min(at_.lanes, frame_.data.size() - place_);
    std::memset(beat_.data(), 0, beat_.size());
    std::memcpy(beat_.data(), frame_.data.data() + place_, count);
    std::memset(keeps_.data(), 0, keeps_.size());
    for (std::size_t i = 0; i < count; ++i) {
      const bool kept = frame_.keep.empty() || (frame_.keep[place_ + i] & 1) != 0;
      if (kept) keeps_[i / 8] = static_cast<std::uint8_t>(keeps_[i / 8] | 1U << i % 8);
    }
    place_ += count;
    for (int i = 0; i < kSides; ++i) values_[i] = side(i, place_ - 1);
    last_ = place_ >= frame_.data.size();
    if (last_) {
      end_time = goldbeat::kernel().now();
      ++ended;
      open_ = false;
      if (frame_.told) note(kFrame);
    }
    offered_ = true;
    want_write();
  }

  Signals at_;
  std::deque<Outgoing> queue_;
  Outgoing frame_;
  bool open_ = false;   ///< a frame is being sent
  bool waits_ = false;  ///< goes on to wait for an edge
  std::size_t place_ = 0;
  bool offered_ = false, last_ = false;
  std::vector<std::uint8_t> beat_, keeps_;
  std::uint64_t values_[kSides] = {};
};

// -- sink and monitor -------------------------------------------------------------------------------------------------

struct Incoming {
  std::vector<std::uint8_t> all, keep, kept;
  std::vector<std::uint64_t> beats[kSides];
  std::uint64_t start = 0, end = 0;
};

class Sink final : public Pausable {
 public:
  Sink(const GbFrameSignals& names, bool passive) : at_(names), passive_(passive) {}

  void run() override {
    if (waits_) {
      waits_ = false;
      paused_ = pause_;
      await_edge();
      return;
    }
    const bool valid = at_.valid.absent() || at_.valid.get();
    const bool ready = at_.ready.absent() || at_.ready.get();
    if (valid && ready) {
      capture();
    } else {
      active = open_;
    }
    if (done(valid, ready)) {
      waits_ = true;
      sleep();
      return;
    }
    paused_ = pause_;
    await_edge();
  }

  void write() override { at_.ready.set(ready_); }

  void bind() override {
    rouse_by(at_.valid);
    rouse_by(at_.ready);
  }

  bool full() const {
    return (limit_bytes > 0 && bytes > limit_bytes) || (limit_frames > 0 && frames > limit_frames);
  }

  /// The oldest frame, null where there is none.
  const Incoming* front() const { return come_.empty() ? nullptr : &come_.front(); }
  void pop() { come_.pop_front(); }
  std::int64_t count() const { return static_cast<std::int64_t>(come_.size()); }
  std::size_t lanes() const { return at_.lanes; }
  bool has_keep() const { return at_.keep.data != nullptr; }
  bool has_side(int which) const { return !at_.sides[which].absent(); }

  bool active = false;
  std::int64_t bytes = 0, frames = 0;  ///< that have come and that the test has not taken
  std::int64_t limit_bytes = -1, limit_frames = -1;

 private:
  void restart() override {
    open_ = false;
    active = false;
    waits_ = true;
  }

  void pause_changed() override { wake(); }

  /// Whether it sleeps until something happens.
  bool done(bool valid, bool ready) {
    if (passive_) return !(valid && ready);
    if (at_.ready.absent()) return !valid;
    const bool paused = full() || paused_;
    ready_ = !paused;
    want_write();
    return (!valid || paused) && paused_ == pause_;
  }

  void capture() {
    moved();
    if (!open_) {
      open_ = true;
      frame_ = {};
      frame_.start = goldbeat::kernel().now();
      active = true;
    }
    const auto* data = static_cast<const std::uint8_t*>(at_.data.data);
    frame_.all.insert(frame_.all.end(), data, data + at_.lanes);
    if (has_keep()) {
      const auto* keep = static_cast<const std::uint8_t*>(at_.keep.data);
      for (std::size_t i = 0; i < at_.lanes; ++i) {
        const bool kept = (keep[i / 8] >> i % 8 & 1) != 0;
        frame_.keep.push_back(kept);
        if (kept) frame_.kept.push_back(data[i]);
      }
    }
    for (int i = 0; i < kSides; ++i) {
      if (has_side(i)) frame_.beats[i].push_back(at_.sides[i].get());
    }
    if (!at_.last.absent() && !at_.last.get()) return;
    frame_.end = goldbeat::kernel().now();
    bytes += static_cast<std::int64_t>(frame_.all.size());
    ++frames;
    come_.push_back(std::move(frame_));
    open_ = false;
    note(kFrame);
  }

  Signals at_;
  bool passive_;
  bool open_ = false;    ///< a frame has begun
  bool waits_ = false;   ///< goes on to wait for an edge
  bool paused_ = false;  ///< the pause as it was when it began to wait
  bool ready_ = false;
  Incoming frame_;
  std::deque<Incoming> come_;
};

/// One for the whole frame, or one per byte: as the bytes have it whose TKEEP is set.
int kind_of(const Incoming& frame, int side, std::size_t lanes, std::uint64_t& value) {
  const auto& beats = frame.beats[side];
  bool any = false;
  for (std::size_t i = 0; i < beats.size(); ++i) {
    const auto first = frame.keep.begin() + static_cast<std::ptrdiff_t>(i * lanes);
    if (!frame.keep.empty() && std::find(first, first + static_cast<std::ptrdiff_t>(lanes), 1) == first + static_cast<std::ptrdiff_t>(lanes)) {
      continue;
    }
    if (any && beats[i] != value) return 2;
    value = beats[i];
    any = true;
  }
  return any ? 1 : 0;
}

}  // namespace

extern "C" {

void* gb_frame_source(const GbFrameSignals* names) {
  return goldbeat::made_agent(names->clock, [&] { return std::make_unique<Source>(*names); });
}

void* gb_frame_sink(const GbFrameSignals* names, int passive) {
  return goldbeat::made_agent(names->clock, [&] { return std::make_unique<Sink>(*names, passive != 0); });
}

void gb_frame_send(void* source, const GbFrame* frame) { static_cast<Source*>(static_cast<Agent*>(source))->send(*frame); }

/// What Python sees of a source: queued, taken, ended, bytes and frames in the queue, active, idle, times of the latest frame.
void gb_frame_source_state(void* source, std::int64_t* state) {
  const auto* found = static_cast<const Source*>(static_cast<Agent*>(source));
  const std::int64_t values[] = {
      found->queued(), found->taken, found->ended, found->bytes, found->frames, found->active, found->idle,
      static_cast<std::int64_t>(found->start_time), static_cast<std::int64_t>(found->end_time)};
  std::copy(std::begin(values), std::end(values), state);
}
void gb_frame_source_drop(void* source) { static_cast<Source*>(static_cast<Agent*>(source))->drop_queue(); }
void gb_frame_source_idle(void* source) { static_cast<Source*>(static_cast<Agent*>(source))->deactivate(); }
void gb_frame_source_flush(void* source) { static_cast<Source*>(static_cast<Agent*>(source))->flush(); }

/// What Python sees of a sink: frames that it has not fetched, bytes and frames that the test has not taken, active.
void gb_frame_sink_state(void* sink, std::int64_t* state) {
  const auto* found = static_cast<const Sink*>(static_cast<Agent*>(sink));
  const std::int64_t values[] = {found->count(), found->bytes, found->frames, found->active};
  std::copy(std::begin(values), std::end(values), state);
}
void gb_frame_sink_idle(void* sink) { static_cast<Sink*>(static_cast<Agent*>(sink))->active = false; }
void gb_frame_sink_limits(void* sink, std::int64_t bytes, std::int64_t frames) {
  auto* found = static_cast<Sink*>(static_cast<Agent*>(sink));
  found->limit_bytes = bytes;
  found->limit_frames = frames;
}
/// The test has taken so much.
void gb_frame_sink_taken(void* sink, std::int64_t bytes, std::int64_t frames) {
  auto* found = static_cast<Sink*>(static_cast<Agent*>(sink));
  found->bytes -= bytes;
  found->frames -= frames;
}

/// The oldest frame, valid until gb_frame_sink_pop(). False where there is none.
int gb_frame_sink_front(void* sink, GbReceived* into) {
  const auto* found = static_cast<const Sink*>(static_cast<Agent*>(sink));
  const Incoming* frame = found->front();
  if (frame == nullptr) return 0;
  const auto& kept = found->has_keep() ? frame->kept : frame->all;
  *into = {};
  into->data = kept.data();
  into->bytes = static_cast<std::int64_t>(kept.size());
  into->all = frame->all.data();
  into->whole = static_cast<std::int64_t>(frame->all.size());
  into->keep = found->has_keep() ? frame->keep.data() : nullptr;
  into->start = frame->start;
  into->end = frame->end;
  into->lanes = static_cast<std::int64_t>(found->lanes());
  for (int i = 0; i < kSides; ++i) {
    if (!found->has_side(i)) continue;
    into->kinds[i] = kind_of(*frame, i, found->lanes(), into->values[i]);
    into->beats[i] = frame->beats[i].data();
  }
  return 1;
}
void gb_frame_sink_pop(void* sink) { static_cast<Sink*>(static_cast<Agent*>(sink))->pop(); }

}  // extern "C"
