// SPDX-License-Identifier: Apache-2.0
//
// axis.cpp - AXI-Stream source and sink on plain arrays.
//
// The arrays of a source are the caller's (numpy's), read in place. Those of a sink are allocated here, grow as they fill, and are handed
// over to the caller as they are. Widths that are powers of two have code of their own, in which a beat is a few moves.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <new>
#include <set>

#include <sys/mman.h>

#include "kernel.h"
#include "pattern.h"

namespace goldbeat {
namespace {

constexpr std::size_t kSides = 4;
/// TSTRB among them: where a source is given none, it follows TKEEP.
constexpr std::size_t kStrobe = 3;

}  // namespace

// -- what Python hands over and gets back ---------------------------------------------------------------------------

extern "C" {

/// The top module's port of every signal, null where it has none.
struct GbAxisNames {
  const char* tdata;
  const char* tvalid;
  const char* tready;
  const char* tkeep;
  const char* tlast;
  const char* tstrb;
  const char* sides[kSides];
};

/// When a ready counts, as Avalon-ST has it; AXI-Stream: both 0.
struct GbAxisLate {
  int latency;  ///< cycles from a ready to the cycle that it makes a ready cycle
  int beyond;   ///< beats that may still transfer after the last ready cycle: readyAllowance - readyLatency
};

/// What a sink or monitor must know beyond the ports.
struct GbAxisCheck {
  const char* reset;  ///< input of the top module; null: none
  int reset_high;     ///< its polarity
  int whole;          ///< no beat of another TID or TDEST comes within a packet
  int fifo;           ///< a FIFO is written: tvalid may fall, and a beat without tready is lost
  int avalon;         ///< the rules of Avalon-ST
  int first;          ///< bit of TUSER that is high in the first beat of a packet; -1: none
  GbAxisLate late;
};

/// Beats to send. Null columns: all bytes valid, no TLAST, sidebands 0, no gaps.
struct GbAxisBeats {
  std::int64_t beats;
  const std::uint8_t* data;              ///< bytes of TDATA a beat
  const std::uint8_t* keep;              ///< bytes of TKEEP a beat, bit 0 of the first one is TKEEP[0]
  const std::uint8_t* last;              ///< 0 or 1
  const std::uint64_t* sides[kSides];    ///< TID, TDEST, TUSER, TSTRB
  const std::int64_t* gaps;              ///< idle cycles before each beat
  std::int64_t* cycles;                  ///< filled in: when each beat transferred
};

/// Beats received; null columns where there is no such signal, or nobody asked for it. Each column is freed by gb_free().
struct GbAxisColumns {
  std::int64_t beats;
  std::uint8_t* data;
  std::uint8_t* keep;
  std::uint8_t* last;
  std::uint64_t* sides[kSides];
  std::int64_t* cycles;
};

}  // extern "C"

namespace {

// -- the ports of a bundle --------------------------------------------------------------------------------------------

struct Ports {
  enum class Role { kSource, kSink, kMonitor };

  Ports(const GbAxisNames& names, Role role) {
    const bool forward = role == Role::kSource;
    const auto look = [&](const char* name, bool input) -> const Port& {
      if (role != Role::kMonitor) return kernel().need(name, input);
      const Port* port = kernel().find(name);
      if (port == nullptr) throw std::invalid_argument("the top module has no port " + std::string(name));
      return *port;
    };
    const Port& tdata = look(names.tdata, forward);
    all_data = Bytes(&tdata);
    data = tdata.data;
    bytes = tdata.bytes();
    if (tdata.bits % 8 != 0) throw std::invalid_argument(std::string(tdata.name) + ": not whole bytes");
    valid = Bit(look(names.tvalid, forward));
    ready = names.tready ? Bit(look(names.tready, !forward)) : Bit(true);
    if (names.tkeep) {
      const Port& tkeep = look(names.tkeep, forward);
      if (tkeep.bits != bytes) throw std::invalid_argument(std::string(tkeep.name) + ": not one bit a byte");
      all_keep = Bytes(&tkeep);
      keep = tkeep.data;
    }
    if (names.tstrb) {
      const Port& tstrb = look(names.tstrb, forward);
      if (tstrb.bits != bytes) throw std::invalid_argument(std::string(tstrb.name) + ": not one bit a byte");
      all_strobe = Bytes(&tstrb);
      strobe = all_strobe.data;
    }
    if (names.tlast) last = Bit(look(names.tlast, forward));
    has_last = names.tlast != nullptr;
    for (std::size_t i = 0; i < kSides; ++i) {
      if (names.sides[i] == nullptr) continue;
      sides[i] = Field(look(names.sides[i], forward));
      has_sides = true;
    }
  }

