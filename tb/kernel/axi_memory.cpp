// SPDX-License-Identifier: Apache-2.0
//
// axi_memory.cpp - AXI4 slave memory on plain arrays. docs/memory.md is the contract of its timing.
//
// Write data reach the array in sample(), read data leave it in drive(): a read beat that is offered in some cycle sees all
// write beats of the cycles before, through whichever bundle they came. With late writes, it sees those that were answered.

#include <algorithm>
#include <array>
#include <deque>

#include "axi.h"
#include "pattern.h"
#include "regions.h"

namespace goldbeat {

extern "C" {

/// The named parameters of docs/memory.md.
struct GbAxiTiming {
  std::int64_t read_latency, read_jitter;
  std::int64_t slow_id, slow_cycles;  ///< reads of this ID take so many cycles more
  std::int64_t write_latency, write_jitter;
  std::int64_t max_reads, max_writes;
  std::int64_t data_ahead;
  std::uint64_t read_beats, read_cycles;    ///< bandwidth of R
  std::uint64_t write_beats, write_cycles;  ///< bandwidth of W
  std::uint64_t seed;
  int order;
  int await_data;  ///< hold the first addresses until write data are offered, or for long
  int late_writes;  ///< write data take effect with the response
  GbPattern aw_ready, w_ready, ar_ready;
  const std::int64_t *r_gaps, *b_gaps;  ///< idle cycles before each beat, repeated for ever; copied
  std::int64_t r_gap_count, b_gap_count;
  int users;                ///< RUSER, BUSER and WUSER follow from addresses; else the first two are 0
  std::uint64_t user_seed;  ///< of these
};

}  // extern "C"

namespace {

enum UserStream { kReadUser, kAnswerUser, kWriteUser };
constexpr std::uint64_t kPage = 4096;  ///< no burst goes beyond the end of one

/// A bandwidth: open in cycle k where floor((k + 1) beats / cycles) is more than floor(k beats / cycles).
class Gate {
 public:
  Gate() = default;
  Gate(std::uint64_t beats, std::uint64_t cycles) : beats_(beats), cycles_(cycles) {
    if (beats == 0 || beats > cycles) throw std::invalid_argument("a bandwidth of more than one beat a cycle, or of none");
  }
  bool next() {
    sum_ += beats_;
    if (sum_ < cycles_) return false;
    sum_ -= cycles_;
    return true;
  }

 private:
  std::uint64_t beats_ = 1;
  std::uint64_t cycles_ = 1;
  std::uint64_t sum_ = 0;
};

/// Idle cycles before one beat after the other.
class Gaps {
 public:
  Gaps() = default;
  Gaps(const std::int64_t* values, std::int64_t count) : values_(values, values + (values ? count : 0)) {}
  std::int64_t next() {
    if (values_.empty()) return 0;
    const std::int64_t value = values_[at_];
    if (++at_ == values_.size()) at_ = 0;
    return value;
  }

 private:
  std::vector<std::int64_t> values_;
  std::size_t at_ = 0;
};

/// A beat of write data that takes effect later.
struct LateBeat {
  std::uint32_t beat;
  std::vector<std::uint8_t> data;  ///< then the strobes
};

/// A burst whose response is not over.
struct Open {
  Burst burst;
  std::int64_t due = kNever;  ///< first cycle in which its response may be offered
  std::size_t row = 0;        ///< in the log
  std::uint32_t beat = 0;     ///< data beats transferred
  std::uint32_t response = kOkay;
  std::uint8_t* data = nullptr;  ///< of its region; null where nothing is read or written
  std::uint64_t origin = 0;      ///< the region's base
  bool whole = false;            ///< every beat fills the bus
  bool stores = true;            ///< no exclusive write that has failed
  const std::uint8_t* answers = nullptr;  ///< to accesses of its kind, by byte of its region; null: OKAY
  std::vector<LateBeat> late = {};

