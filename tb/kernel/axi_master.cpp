// SPDX-License-Identifier: Apache-2.0
//
// axi_master.cpp - AXI4 master that runs programs of bursts from plain arrays. docs/memory.md says when it offers what.

#include <algorithm>

#include "axi.h"
#include "pattern.h"

namespace goldbeat {

extern "C" {

/// One burst of a program.
struct GbAxiBurst {
  std::uint64_t address;
  std::int64_t not_before;  ///< cycle before which its address is not offered
  std::int64_t phase;       ///< not before the bursts of lower phases are over, those of all masters; rises along the program
  std::int64_t gap;         ///< idle cycles behind the address before it on the same channel
  std::int64_t beat;        ///< its first row in the table of beats
  std::uint64_t user;       ///< of the address channel, repeated where that is wider
  std::uint32_t id;
  std::uint16_t len;
  std::uint8_t kind;  ///< 0 read, 1 write
  std::uint8_t size, burst, lock, cache, prot, qos, region;
  std::uint8_t barrier;  ///< not before everything that comes earlier in the program is over, and nothing later before it
  std::uint8_t lead;     ///< of a write: cycles from the first offer of its data to that of its address
};

/// What became of it; cycles that have not come are -1.
struct GbAxiResult {
  std::int64_t offered;   ///< first cycle of its address
  std::int64_t cycle;     ///< of the address handshake
  std::int64_t first;     ///< data beat
  std::int64_t last;      ///< data beat
  std::int64_t done;      ///< of the write response; of a read, its last data beat
  std::int64_t response;  ///< the largest of its responses
};

/// A program with its table of beats: a row of `data` is as wide as the bus, a row of `strobes` has one bit a lane.
struct GbAxiProgram {
  const GbAxiBurst* bursts;
  std::int64_t count;
  std::uint8_t* data;              ///< to write, or read
  const std::uint8_t* strobes;     ///< null: the lanes of each beat
  const std::int64_t* gaps;        ///< idle cycles before each beat of write data; null: none
  std::uint8_t* responses;         ///< of each beat of read data
  const std::uint64_t* users;      ///< WUSER of each beat of write data, repeated where it is wider; null: 0
  std::uint64_t* answer_users;     ///< RUSER of each beat of read data, BUSER in the first beat of writes: their lowest 64 bits
  std::int64_t* cycles;            ///< in which each beat transferred
  GbAxiResult* results;
  std::int64_t max_reads, max_writes;
  std::int64_t data_ahead;  ///< beats of write data that may be offered while their addresses wait
  GbPattern r_ready, b_ready;
};

}  // extern "C"

class AxiMaster final : public Transactor {
 public:
  AxiMaster(std::string name, const GbAxiNames& names) : Transactor(std::move(name)), ports_(names, Side::kMaster) {}

  void reset() override {
    for (AddressPorts* channel : {&ports_.aw, &ports_.ar}) {
      put(*channel, GbAxiBurst{});
    }
    ports_.wlast.set(false);
    for (const Bytes* bytes : {&ports_.wdata, &ports_.wstrb, &ports_.wuser}) bytes->clear();
    program_ = GbAxiProgram{};
    running_ = aw_valid_ = w_valid_ = ar_valid_ = b_ready_ = r_ready_ = false;
    reads_ = writes_ = Channel{};
    read_open_.clear();
    write_open_.clear();
    w_burst_ = 0;
    drive();
  }

  /// Run a program from cycle `base` on, which is cycle 0 of the patterns; its arrays must live until it is over.
  void run(const GbAxiProgram& program, std::int64_t base) {
    if (running_) throw std::logic_error(name() + ": a program is running");
    reads_ = writes_ = Channel{};
    barriers_.clear();
    passed_ = 0;
    for (std::int64_t i = 0; i < program.count; ++i) {
      const GbAxiBurst& burst = program.bursts[i];
      if (burst.barrier) barriers_.push_back(i);
      const bool write = burst.kind != 0;
      if (write ? !ports_.has_write : !ports_.has_read) {
        throw std::invalid_argument(name() + ": no " + (write ? "write" : "read") + " channels");
      }
      (write ? writes_ : reads_).bursts.push_back(i);
    }
    program_ = program;
    r_pattern_ = Ready(program.r_ready);
    b_pattern_ = Ready(program.b_ready);
    base_ = base;
    reads_.free = writes_.free = w_free_ = base;
    w_burst_ = 0;
    w_beat_ = 0;
    done_ = 0;
    running_ = program.count != 0;
    if (!running_) wake();
  }

