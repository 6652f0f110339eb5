// SPDX-License-Identifier: Apache-2.0
//
// axi_checker.cpp - protocol rules of AXI4 and AXI-Lite bundles. It drives nothing. rules.py says what each rule means.
//
// What a channel offers is judged in the first cycle of its valid, requests are counted when they transfer. Responses are
// judged before the requests of the same cycle: they must follow them.

#include <algorithm>
#include <array>
#include <deque>
#include <unordered_map>

#include "axi.h"

namespace goldbeat {

extern "C" {

/// What the checker must know beyond the ports.
struct GbAxiCheck {
  const char* reset;   ///< input of the top module; null: none
  int reset_high;      ///< its polarity
  int lite;            ///< AXI-Lite: rules are called axil_*
  int narrow;          ///< narrow bursts are supported
  int fixed;           ///< FIXED bursts are supported
  int interleaved;     ///< read data of different bursts may be interleaved
  std::int64_t lead;   ///< beats of write data that may precede their address
};

/// The longest wait of a channel: cycles with valid and without ready, of what has transferred.
struct GbAxiWait {
  std::int64_t since;   ///< cycle in which it was offered
  std::int64_t cycles;  ///< 0: nothing has waited
};

}  // extern "C"

namespace {

class Channel {
 public:
  Channel() = default;
  Channel(const char* name, const Bit& valid, const Bit& ready) : name_(name), valid_(valid), ready_(ready) {}

  void add(const char* role, const Port* port) {
    if (port == nullptr) return;
    payload_.push_back({role, Bytes(port), {}});
  }

  const char* name() const { return name_; }
  bool valid() const { return valid_.get(); }
  /// In this cycle a beat is offered that was not offered in the one before.
  bool fresh() const { return valid() && !stalled_; }
  bool moves() const { return valid() && ready_.get(); }
  bool stalled() const { return stalled_; }
  void clear() { stalled_ = false; }

  /// The first payload signal that is not what it was when the beat was offered.
  const char* changed() const {
    for (const Signal& signal : payload_) {
      if (std::memcmp(signal.held.data(), signal.now.data, signal.now.size) != 0) return signal.role;
    }
    return nullptr;
  }

  const GbAxiWait& longest() const { return longest_; }
  void clear_longest() { longest_ = {}; }

  /// The end of a cycle.
  void keep(std::int64_t cycle) {
    const bool stalls = valid() && !ready_.get();
    if (stalled_ && !stalls && valid() && cycle - since_ > longest_.cycles) longest_ = {since_, cycle - since_};
    if (stalls && !stalled_) {
      since_ = cycle;
      for (Signal& signal : payload_) signal.held.assign(signal.now.data, signal.now.data + signal.now.size);
    }
    stalled_ = stalls;
  }