  std::uint8_t* at(std::uint64_t address) const { return data + (address - origin); }
  /// The response to the next beat: that of the burst unless its own bytes are refused.
  std::uint32_t answer() const {
    const std::uint32_t own = answers ? answers[burst.beat(beat) - origin] : std::uint32_t{kOkay};
    return own == kOkay ? response : own;
  }
};

/// An exclusive read that an exclusive write may follow.
struct Reserved {
  std::uint32_t id;
  std::uint64_t lowest, span;
};

/// Tells write data that wait for AWREADY from others: addresses are held until data are offered, or for a number of cycles that
/// differs each time. Data that came soon behind all of them have waited; data of a fixed latency have not.
class DataProbe {
 public:
  static constexpr std::array<std::int64_t, 4> kHolds = {48, 64, 80, 96};
  static constexpr std::int64_t kSoon = 16;

  void start(bool on) {
    decided_ = !on;
    holds_ = 0;
    held_ = 0;
    released_ = kNever;
  }

  /// AWVALID stands, and no other write lacks data: whether it is held on.
  bool hold(bool data) {
    if (decided_) return false;
    decided_ = data;
    return !decided_ && ++held_ <= kHolds[holds_];
  }
  bool decided() const { return decided_; }
  /// The address has transferred.
  void release(std::int64_t cycle) {
    if (!decided_ && held_ > kHolds[holds_]) released_ = cycle;
    held_ = 0;
  }
  /// At every edge behind: true when it is sure that the data wait.
  bool look(std::int64_t cycle, bool data) {
    if (released_ == kNever || (!data && cycle - released_ <= kSoon)) return false;
    decided_ = !data || ++holds_ == kHolds.size();
    released_ = kNever;
    return data && decided_;
  }

 private:
  bool decided_ = true;
  std::size_t holds_ = 0;    ///< addresses that were held in vain, and whose data then came soon
  std::int64_t held_ = 0;    ///< cycles of the one that stands
  std::int64_t released_ = kNever;
};

enum Order { kInOrder, kById, kInterleaved };

}  // namespace

class AxiMemory final : public Transactor {
 public:
  AxiMemory(std::string name, const GbAxiNames& names)
      : Transactor(std::move(name)),
        ports_(names, Side::kSlave),
        lite_(ports_.aw.len.absent() && ports_.ar.len.absent() && ports_.wlast.absent() && ports_.rlast.absent()) {}

  /// The address space; arrays must outlive the transactor's use.
  void map(const GbAxiRegion* regions, std::int64_t count) {
    regions_ = all_regions(regions, count);
    hit_ = 0;
  }

  void reset() override {
    ports_.rlast.set(false);
    for (Field* field : {&ports_.bid, &ports_.bresp, &ports_.rid, &ports_.rresp}) field->set(0);
    for (const Bytes* bytes : {&ports_.rdata, &ports_.buser, &ports_.ruser}) bytes->clear();
    base_ = expected_ = kNever;
    reads_.clear();
    writes_.clear();
    ahead_.clear();
    log_.clear();
    reserved_.clear();
    aw_ready_ = w_ready_ = ar_ready_ = b_valid_ = r_valid_ = b_fresh_ = r_fresh_ = mid_burst_ = false;
    drive();
  }