  std::size_t keep_bytes() const { return (bytes + 7) / 8; }

  /// As Field::fill(): all but the handshake.
  template <typename Word>
  void fill(Word word) {
    for (const Bytes* one : {&all_data, &all_keep, &all_strobe}) one->fill(word);
    last.fill(word);
    if (!has_sides) return;
    for (Field& side : sides) side.fill(word);
  }

  Bytes all_data, all_keep, all_strobe;
  void* data = nullptr;
  void* keep = nullptr;
  std::uint8_t* strobe = nullptr;
  std::size_t bytes = 0;
  Bit valid;
  Bit ready;
  Bit last;
  bool has_last = false;
  std::array<Field, kSides> sides;
  bool has_sides = false;
};

/// How many beats waited 1, 2-3, 4-15, 16-63, 64 and more cycles for TREADY; cycles that all waited; the first wait: the cycle of
/// its transfer (kNever: none), and its cycles.
class Stalls {
 public:
  void clear() {
    counts_.fill(0);
    counts_[kFirst] = kNever;
  }
  void count(std::int64_t since, std::int64_t cycle) {
    const std::int64_t cycles = cycle - since;
    ++counts_[(cycles >= 2) + (cycles >= 4) + (cycles >= 16) + (cycles >= 64)];
    counts_[kTotal] += cycles;
    if (counts_[kFirst] == kNever) {
      counts_[kFirst] = cycle;
      counts_[kFirst + 1] = cycles;
    }
  }
  const std::int64_t* data() const { return counts_.data(); }

 private:
  static constexpr std::size_t kTotal = 5, kFirst = 6;
  std::array<std::int64_t, 8> counts_{0, 0, 0, 0, 0, 0, kNever, 0};
};

/// The ready cycles of Avalon-ST, and the beats that may come after them.
class ReadyCycles {
 public:
  static constexpr int kLatest = 62;

  void set(const GbAxisLate& late) {
    if (late.latency < 0 || late.latency > kLatest || late.beyond < 0) throw std::invalid_argument("ready latency out of range");
    late_ = late;
  }
  void clear() { ready_ = 0, left_ = 0; }
  bool plain() const { return late_.latency == 0 && late_.beyond == 0; }
  bool ahead() const { return late_.latency > 0; }

  /// The ready of the next cycle; true: this is a ready cycle.
  bool next(bool ready) {
    ready_ = ready_ << 1 | ready;
    if (now()) left_ = late_.beyond;
    return now();
  }
  bool now() const { return ready_ >> late_.latency & 1; }
  /// A beat in this cycle is taken.
  bool takes() const { return now() || left_ > 0; }
  /// With a latency: one in the next cycle would be.
  bool will_take() const { return ready_ >> (late_.latency - 1) & 1 || left_ > 0; }
  /// One was.
  void used() { left_ -= !now(); }

 private:
  GbAxisLate late_{};
  std::uint64_t ready_ = 0;  ///< bit n: ready n cycles ago
  int left_ = 0;
};

/// Bytes of TKEEP for N bytes of TDATA, 0 where N is.
constexpr std::size_t keep_size(std::size_t n) { return (n + 7) / 8; }

}  // namespace

// -- source -----------------------------------------------------------------------------------------------------------

class AxisSource : public Transactor {
 public:
  AxisSource(std::string name, const GbAxisNames& names, const Clock& clock)
      : Transactor(std::move(name)), ports_(names, Ports::Role::kSource), clock_(clock) {}

  void reset() override {
    ports_.valid.set(false);
    ports_.fill([] { return std::uint64_t{0}; });
    idle_.drive(ports_);
    queue_.clear();
    now_ = GbAxisBeats{};
    at_ = 0;
    next_ = kNever;
    base_ = kNever;
    offering_ = stalled_ = false;
    stalls_.clear();
    cycles_.clear();
    sent_ = 0;
    low_ = 0;
  }

  void late(const GbAxisLate& late) { cycles_.set(late); }