 private:
  struct Signal {
    const char* role;
    Bytes now;
    std::vector<std::uint8_t> held;
  };
  const char* name_ = "";
  Bit valid_, ready_;
  std::vector<Signal> payload_;
  GbAxiWait longest_{};
  std::int64_t since_ = 0;
  bool stalled_ = false;
};

/// The last complete exclusive read of an ID, which an exclusive write is to follow.
struct Monitored {
  Burst burst;
  std::array<std::uint64_t, 3> attributes{};  ///< AxCACHE, AxPROT, AxREGION
  std::int64_t done = 0;                      ///< cycle of its last data
  bool granted = false;                       ///< all of it was EXOKAY
  bool lost = false;                          ///< a write of another ID has changed its bytes since
};

/// A burst without its (whole) response.
struct Request {
  Burst burst;
  bool exclusive = false;
  std::array<std::uint64_t, 3> attributes{};  ///< AxCACHE, AxPROT, AxREGION
  std::int64_t cycle = 0;                     ///< address handshake
  bool okay = true;                           ///< of an exclusive read: EXOKAY so far; of an exclusive write: may be answered so
  std::vector<std::uint64_t> bytes{};         ///< that are written, while exclusive reads are monitored
  std::uint32_t beat = 0;  ///< data beats transferred
  bool whole = false;      ///< all write data have transferred
  bool answered = false;   ///< too early
};

}  // namespace

class AxiChecker final : public Transactor {
 public:
  AxiChecker(std::string name, const GbAxiNames& names, const GbAxiCheck& check)
      : Transactor(std::move(name)), ports_(names, Side::kMonitor), check_(check) {
    const Finder find(Side::kMonitor);
    if (check.reset) reset_ = Bit(*find.port(check.reset, true));
    check_.reset = nullptr;
    has_wlast_ = names.wlast != nullptr;
    has_rlast_ = names.rlast != nullptr;
    if (ports_.has_write) {
      aw_ = Channel("aw", ports_.aw.valid, ports_.aw.ready);
      for (const auto& [role, port] : {std::pair{"awid", names.awid}, {"awaddr", names.awaddr}, {"awlen", names.awlen},
                                       {"awsize", names.awsize}, {"awburst", names.awburst}, {"awlock", names.awlock},
                                       {"awcache", names.awcache}, {"awprot", names.awprot}, {"awqos", names.awqos},
                                       {"awregion", names.awregion}, {"awuser", names.awuser}}) {
        aw_.add(role, find.port(port, true));
      }
      w_ = Channel("w", ports_.wvalid, ports_.wready);
      for (const auto& [role, port] :
           {std::pair{"wdata", names.wdata}, {"wstrb", names.wstrb}, {"wlast", names.wlast}, {"wuser", names.wuser}}) {
        w_.add(role, find.port(port, true));
      }
      b_ = Channel("b", ports_.bvalid, ports_.bready);
      for (const auto& [role, port] : {std::pair{"bid", names.bid}, {"bresp", names.bresp}, {"buser", names.buser}}) {
        b_.add(role, find.port(port, true));
      }
      channels_.insert(channels_.end(), {&aw_, &w_, &b_});
    }
    if (ports_.has_read) {
      ar_ = Channel("ar", ports_.ar.valid, ports_.ar.ready);
      for (const auto& [role, port] : {std::pair{"arid", names.arid}, {"araddr", names.araddr}, {"arlen", names.arlen},
                                       {"arsize", names.arsize}, {"arburst", names.arburst}, {"arlock", names.arlock},
                                       {"arcache", names.arcache}, {"arprot", names.arprot}, {"arqos", names.arqos},
                                       {"arregion", names.arregion}, {"aruser", names.aruser}}) {
        ar_.add(role, find.port(port, true));
      }
      r_ = Channel("r", ports_.rvalid, ports_.rready);
      for (const auto& [role, port] : {std::pair{"rid", names.rid}, {"rdata", names.rdata}, {"rresp", names.rresp},
                                       {"rlast", names.rlast}, {"ruser", names.ruser}}) {
        r_.add(role, find.port(port, true));
      }
      channels_.insert(channels_.end(), {&ar_, &r_});
    }
  }

  void reset() override {
    forget();
    for (Channel* channel : channels_) channel->clear_longest();
    in_reset_.end();
  }

  /// Of AW, W, B, AR and R.
  void waits(GbAxiWait* longest) const {
    for (const Channel* channel : {&aw_, &w_, &b_, &ar_, &r_}) *longest++ = channel->longest();
  }

  void drive() override {
    // Python has released the reset on the very edge, and the design has taken it without.
    if (!resets()) in_reset_.end();
  }

  bool sample(std::int64_t cycle) override {
    if (resets()) {
      check_reset(cycle);
      return true;
    }
    if (in_reset_.running()) check_first_edge(cycle);
    for (Channel* channel : channels_) {
      if (channel->stalled()) check_held(*channel, cycle);
    }
    if (ports_.has_write) {
      const bool early = b_.valid() && check_response(cycle);
      if (aw_.fresh()) check_address(ports_.aw, "aw", cycle);
      if (aw_.moves()) {
        writes_.push_back(request(ports_.aw, cycle));
        writes_.back().answered = early;
        if (writes_.back().exclusive) writes_.back().okay = granted_;
        for (; !ahead_.empty() && unfilled() != nullptr; ahead_.pop_front()) {
          check_data(*unfilled(), ahead_.front().strobes.data(), ahead_.front().last, ahead_.front().cycle);
        }
      }
      if (w_.moves()) data_moves(cycle);
    }
    if (ports_.has_read) {
      const bool early = r_.valid() && check_read_data(cycle);
      if (ar_.fresh()) check_address(ports_.ar, "ar", cycle);
      if (ar_.moves()) {
        reads_.push_back(request(ports_.ar, cycle));
        if (early && reads_.back().beat++ == reads_.back().burst.len) reads_.pop_back();
      }
    }
    for (Channel* channel : channels_) channel->keep(cycle);
    return false;
  }