  /// Work from cycle `base` on, which is cycle 0 of every pattern.
  void start(const GbAxiTiming& timing, std::int64_t base) {
    if (timing.read_latency < 1 || timing.write_latency < 1) throw std::invalid_argument(name() + ": a latency below 1");
    if (timing.read_jitter < 0 || timing.write_jitter < 0) throw std::invalid_argument(name() + ": a jitter below 0");
    if (timing.max_reads < 1 || timing.max_writes < 1) throw std::invalid_argument(name() + ": an outstanding limit below 1");
    timing_ = timing;
    ar_pattern_ = Ready(timing.ar_ready);
    aw_pattern_ = Ready(timing.aw_ready);
    w_pattern_ = Ready(timing.w_ready);
    r_gate_ = Gate(timing.read_beats, timing.read_cycles);
    w_gate_ = Gate(timing.write_beats, timing.write_cycles);
    r_gaps_ = Gaps(timing.r_gaps, timing.r_gap_count);
    b_gaps_ = Gaps(timing.b_gaps, timing.b_gap_count);
    base_ = base;
    expected_ = kNever;
    r_free_ = base + r_gaps_.next();
    b_free_ = base + b_gaps_.next();
    read_count_ = write_count_ = read_choices_ = write_choices_ = 0;
    filling_ = 0;
    owed_ = taken_ = 0;
    data_probe_.start(timing.await_data != 0 && aw_pattern_.waits());
  }

  bool sample(std::int64_t cycle) override {
    if (expected_ == kNever && cycle + 1 < base_) return idle_.changes();
    if (cycle != expected_) renumber(cycle);
    expected_ = cycle + 1;
    changed_ = false;
    // Writes first: their data are there for a read that is offered in the next cycle.
    if (ports_.has_write) write_side(cycle);
    if (ports_.has_read) read_side(cycle);
    return changed_ | idle_.changes();
  }

  void drive() override {
    if (ports_.has_read) {
      ports_.ar.ready.set(ar_ready_);
      ports_.rvalid.set(r_valid_);
      if (r_fresh_) {
        show_data(reads_[r_at_]);
      } else if (!r_valid_) {
        drive_idle(reads_, [this](const Open& open) { show_data(open); }, ports_.rid, ports_.rresp, ports_.rlast, ports_.rdata,
                   ports_.ruser);
      }
    }
    if (ports_.has_write) {
      ports_.aw.ready.set(aw_ready_);
      ports_.wready.set(w_ready_);
      ports_.bvalid.set(b_valid_);
      if (b_fresh_) {
        show_response(writes_[b_at_]);
      } else if (!b_valid_) {
        drive_idle(writes_, [this](const Open& open) { show_response(open); }, ports_.bid, ports_.bresp, ports_.buser);
      }
    }
    r_fresh_ = b_fresh_ = false;
  }

  std::string waiting() const override {
    std::string text;
    const auto add = [&](const std::string& what) { text += (text.empty() ? name() + ": " : ", ") + what; };
    if (!reads_.empty()) add(outstanding(reads_, "read"));
    if (r_valid_) add("rvalid without rready since cycle " + std::to_string(r_since_));
    if (!writes_.empty()) add(outstanding(writes_, "write"));
    if (filling_ < writes_.size()) {
      const Open& open = writes_[filling_];
      add("waits for write data, " + std::to_string(open.beat) + " of " + std::to_string(open.burst.len + 1) + " beats taken");
    }
    if (b_valid_) add("bvalid without bready since cycle " + std::to_string(b_since_));
    if (!ahead_.empty()) add(std::to_string(ahead_.size()) + " beats of write data without an address");
    return text;
  }

  bool idle() const { return reads_.empty() && writes_.empty() && ahead_.empty(); }
  const std::vector<GbAxiAccess>& log() const { return log_; }

 private:
  std::string outstanding(const std::vector<Open>& open, const char* kind) const {
    return std::to_string(open.size()) + " " + kind + (open.size() == 1 ? "" : "s") + " outstanding, the oldest at " +
           hex(open[0].burst.address) + " (id " + std::to_string(open[0].burst.id) + ") since cycle " +
           std::to_string(log_[open[0].row].cycle);
  }

  /// The first edge, or the clock was stopped and started with other numbers: what is due stays as far away as it was.
  void renumber(std::int64_t cycle) {
    const std::int64_t shift = expected_ == kNever ? 0 : cycle - expected_;
    r_free_ += shift;
    b_free_ += shift;
    for (auto* all : {&reads_, &writes_}) {
      for (Open& open : *all) open.due += shift;
    }
  }