  /// Queue beats. Those that follow others count their gaps from there on, the first ones from the start.
  void send(const GbAxisBeats& beats) {
    if (beats.beats == 0) return;
    if (at_ < now_.beats) {
      queue_.push_back(beats);
      return;
    }
    sent_ += now_.beats;
    now_ = beats;
    at_ = 0;
    schedule();
  }

  /// Let it run: the first beat's gap counts from cycle `base` on, and nothing is offered before cycle `earliest`.
  void start(std::int64_t base, std::int64_t earliest) {
    base_ = base;
    earliest_ = earliest;
    if (at_ < now_.beats) schedule();
  }

  std::int64_t sent() const { return sent_ + at_; }
  bool idle() const { return at_ == now_.beats && !offering_; }
  void wake_when_idle(bool on) { wake_when_idle_ = on; }

  /// Wake whenever a block has been sent and at most so many, at least one, are left; 0: never.
  void wake_when_low(std::size_t blocks) { low_ = blocks; }
  /// Blocks that have not been sent to their ends.
  std::size_t left() const { return queue_.size() + (at_ < now_.beats); }

  std::int64_t stalled() const override { return stalled_ ? since_ : kNever; }
  const std::int64_t* stalls() const override { return stalls_.data(); }

  std::string waiting() const override {
    if (!stalled_) return {};
    return name() + ": tvalid without tready since cycle " + std::to_string(since_) + ", " + std::to_string(sent()) +
           " beats transferred";
  }

 protected:
  std::int64_t gap() const { return now_.gaps ? now_.gaps[at_] : 0; }

  /// Nothing is on its way: the next beat's gap counts from the start, or from the first edge that it can be seen at.
  void schedule() {
    if (base_ == kNever) return;
    const std::int64_t soonest = clock_.cycle + 1;
    next_ = soonest <= base_ ? std::max(earliest_, base_ + gap()) : std::max(earliest_, soonest + gap());
  }

  /// Beat at_ - 1, the last of its block, transferred in this cycle.
  void next_block() {
    if (queue_.empty()) {
      if (wake_when_idle_ || low_ > 0) wake();
      return;
    }
    if (queue_.size() <= low_) wake();
    sent_ += now_.beats;
    now_ = queue_.front();
    queue_.pop_front();
    at_ = 0;
  }

  Ports ports_;
  const Clock& clock_;
  std::deque<GbAxisBeats> queue_;
  GbAxisBeats now_{};
  std::int64_t at_ = 0;        ///< beat of now_ that is offered, or is the next to be
  std::int64_t next_ = kNever;  ///< cycle in which it is offered, at the earliest
  std::int64_t base_ = kNever;  ///< of start()
  std::int64_t earliest_ = 0;
  std::int64_t since_ = 0;
  std::int64_t sent_ = 0;  ///< beats of blocks before now_
  bool offering_ = false;
  bool stalled_ = false;
  bool wake_when_idle_ = false;
  std::size_t low_ = 0;  ///< of wake_when_low()
  Stalls stalls_;
  ReadyCycles cycles_;
};

namespace {

template <std::size_t N>
class AxisSourceOf final : public AxisSource {
 public:
  using AxisSource::AxisSource;

  bool sample(std::int64_t cycle) override {
    if (!cycles_.plain()) return sample_late(cycle);
    const bool was = offering_;
    if (was) {
      if (!ports_.ready.get()) {
        wait(cycle);
        return false;
      }
      transfer(cycle);
    }
    offering_ = cycle + 1 >= next_;
    return was | offering_ | idle_.changes();
  }

  void drive() override {
    ports_.valid.set(offering_);
    if (!offering_ && !(idle_.ahead() && at_ < now_.beats)) {
      idle_.drive(ports_);
      return;
    }
    const std::size_t at = static_cast<std::size_t>(at_);
    copy<N>(ports_.data, now_.data + at * ports_.bytes, ports_.bytes);
    if (ports_.keep) {
      const std::size_t size = ports_.keep_bytes();
      if (now_.keep) {
        copy<keep_size(N)>(ports_.keep, now_.keep + at * size, size);
      } else {
        set_all(ports_.keep, size);
      }
    }
    if (ports_.strobe) {
      // Every byte that is kept is a data byte, unless the beats have strobes of their own.
      const std::size_t size = ports_.keep_bytes();
      if (now_.keep) {
        std::memcpy(ports_.strobe, now_.keep + at * size, size);
      } else {
        set_all(ports_.strobe, size);
      }
    }
    ports_.last.set(now_.last && now_.last[at]);
    if (ports_.has_sides) {
      for (std::size_t i = 0; i < kSides; ++i) {
        if (ports_.sides[i].absent() || (i == kStrobe && !now_.sides[i])) continue;
        ports_.sides[i].set(now_.sides[i] ? now_.sides[i][at] : 0);
      }
    }
  }