 private:
  bool resets() const { return !reset_.absent() && reset_.get() == (check_.reset_high != 0); }

  void forget() {
    for (Channel* channel : channels_) channel->clear();
    writes_.clear();
    reads_.clear();
    ahead_.clear();
    monitored_.clear();
    regions_.clear();
  }

  /// A rule of both protocols: `held` is axi_held or axil_held.
  void broken(const char* axi, const char* axil, std::int64_t cycle, const std::string& text) {
    violation(check_.lite ? axil : axi, cycle, text);
  }

  // -- handshakes -------------------------------------------------------------------------------------------------------

  void check_reset(std::int64_t cycle) {
    forget();
    if (!in_reset_.running()) high_in_reset_.fill(false);
    in_reset_.edge();
    if (!in_reset_.settled()) return;
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      if (!channels_[i]->valid() || std::exchange(high_in_reset_[i], true)) continue;
      broken("axi_valid_in_reset", "axil_valid_in_reset", cycle,
             std::string(channels_[i]->name()) + "valid is high after " + std::to_string(in_reset_.taken()) + " edges in reset");
    }
  }

  /// The first edge out of reset: a valid that is high there has risen before it.
  void check_first_edge(std::int64_t cycle) {
    // After a short reset the design may still be in it.
    if (in_reset_.settled()) {
      for (const Channel* channel : channels_) {
        if (!channel->valid()) continue;
        broken("axi_valid_after_reset", "axil_valid_after_reset", cycle,
               std::string(channel->name()) + "valid is high at the first edge out of reset");
      }
    }
    in_reset_.end();
  }

  void check_held(Channel& channel, std::int64_t cycle) {
    if (!channel.valid()) {
      broken("axi_valid_held", "axil_valid_held", cycle, std::string(channel.name()) + "valid fell without a transfer");
    } else if (const char* changed = channel.changed()) {
      broken("axi_payload_stable", "axil_payload_stable", cycle,
             std::string(changed) + " changed while " + channel.name() + "valid waited for " + channel.name() + "ready");
    }
  }

  // -- requests ---------------------------------------------------------------------------------------------------------

  static std::array<std::uint64_t, 3> attributes(const AddressPorts& channel) {
    return {channel.cache.get(), channel.prot.get(), channel.region.get()};
  }

  Request request(const AddressPorts& channel, std::int64_t cycle) const {
    return {channel.get(ports_.full_size), channel.lock.get() != 0, attributes(channel), cycle};
  }

  void check_address(const AddressPorts& channel, const char* way, std::int64_t cycle) {
    if (check_.lite) return;
    const Burst burst = channel.get(ports_.full_size);
    const std::string what = std::string(way) + " at " + hex(burst.address) + ", " + burst.text();
    const bool sound = burst.size <= ports_.full_size && burst.type != kReserved;
    if (burst.size > ports_.full_size) {
      violation("axi_size", cycle, what + ": wider than the bus of " + std::to_string(ports_.bytes) + " bytes");
    }
    if (burst.type == kReserved) violation("axi_burst_type", cycle, what);
    if (burst.type == kWrap) {
      const std::uint32_t beats = burst.len + 1;
      if (beats < 2 || beats > 16 || (beats & burst.len) != 0) violation("axi_wrap_length", cycle, what);
      if (burst.address % burst.bytes() != 0) violation("axi_wrap_alignment", cycle, what);
    }
    if (burst.type == kFixed) {
      if (burst.len > 15) violation("axi_fixed_length", cycle, what);
      if (!check_.fixed) violation("axi_fixed_unsupported", cycle, what);
    }
    if (burst.type == kIncr && sound && burst.address >> 12 != (burst.address + burst.span() - 1) >> 12) {
      violation("axi_4k_boundary", cycle, what);
    }
    if (burst.size < ports_.full_size && !check_.narrow) violation("axi_narrow_unsupported", cycle, what);
    if (channel.lock.get()) {
      const std::uint64_t total = burst.total();
      if (total > 128 || (total & (total - 1)) != 0 || burst.len > 15 || burst.address % total != 0) {
        violation("axi_exclusive", cycle, what + ", " + std::to_string(total) + " bytes");
      }
      if (&channel == &ports_.aw) {
        check_pair(burst, what, cycle);
      } else {
        // From here on a write must wait for this read.
        monitored_.erase(burst.id);
      }
    }
    if (!channel.region.absent()) check_region(burst.address, channel.region.get(), what, cycle);
    if (!channel.cache.absent()) {
      const std::uint64_t cache = channel.cache.get();
      if ((cache & 2) == 0 && (cache & 12) != 0) violation("axi_cache", cycle, what + ": cache " + hex(cache));
    }
  }