  // -- reads ------------------------------------------------------------------------------------------------------------

  void read_side(std::int64_t cycle) {
    const bool stands = ports_.ar.valid.get() && !ar_ready_ && cycle >= base_ && room(reads_, timing_.max_reads);
    if (ar_ready_ && ports_.ar.valid.get()) {
      Open open = accept(ports_.ar, cycle, false);
      const bool slow = static_cast<std::int64_t>(open.burst.id) == timing_.slow_id;
      open.due = cycle + timing_.read_latency + (slow ? timing_.slow_cycles : 0) + jitter(0, timing_.read_jitter, read_count_++);
      reads_.push_back(open);
    }
    if (r_valid_ && ports_.rready.get()) data_taken(cycle);
    const bool open = r_gate_.next();
    if (!r_valid_ && open && cycle + 1 >= r_free_) choose_data(cycle + 1);
    const bool pattern = ar_pattern_.next(stands);
    update(ar_ready_, pattern && room(reads_, timing_.max_reads));
  }

  void data_taken(std::int64_t cycle) {
    Open& open = reads_[r_at_];
    GbAxiAccess& row = log_[open.row];
    if (open.beat == 0) row.first = cycle;
    row.response = std::max(row.response, static_cast<std::uint8_t>(open.answer()));
    r_valid_ = false;
    changed_ = true;
    r_free_ = cycle + 1 + r_gaps_.next();
    if (open.beat++ == open.burst.len) {
      row.last = row.done = cycle;
      reads_.erase(reads_.begin() + static_cast<std::ptrdiff_t>(r_at_));
      mid_burst_ = false;
    } else {
      mid_burst_ = true;
    }
  }

  /// Offer a beat in cycle `next` if one is due.
  void choose_data(std::int64_t next) {
    if (timing_.order == kInterleaved || (timing_.order == kById && !mid_burst_)) {
      if (!choose(reads_, next, 2, read_choices_, r_at_)) return;
    } else if (timing_.order == kInOrder) {
      if (reads_.empty() || reads_[0].due > next) return;
      r_at_ = 0;
    }
    r_valid_ = r_fresh_ = changed_ = true;
    r_since_ = next;
  }

  /// A channel of responses without valid; `open`: what has not been answered.
  template <typename Show, typename... Signals>
  void drive_idle(const std::vector<Open>& open, Show show, Signals&... signals) {
    if (idle_.ahead() && !open.empty()) {
      show(open.front());
    } else {
      idle_.drive(signals...);
    }
  }

  void show_response(const Open& open) {
    ports_.bid.set(open.burst.id);
    ports_.bresp.set(open.response);
    ports_.buser.fill([&] { return user(kAnswerUser, open.burst.address / kPage); });
  }

  void show_data(const Open& open) {
    ports_.ruser.fill([&] { return user(kReadUser, open.burst.beat(open.beat) / ports_.bytes); });
    ports_.rid.set(open.burst.id);
    const std::uint32_t answer = open.answer();
    const bool shows = open.data && answer < kSlverr;
    ports_.rresp.set(answer);
    ports_.rlast.set(open.beat == open.burst.len);
    const std::uint64_t address = open.burst.beat(open.beat);
    if (open.whole && shows) {
      std::memcpy(ports_.rdata.data, open.at(address), ports_.bytes);
      return;
    }
    ports_.rdata.clear();
    if (!shows) return;
    if (idle_.random()) {
      std::uint64_t drawn = 0;
      ports_.rdata.fill([&] { return splitmix64(address, drawn++); });
    }
    const Lanes lanes(address, open.burst.bytes(), ports_.bytes);
    std::memcpy(ports_.rdata.data + lanes.first, open.at(address), lanes.count);
  }

  // -- writes -----------------------------------------------------------------------------------------------------------