  bool busy() const { return running_; }
  std::int64_t phase() const override { return done_ < program_.count ? program_.bursts[done_].phase : kNever; }
  std::int64_t done() const { return done_; }

  bool sample(std::int64_t cycle) override {
    if (!running_ || cycle + 1 < base_) return idle_.changes_at(cycle);
    changed_ = false;
    // What ends in this cycle counts for what is offered in the next one.
    if (r_ready_ && ports_.rvalid.get()) take_data(cycle);
    if (b_ready_ && ports_.bvalid.get()) take_response(cycle);
    if (ports_.has_read) {
      if (ar_valid_ && ports_.ar.ready.get()) address_taken(reads_, read_open_, ar_valid_, cycle);
      if (!ar_valid_) offer(reads_, static_cast<std::int64_t>(read_open_.size()) < program_.max_reads, ar_valid_, cycle + 1);
      update(r_ready_, r_pattern_.next(ports_.rvalid.get() && !r_ready_));
    }
    if (ports_.has_write) {
      if (aw_valid_ && ports_.aw.ready.get()) address_taken(writes_, write_open_, aw_valid_, cycle);
      if (!aw_valid_) offer(writes_, static_cast<std::int64_t>(write_open_.size()) < program_.max_writes, aw_valid_, cycle + 1);
      if (w_valid_ && ports_.wready.get()) data_taken(cycle);
      if (!w_valid_) offer_data(cycle + 1);
      update(b_ready_, b_pattern_.next(ports_.bvalid.get() && !b_ready_));
    }
    if (done_ == program_.count && !aw_valid_ && !w_valid_ && !ar_valid_) {
      running_ = false;
      changed_ = true;
      r_ready_ = b_ready_ = false;
      wake();
    }
    return changed_ | idle_.changes();
  }

  void drive() override {
    if (ports_.has_read) {
      drive_address(ports_.ar, reads_, ar_valid_);
      ports_.rready.set(r_ready_);
    }
    if (ports_.has_write) {
      drive_address(ports_.aw, writes_, aw_valid_);
      ports_.wvalid.set(w_valid_);
      if (w_valid_ || (idle_.ahead() && w_burst_ < writes_.bursts.size())) {
        put_data();
      } else {
        idle_.drive(ports_.wdata, ports_.wstrb, ports_.wlast, ports_.wuser);
      }
      ports_.bready.set(b_ready_);
    }
  }

  std::string waiting() const override {
    if (!running_) return {};
    std::string text = name() + ": " + std::to_string(done_) + " of " + std::to_string(program_.count) + " bursts over";
    const auto since = [&](const Channel& channel) {
      return " since cycle " + std::to_string(program_.results[channel.current()].offered);
    };
    if (ar_valid_) text += ", arvalid without arready" + since(reads_);
    if (aw_valid_) text += ", awvalid without awready" + since(writes_);
    if (w_valid_) text += ", wvalid without wready since cycle " + std::to_string(w_since_);
    if (!read_open_.empty()) text += ", " + oldest(read_open_, "read data");
    if (!write_open_.empty()) text += ", " + oldest(write_open_, "write response");
    return text;
  }

 private:
  /// The bursts of one direction.
  struct Channel {
    std::vector<std::int64_t> bursts;  ///< their numbers in the program
    std::size_t next = 0;              ///< of `bursts`: offered, or the next to be
    std::size_t offered = 0;           ///< how many have been offered, or their data may be
    std::int64_t due = 0;              ///< cycle in which the next address is offered, once its data may be
    std::int64_t free = 0;             ///< first cycle in which the next one may be offered, less its gap

    std::int64_t current() const { return bursts[next]; }
  };

  /// A burst whose address has transferred.
  struct Pending {
    std::int64_t burst;
    std::uint32_t beat;
  };

  std::string oldest(const std::vector<Pending>& open, const char* what) const {
    const std::int64_t burst = open[0].burst;
    return std::to_string(open.size()) + " waiting for " + what + ", the oldest (burst " + std::to_string(burst) + " at " +
           hex(program_.bursts[burst].address) + ") since cycle " + std::to_string(program_.results[burst].cycle);
  }

  static Burst shape(const GbAxiBurst& burst) { return {burst.address, burst.id, burst.len, burst.size, burst.burst}; }