  /// An exclusive write needs an exclusive read of its own that is complete.
  void check_pair(const Burst& burst, const std::string& what, std::int64_t cycle) {
    const auto found = monitored_.find(burst.id);
    granted_ = true;
    if (found == monitored_.end()) {
      violation("axi_exclusive_pair", cycle, what + ": no exclusive read of its ID is complete");
      return;
    }
    const Monitored& read = found->second;
    granted_ = read.granted && !read.lost;
    if (read.burst.address != burst.address || read.burst.len != burst.len || read.burst.size != burst.size ||
        read.burst.type != burst.type) {
      violation("axi_exclusive_pair", cycle,
                what + ": the exclusive read was at " + hex(read.burst.address) + ", " + read.burst.text());
    } else {
      static const char* const names[] = {"cache", "prot", "region"};
      const auto now = attributes(ports_.aw);
      for (std::size_t i = 0; i < now.size(); ++i) {
        if (now[i] == read.attributes[i]) continue;
        violation("axi_exclusive_pair", cycle,
                  what + ": " + names[i] + " " + hex(now[i]) + ", of the exclusive read " + hex(read.attributes[i]));
        break;
      }
    }
    monitored_.erase(found);
  }

  /// A write is over: the exclusive reads of other IDs that it has followed, and whose bytes it has changed, are lost.
  void lose(const Request& write) {
    for (auto& [id, read] : monitored_) {
      if (id == write.burst.id || write.cycle <= read.done) continue;
      const std::uint64_t first = read.burst.lowest(), count = read.burst.span();
      read.lost |= std::any_of(write.bytes.begin(), write.bytes.end(), [&](std::uint64_t at) { return at - first < count; });
    }
  }

  void check_region(std::uint64_t address, std::uint64_t region, const std::string& what, std::int64_t cycle) {
    const auto [found, first] = regions_.try_emplace(address >> 12, region);
    if (!first && found->second != region) {
      violation("axi_region", cycle, what + ": region " + std::to_string(region) + ", these 4 KiB were in region " +
                                         std::to_string(found->second));
    }
  }

  /// The oldest write that lacks data, or null.
  Request* unfilled() {
    const auto found = std::find_if(writes_.begin(), writes_.end(), [](const Request& one) { return !one.whole; });
    return found == writes_.end() ? nullptr : &*found;
  }

  void data_moves(std::int64_t cycle) {
    const bool last = ports_.wlast.get();
    if (Request* open = unfilled()) {
      check_data(*open, ports_.wstrb.data, last, cycle);
      return;
    }
    ahead_.push_back({cycle, last, std::vector<std::uint8_t>(ports_.wstrb.data, ports_.wstrb.data + ports_.wstrb.size)});
    if (static_cast<std::int64_t>(ahead_.size()) == check_.lead + 1) {
      broken("axi_data_before_address", "axil_data_before_address", cycle,
             std::to_string(ahead_.size()) + " beats of write data without an address");
    }
  }