 private:
  /// With a ready latency a beat is offered only in cycles that take it.
  bool sample_late(std::int64_t cycle) {
    const bool was = offering_;
    cycles_.next(ports_.ready.get());
    if (was && !cycles_.takes()) {
      wait(cycle);
      return false;
    }
    if (was) {
      transfer(cycle);
      cycles_.used();
    }
    offering_ = cycle + 1 >= next_;
    if (offering_ && cycles_.ahead() && !cycles_.will_take()) {
      offering_ = false;
      wait(cycle + 1);
    }
    return was | offering_ | idle_.changes();
  }

  void wait(std::int64_t cycle) {
    if (!stalled_) since_ = cycle;
    stalled_ = true;
  }

  void transfer(std::int64_t cycle) {
    if (stalled_) {
      stalls_.count(since_, cycle);
      stalled_ = false;
    }
    now_.cycles[at_] = cycle;
    if (++at_ == now_.beats) next_block();
    next_ = at_ < now_.beats ? cycle + 1 + gap() : kNever;
  }

  /// All bits that the port has.
  void set_all(void* bits, std::size_t size) {
    std::memset(bits, 0xFF, size);
    if (ports_.bytes % 8) static_cast<std::uint8_t*>(bits)[size - 1] = (1U << ports_.bytes % 8) - 1;
  }
};

// -- sink and monitor -------------------------------------------------------------------------------------------------

/// An array that only grows.
template <typename T>
class Column {
 public:
  Column() = default;
  ~Column() { std::free(data_); }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;

  /// Room for `size` elements, of which the first `used` are kept.
  void grow(std::size_t used, std::size_t size) {
    // Huge pages: most of the time that a long recording takes is the system's, for fresh pages.
    const std::size_t bytes = size * sizeof(T);
    const std::size_t page = bytes < 2 * kHuge ? 64 : kHuge;
    const std::size_t whole = (bytes + page - 1) / page * page;
    void* const bigger = std::aligned_alloc(page, whole);
    if (bigger == nullptr) throw std::bad_alloc();
    if (page == kHuge) madvise(bigger, whole, MADV_HUGEPAGE);
    if (used) std::memcpy(bigger, data_, used * sizeof(T));
    std::free(data_);
    data_ = static_cast<T*>(bigger);
  }
  T* data() const { return data_; }
  T* release() { return std::exchange(data_, nullptr); }

 private:
  static constexpr std::size_t kHuge = 1 << 21;
  T* data_ = nullptr;
};

}  // namespace

class AxisSink : public Transactor {
 public:
  AxisSink(std::string name, const GbAxisNames& names, bool passive)
      : Transactor(std::move(name)),
        ports_(names, passive ? Ports::Role::kMonitor : Ports::Role::kSink),
        passive_(passive),
        held_data_(ports_.bytes),
        held_keep_(ports_.keep_bytes()),
        held_strobe_(ports_.keep_bytes()) {}

  void check(const GbAxisCheck& check) {
    if (check.reset) reset_ = Bit(kernel().need(check.reset, true));
    has_reset_ = check.reset != nullptr;
    reset_high_ = check.reset_high != 0;
    whole_ = check.whole != 0;
    fifo_ = check.fifo != 0;
    avalon_ = check.avalon != 0;
    first_ = check.first;
    cycles_ready_.set(check.late);
  }

  void reset() override {
    in_reset_.end();
    open_ = false;
    open_channels_.clear();
    cycles_ready_.clear();
    low_since_ = kNever;
    willing_ = false;
    if (!passive_) ports_.ready.set(false);
    base_ = from_ = kNever;
    ready_ = Ready();
    stalled_ = false;
    stalls_.clear();
    taken_ = 0;
    bytes_alone_ = false;
    GbAxisColumns dropped = take();
    release(dropped);
  }

  /// Follow a ready pattern whose value 0 belongs to cycle `base`, and record from there on.
  void start(const GbPattern& pattern, std::int64_t base) {
    ready_ = Ready(pattern);
    if (ports_.ready.absent() && !ready_.always()) throw std::invalid_argument(name() + ": no TREADY to hold it back with");
    base_ = from_ = base;
  }