  static void put(AddressPorts& channel, const GbAxiBurst& burst) {
    channel.id.set(burst.id);
    channel.address.set(burst.address);
    channel.len.set(burst.len);
    channel.size.set(burst.size);
    channel.burst.set(burst.burst);
    channel.lock.set(burst.lock);
    channel.cache.set(burst.cache);
    channel.prot.set(burst.prot);
    channel.qos.set(burst.qos);
    channel.region.set(burst.region);
    channel.user.fill([&] { return burst.user; });
  }

  void drive_address(AddressPorts& ports, const Channel& channel, bool valid) {
    ports.valid.set(valid);
    if (valid || (idle_.ahead() && channel.next < channel.bursts.size())) {
      put(ports, program_.bursts[channel.current()]);
    } else {
      idle_.drive(ports);
    }
  }

  void put_data() {
    const GbAxiBurst& burst = program_.bursts[writes_.bursts[w_burst_]];
    const auto row = static_cast<std::size_t>(burst.beat) + w_beat_;
    std::memcpy(ports_.wdata.data, program_.data + row * ports_.bytes, ports_.bytes);
    ports_.wlast.set(w_beat_ == burst.len);
    ports_.wuser.fill([&] { return program_.users ? program_.users[row] : 0; });
    if (ports_.wstrb.size == 0) return;
    if (program_.strobes) {
      std::memcpy(ports_.wstrb.data, program_.strobes + row * ports_.wstrb.size, ports_.wstrb.size);
      return;
    }
    const Burst all = shape(burst);
    const Lanes lanes(all.beat(w_beat_), all.bytes(), ports_.bytes);
    ports_.wstrb.clear();
    for (std::uint64_t lane = lanes.first; lane < lanes.first + lanes.count; ++lane) {
      ports_.wstrb.data[lane / 8] |= static_cast<std::uint8_t>(1U << lane % 8);
    }
  }

  void update(bool& ready, bool value) {
    changed_ |= ready != value;
    ready = value;
  }

  /// Nobody is in an earlier phase.
  static bool begun(std::int64_t phase) {
    const auto& all = kernel().transactors_;
    return phase == 0 || std::all_of(all.begin(), all.end(), [phase](const auto& one) { return one->phase() >= phase; });
  }

  void offer(Channel& channel, bool room, bool& valid, std::int64_t cycle) {
    if (!room || channel.next == channel.bursts.size()) return;
    const std::int64_t index = channel.current();
    const GbAxiBurst& burst = program_.bursts[index];
    if (channel.offered == channel.next) {
      if (cycle < burst.not_before || cycle < channel.free + burst.gap || (burst.barrier && done_ != index)) return;
      if (!begun(burst.phase)) return;
      // What is behind a barrier in the program would otherwise go ahead of it on the other channel.
      if (passed_ < barriers_.size() && index > barriers_[passed_]) return;
      passed_ += burst.barrier;
      // Data may be offered from here on.
      ++channel.offered;
      channel.due = cycle + burst.lead;
    }
    if (cycle < channel.due) return;
    program_.results[index].offered = cycle;
    valid = changed_ = true;
  }

  void address_taken(Channel& channel, std::vector<Pending>& open, bool& valid, std::int64_t cycle) {
    program_.results[channel.current()].cycle = cycle;
    open.push_back({channel.current(), 0});
    ++channel.next;
    channel.free = cycle + 1;
    valid = false;
    changed_ = true;
  }

  void offer_data(std::int64_t cycle) {
    if (w_burst_ >= writes_.offered && !goes_ahead(cycle)) return;
    const GbAxiBurst& burst = program_.bursts[writes_.bursts[w_burst_]];
    const std::int64_t gap = program_.gaps ? program_.gaps[burst.beat + w_beat_] : 0;
    if (cycle < w_free_ + gap) return;
    w_valid_ = changed_ = true;
    w_since_ = cycle;
  }

  /// Whether data may be offered although their address is not yet; not in front of a barrier.
  bool goes_ahead(std::int64_t cycle) const {
    if (program_.data_ahead == 0 || w_burst_ == writes_.bursts.size()) return false;
    const std::int64_t index = writes_.bursts[w_burst_];
    if (cycle < program_.bursts[index].not_before || !begun(program_.bursts[index].phase)) return false;
    if (passed_ < barriers_.size() && index >= barriers_[passed_]) return false;
    std::int64_t beats = w_beat_;
    for (std::size_t at = writes_.next; at < w_burst_; ++at) beats += program_.bursts[writes_.bursts[at]].len + 1;
    return beats < program_.data_ahead;
  }