  void check_data(Request& open, const std::uint8_t* strobes, bool last, std::int64_t cycle) {
    const Burst& burst = open.burst;
    const auto beat = [&] { return "beat " + std::to_string(open.beat) + " of the write at " + hex(burst.address) + ", " + burst.text(); };
    const bool ends = open.beat == burst.len;
    if (has_wlast_ && last && !ends) violation("axi_wlast_early", cycle, "wlast on " + beat());
    if (has_wlast_ && !last && ends) violation("axi_wlast_late", cycle, "no wlast on " + beat());
    if (ports_.wstrb.size && !check_.lite && burst.size < ports_.full_size + 1) {
      const Lanes lanes(burst.beat(open.beat), burst.bytes(), ports_.bytes);
      for (std::uint64_t lane = 0; lane < ports_.bytes; ++lane) {
        if (!(strobes[lane / 8] >> lane % 8 & 1) || (lane >= lanes.first && lane < lanes.first + lanes.count)) continue;
        violation("axi_strobe_lanes", cycle, "wstrb of lane " + std::to_string(lane) + " on " + beat());
        break;
      }
    }
    if (!monitored_.empty()) note_bytes(open, strobes);
    ++open.beat;
    open.whole = ends;
    if (ends && open.answered) writes_.erase(writes_.begin() + (&open - writes_.data()));
  }

  void note_bytes(Request& open, const std::uint8_t* strobes) {
    const std::uint64_t address = open.burst.beat(open.beat);
    const Lanes lanes(address, open.burst.bytes(), ports_.bytes);
    for (std::uint64_t lane = lanes.first; lane < lanes.first + lanes.count; ++lane) {
      if (ports_.wstrb.size && !(strobes[lane / 8] >> lane % 8 & 1)) continue;
      open.bytes.push_back(address + lane - lanes.first);
    }
  }

  // -- responses --------------------------------------------------------------------------------------------------------

  /// The oldest request of the ID on `port`, or the end.
  static std::vector<Request>::iterator find(std::vector<Request>& open, const Field& port) {
    const std::uint64_t id = port.get();
    return std::find_if(open.begin(), open.end(),
                        [&](const Request& one) {
                          return !one.answered && (port.absent() || (one.burst.id & port.mask()) == id);
                        });
  }

  void check_code(const Field& port, const char* role, const Request& open, std::int64_t cycle) {
    if (port.get() == kExokay && !open.exclusive) {
      broken("axi_exokay", "axil_exokay", cycle, std::string(role) + " is EXOKAY, the access at " + hex(open.burst.address) +
                                                      " is not exclusive");
    }
  }

  /// A response moves in the very cycle of the address that it answers: what is taken then, and nothing later, belongs to it.
  static bool answers_now(const Channel& address, const AddressPorts& ports, const Field& id) {
    return address.moves() && (id.absent() || (ports.id.get() & id.mask()) == id.get());
  }

  /// Whether it answers the write whose address moves in this cycle.
  bool check_response(std::int64_t cycle) {
    const bool now = answers_now(aw_, ports_.aw, ports_.bid);
    const auto open = find(writes_, ports_.bid);
    if (b_.fresh()) {
      if (std::all_of(writes_.begin(), writes_.end(), [](const Request& one) { return one.answered; })) {
        broken("axi_b_without_request", "axil_b_without_request", cycle,
               now ? "bvalid in the very cycle of the awready that it answers, it must follow" : "bvalid without an outstanding write");
      } else if (open == writes_.end()) {
        violation("axi_b_id", cycle, "bid " + hex(ports_.bid.get()) + " is no ID of an outstanding write");
      } else {
        if (!open->whole) {
          broken("axi_b_before_data", "axil_b_before_data", cycle, "bvalid for the write at " + hex(open->burst.address) +
                                                                        " before its last data beat");
        }
        check_code(ports_.bresp, "bresp", *open, cycle);
        if (open->exclusive && !open->okay && ports_.bresp.get() == kExokay) {
          violation("axi_exclusive_response", cycle,
                    "bresp is EXOKAY for the exclusive write at " + hex(open->burst.address) +
                        ", whose read was not, or whose bytes another ID has written since");
        }
      }
    }
    if (!b_.moves()) return false;
    if (open == writes_.end()) return now;
    if (ports_.bresp.get() == kExokay || (ports_.bresp.get() == kOkay && !open->exclusive)) lose(*open);
    if (open->whole) {
      writes_.erase(open);
    } else {
      open->answered = true;
    }
    return false;
  }