  /// Record no more.
  void stop() { from_ = kNever; }

  /// Make room for so many beats; `bytes_alone`: until the next reset no cycles, no TLAST and no sidebands but TSTRB are recorded.
  void expect(std::int64_t beats, bool bytes_alone) {
    bytes_alone_ = bytes_alone;
    if (beats > capacity_) reserve(beats);
  }

  /// Wake when so many beats, or frames, have been recorded since the last take().
  void wake_at(std::int64_t beats, std::int64_t frames) {
    wake_beats_ = beats;
    wake_frames_ = frames;
    set_limit();
    if (beats != kNever && beats > capacity_) reserve(beats + kFirst);
  }

  std::int64_t beats() const { return beats_; }
  std::int64_t frames() const { return frames_; }

  /// Hand over what was recorded and begin anew.
  GbAxisColumns take() {
    GbAxisColumns all{};
    all.beats = beats_;
    all.data = data_.release();
    all.keep = keep_.release();
    all.last = last_.release();
    for (std::size_t i = 0; i < kSides; ++i) all.sides[i] = sides_[i].release();
    all.cycles = cycles_.release();
    taken_ += beats_;
    beats_ = frames_ = capacity_ = 0;
    wake_at(kNever, kNever);
    return all;
  }

  static void release(GbAxisColumns& columns) {
    std::free(columns.data);
    std::free(columns.keep);
    std::free(columns.last);
    for (auto* side : columns.sides) std::free(side);
    std::free(columns.cycles);
  }

  std::int64_t stalled() const override { return stalled_ ? since_ : kNever; }
  const std::int64_t* stalls() const override { return stalls_.data(); }

  std::string waiting() const override {
    if (!stalled_) return {};
    return name() + ": tvalid without tready since cycle " + std::to_string(since_) + ", " +
           std::to_string(taken_ + beats_) + " beats transferred";
  }

 protected:
  static constexpr std::int64_t kFirst = 1024;

  /// The column is full, or the number of beats to wake at has been reached.
  void at_limit() {
    if (beats_ == wake_beats_) {
      wake_beats_ = kNever;
      wake();
    }
    set_limit();
  }

  void make_room() {
    if (beats_ < capacity_) return;
    reserve(std::max(kFirst, 2 * capacity_));
  }

  void reserve(std::int64_t beats) {
    capacity_ = beats;
    const auto used = static_cast<std::size_t>(beats_), size = static_cast<std::size_t>(capacity_);
    data_.grow(used * ports_.bytes, size * ports_.bytes);
    if (ports_.keep) keep_.grow(used * ports_.keep_bytes(), size * ports_.keep_bytes());
    if (!ports_.sides[kStrobe].absent()) sides_[kStrobe].grow(used, size);
    if (!bytes_alone_) {
      if (ports_.has_last) last_.grow(used, size);
      for (std::size_t i = 0; i < kStrobe; ++i) {
        if (!ports_.sides[i].absent()) sides_[i].grow(used, size);
      }
      cycles_.grow(used, size);
    }
    set_limit();
  }

  void set_limit() { limit_ = std::min(capacity_, wake_beats_); }

  // -- reset ------------------------------------------------------------------------------------------------------------

  bool resets() const { return reset_.get() == reset_high_; }

  /// True in reset, when nothing else is looked at.
  bool check_reset(std::int64_t cycle, bool valid) {
    if (resets()) {
      if (!in_reset_.running()) high_in_reset_ = false;
      in_reset_.edge();
      if (in_reset_.settled() && valid && !std::exchange(high_in_reset_, true)) {
        violation("axis_valid_in_reset", cycle, "tvalid is high after " + std::to_string(in_reset_.taken()) + " edges in reset");
      }
      stalled_ = open_ = false;
      open_channels_.clear();
      return true;
    }
    // After a short reset the design may still be in it.
    if (in_reset_.settled() && valid) {
      violation("axis_valid_after_reset", cycle, "tvalid is high at the first edge out of reset");
    }
    in_reset_.end();
    return false;
  }

  // -- what a beat says -------------------------------------------------------------------------------------------------