  void write_side(std::int64_t cycle) {
    if (b_valid_) store_late(writes_[b_at_]);
    const bool aw_stands =
        ports_.aw.valid.get() && !aw_ready_ && cycle >= base_ && room(writes_, timing_.max_writes) && !awaits_data();
    const bool w_stands = ports_.wvalid.get() && !w_ready_ && cycle >= base_ && wanted();
    if (aw_ready_ && ports_.aw.valid.get()) {
      writes_.push_back(accept(ports_.aw, cycle, true));
      owed_ += writes_.back().burst.len + 1;
      data_probe_.release(cycle);
      for (; filling_ < writes_.size() && !ahead_.empty(); ahead_.pop_front()) {
        const Ahead& beat = ahead_.front();
        take_data(beat.cycle, cycle, beat.data.data(), ports_.wstrb.size ? beat.data.data() + ports_.bytes : nullptr, beat.user);
      }
    }
    if (w_ready_ && ports_.wvalid.get()) {
      ++taken_;
      if (filling_ < writes_.size()) {
        take_data(cycle, cycle, ports_.wdata.data, ports_.wstrb.data, ports_.wuser.low());
      } else {
        Ahead beat{cycle, ports_.wuser.low(), std::vector<std::uint8_t>(ports_.wdata.data, ports_.wdata.data + ports_.bytes)};
        beat.data.insert(beat.data.end(), ports_.wstrb.data, ports_.wstrb.data + ports_.wstrb.size);
        ahead_.push_back(std::move(beat));
      }
    }
    if (data_probe_.look(cycle, ports_.wvalid.get())) {
      violation(lite_ ? "axil_data_waits" : "axi_data_waits", cycle,
                "wvalid came at most 16 cycles after awready in each of 4 writes, whose awready had waited 48 to 96 cycles for it");
    }
    if (b_valid_ && ports_.bready.get()) {
      log_[writes_[b_at_].row].done = cycle;
      writes_.erase(writes_.begin() + static_cast<std::ptrdiff_t>(b_at_));
      --filling_;
      b_valid_ = false;
      changed_ = true;
      b_free_ = cycle + 1 + b_gaps_.next();
    }
    if (!b_valid_ && cycle + 1 >= b_free_) choose_response(cycle + 1);
    const bool aw_pattern = aw_pattern_.next(aw_stands);
    update(aw_ready_, aw_pattern && room(writes_, timing_.max_writes));
    const bool w_pattern = w_pattern_.next(w_stands);
    const bool w_open = w_gate_.next();
    update(w_ready_, w_pattern && w_open && wanted());
  }

  /// Whether an address that stands is held until its data are offered.
  bool awaits_data() {
    if (data_probe_.decided() || filling_ < writes_.size() || !ahead_.empty()) return false;
    return data_probe_.hold(ports_.wvalid.get());
  }

  /// A data beat that transferred in cycle `moved` meets its address in cycle `cycle`.
  void take_data(std::int64_t moved, std::int64_t cycle, const std::uint8_t* data, const std::uint8_t* strobe,
                 std::uint64_t written) {
    Open& open = writes_[filling_];
    GbAxiAccess& row = log_[open.row];
    if (open.beat == 0) row.first = moved;
    if (timing_.users && ports_.wuser.size) {
      const std::uint64_t wanted = user(kWriteUser, open.burst.beat(open.beat) / ports_.bytes);
      row.wrong_users += (written ^ wanted) & ports_.wuser.low_mask() ? 1 : 0;
    }
    if (const std::uint32_t own = open.answers ? open.answers[open.burst.beat(open.beat) - open.origin] : std::uint32_t{kOkay}; own != kOkay) {
      open.response = std::max(open.response, own);
      row.response = static_cast<std::uint8_t>(open.response);
    } else if (open.data && open.stores) {
      const std::uint64_t address = open.burst.beat(open.beat);
      lose(address, open.burst.bytes() - address % open.burst.bytes());
      if (timing_.late_writes) {
        LateBeat late{open.beat, std::vector<std::uint8_t>(data, data + ports_.bytes)};
        if (strobe) late.data.insert(late.data.end(), strobe, strobe + ports_.wstrb.size);
        open.late.push_back(std::move(late));
      } else {
        store(open, open.beat, data, strobe);
      }
    }
    if (open.beat++ < open.burst.len) return;
    row.last = moved;
    ++filling_;
    open.due = cycle + timing_.write_latency + jitter(1, timing_.write_jitter, write_count_++);
  }