  /// Whether it answers the read whose address moves in this cycle.
  bool check_read_data(std::int64_t cycle) {
    const bool now = answers_now(ar_, ports_.ar, ports_.rid);
    const auto open = find(reads_, ports_.rid);
    if (r_.fresh()) {
      if (reads_.empty()) {
        broken("axi_r_without_request", "axil_r_without_request", cycle,
               now ? "rvalid in the very cycle of the arready that it answers, it must follow" : "rvalid without an outstanding read");
      } else if (open == reads_.end()) {
        violation("axi_r_id", cycle, "rid " + hex(ports_.rid.get()) + " is no ID of an outstanding read");
      } else {
        const Burst& burst = open->burst;
        const bool ends = open->beat == burst.len;
        const auto beat = [&] {
          return "beat " + std::to_string(open->beat) + " of the read at " + hex(burst.address) + ", " + burst.text();
        };
        if (has_rlast_ && ports_.rlast.get() && !ends) violation("axi_rlast_early", cycle, "rlast on " + beat());
        if (has_rlast_ && !ports_.rlast.get() && ends) violation("axi_rlast_late", cycle, "no rlast on " + beat());
        check_code(ports_.rresp, "rresp", *open, cycle);
        if (check_.interleaved == 0) check_whole(*open, cycle);
      }
    }
    if (!r_.moves()) return false;
    if (open == reads_.end()) return now;
    open->okay &= ports_.rresp.get() == kExokay;
    if (open->beat++ < open->burst.len) return false;
    if (open->exclusive) monitored_[open->burst.id] = {open->burst, open->attributes, cycle, open->okay, false};
    reads_.erase(open);
    return false;
  }

  /// No other read has begun and not ended.
  void check_whole(const Request& open, std::int64_t cycle) {
    for (const Request& other : reads_) {
      if (&other == &open || other.beat == 0) continue;
      violation("axi_interleaved", cycle, "read data of id " + std::to_string(open.burst.id) + " within the burst at " +
                                              hex(other.burst.address) + ", " + other.burst.text());
      return;
    }
  }

  AxiPorts ports_;
  GbAxiCheck check_;
  Bit reset_;
  bool has_wlast_ = false, has_rlast_ = false;
  Channel aw_, w_, b_, ar_, r_;
  std::vector<Channel*> channels_;
  ResetTime in_reset_;
  std::array<bool, 5> high_in_reset_{};  ///< by channel: reported in this reset
  std::unordered_map<std::uint32_t, Monitored> monitored_;     ///< by ID
  bool granted_ = true;  ///< the exclusive write that is offered may be answered EXOKAY
  std::unordered_map<std::uint64_t, std::uint64_t> regions_;  ///< AxREGION by 4 KiB page
  std::vector<Request> writes_, reads_;  ///< in the order of their addresses
  struct Ahead {
    std::int64_t cycle;
    bool last;
    std::vector<std::uint8_t> strobes;
  };
  std::deque<Ahead> ahead_;  ///< write data whose address has not come
};

}  // namespace goldbeat

using goldbeat::AxiChecker;
using goldbeat::guarded;
using goldbeat::kernel;
using goldbeat::Transactor;

extern "C" {

void* gb_axi_checker(const char* name, const char* clock, const goldbeat::GbAxiNames* names, const goldbeat::GbAxiCheck* check) {
  return guarded(
      [&] {
        auto made = std::make_unique<AxiChecker>(name, *names, *check);
        return static_cast<void*>(static_cast<Transactor*>(kernel().add(kernel().clock(clock), std::move(made))));
      },
      static_cast<void*>(nullptr));
}

void gb_axi_waits(void* handle, goldbeat::GbAxiWait* longest) {
  static_cast<const AxiChecker*>(static_cast<Transactor*>(handle))->waits(longest);
}

}  // extern "C"