  /// A byte with TSTRB is data, so it must have TKEEP.
  void check_strobes(std::int64_t cycle) {
    const auto* keep = static_cast<const std::uint8_t*>(ports_.keep);
    if (keep == nullptr) return;
    for (std::size_t lane = 0; lane < ports_.bytes; ++lane) {
      if (!(ports_.strobe[lane / 8] & ~keep[lane / 8] & 1U << lane % 8)) continue;
      violation("axis_strobe_reserved", cycle, "tstrb without tkeep in lane " + std::to_string(lane));
      return;
    }
  }

  void check_packet(std::int64_t cycle) {
    const std::uint64_t id = ports_.sides[0].get(), dest = ports_.sides[1].get();
    if (open_ && (id != packet_id_ || dest != packet_dest_)) {
      violation("axis_interleaved", cycle, "tid " + std::to_string(id) + ", tdest " + std::to_string(dest) +
                                               " within the packet of tid " + std::to_string(packet_id_) + ", tdest " +
                                               std::to_string(packet_dest_));
    }
    if (!open_) {
      packet_id_ = id;
      packet_dest_ = dest;
    }
    open_ = !ports_.last.get();
  }

  /// Of Avalon-ST: packets of one channel begin and end in turn, and the last beat has a symbol.
  void check_avalon(std::int64_t cycle) {
    const std::uint64_t channel = ports_.sides[0].absent() ? 0 : ports_.sides[0].get();
    const bool open = open_channels_.count(channel) != 0, last = ports_.last.get();
    if (first_ >= 0 && (ports_.sides[2].get() >> first_ & 1) == open) {
      violation("avalonst_packet", cycle, open ? "startofpacket within a packet" : "a packet begins without startofpacket");
    }
    if (last) open_channels_.erase(channel);
    if (!last && !open) open_channels_.insert(channel);
    if (last && ports_.keep && all_left_out()) {
      violation("avalonst_empty", cycle, "empty is not less than the symbols of a beat");
    }
  }

  bool all_left_out() const {
    const auto* keep = static_cast<const std::uint8_t*>(ports_.keep);
    return std::all_of(keep, keep + ports_.keep_bytes(), [](std::uint8_t one) { return one == 0; });
  }

  Ports ports_;
  const bool passive_;
  Ready ready_;
  bool willing_ = false;        ///< value of tready from drive() on
  std::int64_t base_ = kNever;  ///< cycle of the pattern's value 0
  std::int64_t from_ = kNever;  ///< first cycle that is recorded
  bool stalled_ = false;
  std::int64_t since_ = 0;
  Stalls stalls_;
  // The payload of the stalled beat.
  std::vector<std::uint8_t> held_data_;
  std::vector<std::uint8_t> held_keep_;
  std::vector<std::uint8_t> held_strobe_;
  std::array<std::uint64_t, kSides> held_sides_{};
  bool held_last_ = false;
  Bit reset_;
  bool has_reset_ = false, reset_high_ = false;
  bool high_in_reset_ = false;  ///< reported in this reset
  ResetTime in_reset_;
  bool whole_ = false;
  bool fifo_ = false;
  bool avalon_ = false;
  int first_ = -1;
  ReadyCycles cycles_ready_;
  std::int64_t low_since_ = kNever;  ///< first cycle after the last one that takes a beat, with a latency
  std::set<std::uint64_t> open_channels_;
  bool bytes_alone_ = false;
  bool open_ = false;  ///< a packet has begun and not ended
  std::uint64_t packet_id_ = 0, packet_dest_ = 0;
  Column<std::uint8_t> data_;
  Column<std::uint8_t> keep_;
  Column<std::uint8_t> last_;
  std::array<Column<std::uint64_t>, kSides> sides_;
  Column<std::int64_t> cycles_;
  std::int64_t beats_ = 0;
  std::int64_t frames_ = 0;
  std::int64_t taken_ = 0;
  std::int64_t capacity_ = 0;
  std::int64_t limit_ = 0;
  std::int64_t wake_beats_ = kNever;
  std::int64_t wake_frames_ = kNever;
};

namespace {

template <std::size_t N>
class AxisSinkOf final : public AxisSink {
 public:
  using AxisSink::AxisSink;

  bool sample(std::int64_t cycle) override {
    const bool valid = ports_.valid.get();
    const bool resets = has_reset_ && check_reset(cycle, valid && !fifo_ && !avalon_);
    if (avalon_) {
      cycles_ready_.next(ports_.ready.get());
      if (cycle >= from_ && !resets) watch_avalon(cycle, valid);
    } else if (valid | stalled_) {
      if (cycle >= from_ && !resets) watch(cycle, valid);
    }
    if (passive_) return resets;
    bool willing = cycle + 1 >= base_;
    if (willing && !ready_.always()) willing = ready_.next(valid && !willing_ && cycle >= base_);
    const bool changes = willing != willing_;
    willing_ = willing;
    return changes | resets;
  }