  void store_late(Open& open) {
    for (const LateBeat& late : open.late) {
      const bool strobed = late.data.size() > ports_.bytes;
      store(open, late.beat, late.data.data(), strobed ? late.data.data() + ports_.bytes : nullptr);
    }
    open.late.clear();
  }

  void store(const Open& open, std::uint32_t beat, const std::uint8_t* data, const std::uint8_t* strobe) {
    const std::uint64_t address = open.burst.beat(beat);
    if (open.whole && all_set(strobe)) {
      std::memcpy(open.at(address), data, ports_.bytes);
      return;
    }
    const Lanes lanes(address, open.burst.bytes(), ports_.bytes);
    std::uint8_t* const to = open.at(address);
    for (std::uint64_t i = 0; i < lanes.count; ++i) {
      const std::uint64_t lane = lanes.first + i;
      if (strobe == nullptr || (strobe[lane / 8] >> lane % 8 & 1)) to[i] = data[lane];
    }
  }

  bool all_set(const std::uint8_t* strobe) const {
    if (strobe == nullptr) return true;
    if (ports_.bytes < 8) return *strobe == (1U << ports_.bytes) - 1;
    for (std::size_t i = 0; i < ports_.bytes / 8; ++i) {
      if (strobe[i] != 0xFF) return false;
    }
    return true;
  }

  void choose_response(std::int64_t next) {
    if (timing_.order == kInOrder) {
      if (writes_.empty() || writes_[0].due > next) return;
      b_at_ = 0;
    } else if (!choose(writes_, next, 3, write_choices_, b_at_)) {
      return;
    }
    b_valid_ = b_fresh_ = changed_ = true;
    b_since_ = next;
  }

  // -- both -------------------------------------------------------------------------------------------------------------

  static bool room(const std::vector<Open>& open, std::int64_t most) {
    return static_cast<std::int64_t>(open.size()) < most;
  }

  /// Whether a beat of write data has an address, or may come before it.
  bool wanted() const { return taken_ < owed_ + timing_.data_ahead; }

  void update(bool& ready, bool value) {
    changed_ |= ready != value;
    ready = value;
  }

  std::uint64_t user(UserStream stream, std::uint64_t index) const {
    return timing_.users ? splitmix64(timing_.user_seed + stream, index) : 0;
  }

  std::int64_t jitter(std::uint64_t stream, std::int64_t most, std::uint64_t index) const {
    if (most == 0) return 0;
    return static_cast<std::int64_t>(splitmix64(4 * timing_.seed + stream, index) % static_cast<std::uint64_t>(most + 1));
  }

  /// One of the bursts that are due, each the oldest of its ID. False where there is none.
  bool choose(const std::vector<Open>& open, std::int64_t next, std::uint64_t stream, std::uint64_t& count, std::size_t& at) {
    candidates_.clear();
    seen_.clear();
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (std::find(seen_.begin(), seen_.end(), open[i].burst.id) != seen_.end()) continue;
      seen_.push_back(open[i].burst.id);
      if (open[i].due <= next) candidates_.push_back(i);
    }
    if (candidates_.empty()) return false;
    at = candidates_[splitmix64(4 * timing_.seed + stream, count++) % candidates_.size()];
    return true;
  }