  void data_taken(std::int64_t cycle) {
    const std::int64_t index = writes_.bursts[w_burst_];
    const GbAxiBurst& burst = program_.bursts[index];
    GbAxiResult& result = program_.results[index];
    ++kernel().served;
    program_.cycles[burst.beat + w_beat_] = cycle;
    if (w_beat_ == 0) result.first = cycle;
    if (w_beat_ == burst.len) {
      result.last = cycle;
      w_beat_ = 0;
      ++w_burst_;
    } else {
      ++w_beat_;
    }
    w_free_ = cycle + 1;
    w_valid_ = false;
    changed_ = true;
  }

  /// The oldest open burst of an ID, or the end.
  std::vector<Pending>::iterator find(std::vector<Pending>& open, const Field& port) const {
    const std::uint64_t id = port.get();
    return std::find_if(open.begin(), open.end(), [&](const Pending& one) {
      return port.absent() || (program_.bursts[one.burst].id & port.mask()) == id;
    });
  }

  /// Beats and responses that nobody has asked for are the checker's business.
  void take_data(std::int64_t cycle) {
    const auto found = find(read_open_, ports_.rid);
    if (found == read_open_.end()) return;
    ++kernel().served;
    const GbAxiBurst& burst = program_.bursts[found->burst];
    GbAxiResult& result = program_.results[found->burst];
    const auto row = static_cast<std::size_t>(burst.beat) + found->beat;
    std::memcpy(program_.data + row * ports_.bytes, ports_.rdata.data, ports_.bytes);
    program_.responses[row] = static_cast<std::uint8_t>(ports_.rresp.get());
    program_.cycles[row] = cycle;
    program_.answer_users[row] = ports_.ruser.low();
    result.response = std::max<std::int64_t>(result.response, program_.responses[row]);
    if (found->beat == 0) result.first = cycle;
    if (found->beat++ < burst.len) return;
    result.last = result.done = cycle;
    ++done_;
    read_open_.erase(found);
  }

  void take_response(std::int64_t cycle) {
    const auto found = find(write_open_, ports_.bid);
    if (found == write_open_.end()) return;
    GbAxiResult& result = program_.results[found->burst];
    result.response = static_cast<std::int64_t>(ports_.bresp.get());
    program_.answer_users[program_.bursts[found->burst].beat] = ports_.buser.low();
    result.done = cycle;
    ++done_;
    ++kernel().served;
    write_open_.erase(found);
  }

  AxiPorts ports_;
  GbAxiProgram program_{};
  Ready r_pattern_, b_pattern_;
  std::int64_t base_ = 0;
  Channel reads_, writes_;
  std::vector<Pending> read_open_, write_open_;
  std::size_t w_burst_ = 0;    ///< of writes_: whose data are offered, or the next to be
  std::uint32_t w_beat_ = 0;
  std::int64_t w_free_ = 0;
  std::int64_t w_since_ = 0;
  std::int64_t done_ = 0;      ///< bursts that are over
  std::vector<std::int64_t> barriers_;  ///< their numbers in the program
  std::size_t passed_ = 0;              ///< of them, those that have been offered
  bool running_ = false, changed_ = false;
  bool aw_valid_ = false, w_valid_ = false, ar_valid_ = false, b_ready_ = false, r_ready_ = false;
};

}  // namespace goldbeat

using goldbeat::AxiMaster;
using goldbeat::guarded;
using goldbeat::kernel;
using goldbeat::Transactor;

namespace {

AxiMaster& master(void* handle) { return *static_cast<AxiMaster*>(static_cast<Transactor*>(handle)); }

}  // namespace

extern "C" {

void* gb_axi_master(const char* name, const char* clock, const goldbeat::GbAxiNames* names) {
  return guarded(
      [&] {
        auto made = std::make_unique<AxiMaster>(name, *names);
        return static_cast<void*>(static_cast<Transactor*>(kernel().add(kernel().clock(clock), std::move(made))));
      },
      static_cast<void*>(nullptr));
}

int gb_axi_master_run(void* handle, const goldbeat::GbAxiProgram* program, std::int64_t base) {
  return guarded(
      [&] {
        master(handle).run(*program, base);
        return 0;
      },
      -1);
}

int gb_axi_master_busy(void* handle) { return master(handle).busy(); }

/// Bursts of the program that are over.
std::int64_t gb_axi_master_done(void* handle) { return master(handle).done(); }

}  // extern "C"