  void drive() override {
    if (!passive_) ports_.ready.set(willing_);
    // Python has released the reset on the very edge, and the design has taken it without.
    if (!resets()) in_reset_.end();
  }

 private:
  void watch(std::int64_t cycle, bool valid) {
    if (fifo_ && !ports_.ready.get()) return;
    if (stalled_) {
      if (!valid) {
        violation("axis_valid_held", cycle, "tvalid fell without a transfer");
        stalled_ = false;
        return;
      }
      if (!same()) violation("axis_payload_stable", cycle, "payload changed while tvalid waited for tready");
    }
    if (ports_.strobe && !stalled_) check_strobes(cycle);
    if (ports_.ready.get()) {
      if (stalled_) {
        stalls_.count(since_, cycle);
        stalled_ = false;
      }
      record(cycle);
    } else if (!stalled_) {
      stalled_ = true;
      since_ = cycle;
      hold();
    }
  }

  /// Valid and payload may change while they wait: 683091, 5.9.1.
  void watch_avalon(std::int64_t cycle, bool valid) {
    const bool takes = cycles_ready_.takes();
    if (cycles_ready_.ahead()) {
      if (!takes && low_since_ == kNever) low_since_ = cycle;
      if (takes && low_since_ != kNever) {
        // A beat in the first cycle that takes one has waited for it.
        if (valid) stalls_.count(low_since_, cycle);
        low_since_ = kNever;
      }
      if (valid && !takes) violation("avalonst_valid_unready", cycle, "valid is high outside of a ready cycle");
    } else if (stalled_ && (takes || !valid)) {
      if (valid) stalls_.count(since_, cycle);
      stalled_ = false;
    } else if (valid && !takes && !stalled_) {
      stalled_ = true;
      since_ = cycle;
    }
    if (!valid || !takes) return;
    cycles_ready_.used();
    check_avalon(cycle);
    record(cycle);
  }

  void hold() {
    copy<N>(held_data_.data(), ports_.data, ports_.bytes);
    if (ports_.keep) copy<keep_size(N)>(held_keep_.data(), ports_.keep, ports_.keep_bytes());
    if (ports_.strobe) std::memcpy(held_strobe_.data(), ports_.strobe, ports_.keep_bytes());
    held_last_ = ports_.last.get();
    if (ports_.has_sides) {
      for (std::size_t i = 0; i < kSides; ++i) held_sides_[i] = ports_.sides[i].get();
    }
  }

  bool same() const {
    bool equal = std::memcmp(held_data_.data(), ports_.data, N ? N : ports_.bytes) == 0;
    if (ports_.keep) {
      equal &= std::memcmp(held_keep_.data(), ports_.keep, N ? keep_size(N) : ports_.keep_bytes()) == 0;
    }
    if (ports_.strobe) equal &= std::memcmp(held_strobe_.data(), ports_.strobe, ports_.keep_bytes()) == 0;
    equal &= held_last_ == ports_.last.get();
    if (ports_.has_sides) {
      for (std::size_t i = 0; i < kSides; ++i) equal &= held_sides_[i] == ports_.sides[i].get();
    }
    return equal;
  }

  void record(std::int64_t cycle) {
    if (whole_) check_packet(cycle);
    if (beats_ >= limit_) make_room();
    const auto at = static_cast<std::size_t>(beats_);
    copy<N>(data_.data() + at * ports_.bytes, ports_.data, ports_.bytes);
    if (ports_.keep) {
      const std::size_t size = ports_.keep_bytes();
      copy<keep_size(N)>(keep_.data() + at * size, ports_.keep, size);
    }
    if (!ports_.sides[kStrobe].absent()) sides_[kStrobe].data()[at] = ports_.sides[kStrobe].get();
    ++beats_;
    if (!bytes_alone_) record_rest(at, cycle);
    if (beats_ == limit_) at_limit();
  }