  /// The address handshake of a burst: look up its region and begin its row of the log.
  Open accept(const AddressPorts& channel, std::int64_t cycle, bool write) {
    Open open;
    open.burst = channel.get(ports_.full_size);
    // AXI-Lite transfers whole words, whatever the low bits of an address are (IHI 0022, B1.1.1).
    if (lite_) open.burst.address = open.burst.aligned();
    open.row = log_.size();
    open.whole = open.burst.size == ports_.full_size && open.burst.address % ports_.bytes == 0;
    std::int32_t index = -1;
    const Burst& burst = open.burst;
    if (burst.size > ports_.full_size || burst.type == kReserved) {
      open.response = kSlverr;
    } else {
      index = find(burst);
      if (index < 0) {
        open.response = kDecerr;
        violation("mem_bounds", cycle, outside(burst, write));
      } else {
        const Region& region = regions_[static_cast<std::size_t>(index)];
        if (write ? region.writable : region.readable) {
          open.data = region.data;
          open.origin = region.base;
          open.answers = region.answers_to(write);
          if (region.exclusive && channel.lock.get()) reserve(open, write);
        } else {
          open.response = kSlverr;
          violation("mem_rights", cycle, describe(burst, write) + " is in region " + region.name + ", which is not " +
                                             (write ? "writable" : "readable"));
        }
      }
    }
    GbAxiAccess row{};
    row.address = burst.address;
    row.cycle = cycle;
    row.first = row.last = row.done = -1;
    row.id = burst.id;
    row.region = index;
    row.len = static_cast<std::uint16_t>(burst.len);
    row.kind = write;
    row.size = static_cast<std::uint8_t>(burst.size);
    row.burst = static_cast<std::uint8_t>(burst.type);
    row.response = static_cast<std::uint8_t>(open.response);
    row.lock = static_cast<std::uint8_t>(channel.lock.get());
    row.cache = static_cast<std::uint8_t>(channel.cache.get());
    row.prot = static_cast<std::uint8_t>(channel.prot.get());
    row.qos = static_cast<std::uint8_t>(channel.qos.get());
    row.space = static_cast<std::uint8_t>(channel.region.get());
    if (channel.user.size) std::memcpy(&row.user, channel.user.data, std::min(channel.user.size, sizeof(row.user)));
    log_.push_back(row);
    return open;
  }

  /// An exclusive access: a read reserves its bytes, and a write of the same ID and bytes succeeds if nothing has written them.
  void reserve(Open& open, bool write) {
    const Reserved mine{open.burst.id, open.burst.lowest(), open.burst.span()};
    const auto same = [&](const Reserved& one) { return one.id == mine.id && one.lowest == mine.lowest && one.span == mine.span; };
    const auto found = std::find_if(reserved_.begin(), reserved_.end(), same);
    if (!write && found == reserved_.end()) reserved_.push_back(mine);
    open.stores = !write || found != reserved_.end();
    if (open.stores) open.response = kExokay;
  }

  /// Bytes are written: what was reserved there is so no longer.
  void lose(std::uint64_t address, std::uint64_t count) {
    const auto hit = [&](const Reserved& one) { return address < one.lowest + one.span && one.lowest < address + count; };
    if (!reserved_.empty()) reserved_.erase(std::remove_if(reserved_.begin(), reserved_.end(), hit), reserved_.end());
  }

  /// Index of the region that holds the whole burst, or -1.
  std::int32_t find(const Burst& burst) {
    const std::uint64_t lowest = burst.lowest();
    const std::uint64_t span = burst.span();
    if (hit_ < regions_.size() && regions_[hit_].holds(lowest, span)) return static_cast<std::int32_t>(hit_);
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      if (!regions_[i].holds(lowest, span)) continue;
      hit_ = i;
      return static_cast<std::int32_t>(i);
    }
    return -1;
  }

  static std::string describe(const Burst& burst, bool write) {
    return std::string(write ? "write" : "read") + " at " + hex(burst.address) + " (" + burst.text() + ")";
  }

  std::string outside(const Burst& burst, bool write) const {
    const std::uint64_t lowest = burst.lowest();
    for (const Region& region : regions_) {
      if (!region.holds(lowest, 1)) continue;
      return describe(burst, write) + " ends at " + hex(lowest + burst.span() - 1) + ", beyond region " + region.name +
             " (" + hex(region.base) + " to " + hex(region.base + region.size - 1) + ")";
    }
    return describe(burst, write) + " is outside of every region";
  }

  AxiPorts ports_;
  bool lite_;
  std::vector<Region> regions_;
  std::size_t hit_ = 0;  ///< the region found last
  GbAxiTiming timing_{};
  std::int64_t base_ = kNever;
  std::int64_t expected_ = kNever;  ///< number of the next edge
  Ready aw_pattern_, w_pattern_, ar_pattern_;
  DataProbe data_probe_;
  Gate r_gate_, w_gate_;
  Gaps r_gaps_, b_gaps_;

  std::vector<Open> reads_;   ///< in the order of their addresses
  std::vector<Open> writes_;  ///< the same
  std::size_t filling_ = 0;   ///< the first of writes_ that lacks data
  struct Ahead {
    std::int64_t cycle;
    std::uint64_t user;
    std::vector<std::uint8_t> data;  ///< then the strobes
  };
  std::deque<Ahead> ahead_;  ///< write data whose address has not come
  std::int64_t owed_ = 0;    ///< beats of all addresses so far
  std::int64_t taken_ = 0;   ///< beats of write data so far
  std::vector<Reserved> reserved_;
  std::vector<std::size_t> candidates_;
  std::vector<std::uint32_t> seen_;
  std::uint64_t read_count_ = 0, write_count_ = 0, read_choices_ = 0, write_choices_ = 0;

  bool aw_ready_ = false, w_ready_ = false, ar_ready_ = false;
  bool r_valid_ = false, r_fresh_ = false, mid_burst_ = false;
  std::size_t r_at_ = 0;      ///< of reads_: whose data are offered
  std::int64_t r_free_ = 0;   ///< first cycle in which the next beat may be offered
  std::int64_t r_since_ = 0;
  bool b_valid_ = false, b_fresh_ = false;
  std::size_t b_at_ = 0;
  std::int64_t b_free_ = 0;
  std::int64_t b_since_ = 0;
  bool changed_ = false;
  std::vector<GbAxiAccess> log_;
};

}  // namespace goldbeat

using goldbeat::AxiMemory;
using goldbeat::guarded;
using goldbeat::kernel;
using goldbeat::Transactor;

namespace {

AxiMemory& memory(void* handle) { return *static_cast<AxiMemory*>(static_cast<Transactor*>(handle)); }

}  // namespace

extern "C" {

void* gb_axi_memory(const char* name, const char* clock, const goldbeat::GbAxiNames* names) {
  return guarded(
      [&] {
        auto made = std::make_unique<AxiMemory>(name, *names);
        return static_cast<void*>(static_cast<Transactor*>(kernel().add(kernel().clock(clock), std::move(made))));
      },
      static_cast<void*>(nullptr));
}

int gb_axi_memory_map(void* handle, const goldbeat::GbAxiRegion* regions, std::int64_t count) {
  return guarded(
      [&] {
        memory(handle).map(regions, count);
        return 0;
      },
      -1);
}

int gb_axi_memory_start(void* handle, const goldbeat::GbAxiTiming* timing, std::int64_t base) {
  return guarded(
      [&] {
        memory(handle).start(*timing, base);
        return 0;
      },
      -1);
}

int gb_axi_memory_idle(void* handle) { return memory(handle).idle(); }

/// The log so far; valid until time goes on.
std::int64_t gb_axi_memory_log(void* handle, const goldbeat::GbAxiAccess** rows) {
  const auto& log = memory(handle).log();
  *rows = log.data();
  return static_cast<std::int64_t>(log.size());
}

}  // extern "C"