  /// All but the bytes.
  void record_rest(std::size_t at, std::int64_t cycle) {
    if (ports_.has_sides) {
      for (std::size_t i = 0; i < kStrobe; ++i) {
        if (!ports_.sides[i].absent()) sides_[i].data()[at] = ports_.sides[i].get();
      }
    }
    cycles_.data()[at] = cycle;
    if (ports_.has_last) {
      const bool last = ports_.last.get();
      last_.data()[at] = last;
      frames_ += last;
      if (last && frames_ == wake_frames_) wake();
    }
  }
};

}  // namespace
}  // namespace goldbeat

// Handles are pointers to the base class Transactor.
using goldbeat::AxisSink;
using goldbeat::AxisSource;
using goldbeat::Clock;
using goldbeat::guarded;
using goldbeat::kernel;
using goldbeat::Transactor;

namespace {

AxisSource& source(void* handle) { return *static_cast<AxisSource*>(static_cast<Transactor*>(handle)); }
AxisSink& sink(void* handle) { return *static_cast<AxisSink*>(static_cast<Transactor*>(handle)); }

}  // namespace

extern "C" {

void* gb_axis_source(const char* name, const char* port, const goldbeat::GbAxisNames* names) {
  return guarded(
      [&] {
        Clock& clock = kernel().clock(port);
        const goldbeat::Port& data = kernel().need(names->tdata, true);
        std::unique_ptr<AxisSource> made = goldbeat::with_size(data.bytes(), [&]<std::size_t N>() {
          return std::unique_ptr<AxisSource>(new goldbeat::AxisSourceOf<N>(name, *names, clock));
        });
        return static_cast<void*>(static_cast<Transactor*>(kernel().add(clock, std::move(made))));
      },
      static_cast<void*>(nullptr));
}

void gb_axis_send(void* handle, const goldbeat::GbAxisBeats* beats) { source(handle).send(*beats); }

void gb_axis_source_start(void* handle, std::int64_t base, std::int64_t earliest) {
  source(handle).start(base, earliest);
}

std::int64_t gb_axis_sent(void* handle) { return source(handle).sent(); }

int gb_axis_late(void* handle, const goldbeat::GbAxisLate* late) {
  return guarded(
      [&] {
        source(handle).late(*late);
        return 0;
      },
      -1);
}

int gb_axis_idle(void* handle) { return source(handle).idle(); }

void gb_axis_wake_when_idle(void* handle, int on) { source(handle).wake_when_idle(on != 0); }

void gb_axis_wake_when_low(void* handle, std::int64_t blocks) {
  source(handle).wake_when_low(static_cast<std::size_t>(blocks));
}

std::int64_t gb_axis_left(void* handle) { return static_cast<std::int64_t>(source(handle).left()); }

void* gb_axis_sink(const char* name, const char* port, const goldbeat::GbAxisNames* names, int passive) {
  return guarded(
      [&] {
        Clock& clock = kernel().clock(port);
        const goldbeat::Port* data = kernel().find(names->tdata);
        std::unique_ptr<AxisSink> made = goldbeat::with_size(data ? data->bytes() : 0, [&]<std::size_t N>() {
          return std::unique_ptr<AxisSink>(new goldbeat::AxisSinkOf<N>(name, *names, passive != 0));
        });
        return static_cast<void*>(static_cast<Transactor*>(kernel().add(clock, std::move(made))));
      },
      static_cast<void*>(nullptr));
}

int gb_axis_sink_start(void* handle, const goldbeat::GbPattern* pattern, std::int64_t base) {
  return guarded(
      [&] {
        sink(handle).start(*pattern, base);
        return 0;
      },
      -1);
}

int gb_axis_check(void* handle, const goldbeat::GbAxisCheck* check) {
  return guarded(
      [&] {
        sink(handle).check(*check);
        return 0;
      },
      -1);
}

void gb_axis_sink_stop(void* handle) { sink(handle).stop(); }

void gb_axis_expect(void* handle, std::int64_t beats, int bytes_alone) { sink(handle).expect(beats, bytes_alone != 0); }

void gb_axis_wake_at(void* handle, std::int64_t beats, std::int64_t frames) {
  sink(handle).wake_at(beats < 0 ? goldbeat::kNever : beats, frames < 0 ? goldbeat::kNever : frames);
}

std::int64_t gb_axis_beats(void* handle) { return sink(handle).beats(); }

std::int64_t gb_axis_frames(void* handle) { return sink(handle).frames(); }

void gb_axis_take(void* handle, goldbeat::GbAxisColumns* columns) { *columns = sink(handle).take(); }

void gb_free(void* column) { std::free(column); }

}  // extern "C"
