// SPDX-License-Identifier: Apache-2.0
//
// axi.h - what the AXI4 memory, the AXI4 master and the checkers share: the ports of a bundle and the arithmetic of bursts.

#pragma once

#include <cinttypes>
#include <cstdio>

#include "kernel.h"

namespace goldbeat {

extern "C" {

/// The top module's port of every signal; null where it has none. All of the write or of the read channels may be absent.
struct GbAxiNames {
  const char *awid, *awaddr, *awlen, *awsize, *awburst, *awlock, *awcache, *awprot, *awqos, *awregion, *awuser, *awvalid,
      *awready;
  const char *wdata, *wstrb, *wlast, *wuser, *wvalid, *wready;
  const char *bid, *bresp, *buser, *bvalid, *bready;
  const char *arid, *araddr, *arlen, *arsize, *arburst, *arlock, *arcache, *arprot, *arqos, *arregion, *aruser, *arvalid,
      *arready;
  const char *rid, *rdata, *rresp, *rlast, *ruser, *rvalid, *rready;
};

}  // extern "C"

enum BurstType : std::uint32_t { kFixed, kIncr, kWrap, kReserved };
enum Response : std::uint32_t { kOkay, kExokay, kSlverr, kDecerr };

inline std::string hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%" PRIx64, value);
  return text;
}

/// Address, length and shape of a burst.
struct Burst {
  std::uint64_t address = 0;
  std::uint32_t id = 0;
  std::uint32_t len = 0;   ///< beats less one
  std::uint32_t size = 0;  ///< bytes a beat, as a power of two
  std::uint32_t type = kIncr;

  std::uint64_t bytes() const { return 1ULL << size; }
  std::uint64_t total() const { return (len + 1ULL) << size; }
  std::uint64_t aligned() const { return address & ~(bytes() - 1); }
  /// Where the block that a WRAP burst stays in begins.
  std::uint64_t wrap_base() const { return address - address % total(); }

  /// Address of beat `i`.
  std::uint64_t beat(std::uint32_t i) const {
    switch (type) {
      case kFixed: return address;
      case kWrap: return wrap_base() + (address - wrap_base() + i * bytes()) % total();
      default: return i == 0 ? address : aligned() + i * bytes();
    }
  }

  /// The lowest address that it touches.
  std::uint64_t lowest() const { return type == kWrap ? wrap_base() : address; }
  /// Bytes from lowest() to the end of the highest beat.
  std::uint64_t span() const {
    switch (type) {
      case kFixed: return aligned() + bytes() - address;
      case kWrap: return total();
      default: return aligned() + total() - address;
    }
  }

  /// `INCR burst of 4 beats of 8 bytes, id 2`.
  std::string text() const {
    static const char* const names[] = {"FIXED", "INCR", "WRAP", "reserved"};
    return std::string(names[type & 3]) + " burst of " + std::to_string(len + 1) + " beats of " +
           std::to_string(bytes()) + " bytes, id " + std::to_string(id);
  }
};

/// The lanes of a `width`-byte bus that a beat of `bytes` bytes at `address` uses: `count` from `first` on.
struct Lanes {
  Lanes(std::uint64_t address, std::uint64_t bytes, std::uint64_t width)
      : first(address % width), count(bytes < width ? bytes - address % bytes : width - first) {}
  std::uint64_t first;
  std::uint64_t count;
};

/// How a transactor uses a bundle.
enum class Side { kSlave, kMaster, kMonitor };

/// Finds the ports of a bundle and checks which way they go.
class Finder {
 public:
  explicit Finder(Side side) : side_(side) {}

  /// The port, which is an output of an AXI master where `from_master`; null where there is no name.
  const Port* port(const char* name, bool from_master) const {
    if (name == nullptr) return nullptr;
    if (side_ != Side::kMonitor) return &kernel().need(name, from_master == (side_ == Side::kMaster));
    const Port* found = kernel().find(name);
    if (found == nullptr) throw std::invalid_argument("the top module has no port " + std::string(name));
    return found;
  }
  Field field(const char* name, bool from_master) const {
    const Port* found = port(name, from_master);
    return found ? Field(*found) : Field();
  }
  Bit bit(const char* name, bool from_master) const {
    const Port* found = port(name, from_master);
    return found ? Bit(*found) : Bit();
  }

 private:
  Side side_;
};

/// One of the two address channels.
struct AddressPorts {
  AddressPorts() = default;
  AddressPorts(const Finder& find, const GbAxiNames& names, bool write) {
    const auto pick = [&](const char* w, const char* r) { return write ? w : r; };
    id = find.field(pick(names.awid, names.arid), true);
    address = find.field(pick(names.awaddr, names.araddr), true);
    len = find.field(pick(names.awlen, names.arlen), true);
    size = find.field(pick(names.awsize, names.arsize), true);
    burst = find.field(pick(names.awburst, names.arburst), true);
    lock = find.field(pick(names.awlock, names.arlock), true);
    cache = find.field(pick(names.awcache, names.arcache), true);
    prot = find.field(pick(names.awprot, names.arprot), true);
    qos = find.field(pick(names.awqos, names.arqos), true);
    region = find.field(pick(names.awregion, names.arregion), true);
    user = Bytes(find.port(pick(names.awuser, names.aruser), true));
    valid = find.bit(pick(names.awvalid, names.arvalid), true);
    ready = find.bit(pick(names.awready, names.arready), false);
  }

  /// What is on the channel; without AxSIZE all of the bus, without AxBURST an INCR burst.
  Burst get(std::uint32_t full_size) const {
    Burst found;
    found.address = address.get();
    found.id = static_cast<std::uint32_t>(id.get());
    found.len = static_cast<std::uint32_t>(len.get());
    found.size = size.absent() ? full_size : static_cast<std::uint32_t>(size.get());
    found.type = burst.absent() ? static_cast<std::uint32_t>(kIncr) : static_cast<std::uint32_t>(burst.get());
    return found;
  }

  /// As Field::fill().
  template <typename Word>
  void fill(Word word) {
    for (Field* field : {&id, &address, &len, &size, &burst, &lock, &cache, &prot, &qos, &region}) field->fill(word);
    user.fill(word);
  }

  Field id, address, len, size, burst, lock, cache, prot, qos, region;
  Bytes user;
  Bit valid, ready;
};

/// All ports of an AXI4 bundle.
struct AxiPorts {
  AxiPorts(const GbAxiNames& names, Side side) {
    const Finder find(side);
    has_write = names.awvalid != nullptr;
    has_read = names.arvalid != nullptr;
    if (!has_write && !has_read) throw std::invalid_argument("neither write nor read channels");
    if (has_write) {
      if (!names.awaddr || !names.awready || !names.wdata || !names.wvalid || !names.wready || !names.bvalid || !names.bready) {
        throw std::invalid_argument("the write channels are not complete");
      }
      aw = AddressPorts(find, names, true);
      wdata = Bytes(find.port(names.wdata, true));
      wstrb = Bytes(find.port(names.wstrb, true));
      wlast = find.bit(names.wlast, true);
      wuser = Bytes(find.port(names.wuser, true));
      wvalid = find.bit(names.wvalid, true);
      wready = find.bit(names.wready, false);
      bid = find.field(names.bid, false);
      bresp = find.field(names.bresp, false);
      buser = Bytes(find.port(names.buser, false));
      bvalid = find.bit(names.bvalid, false);
      bready = find.bit(names.bready, true);
      bytes = width(*find.port(names.wdata, true));
    }
    if (has_read) {
      if (!names.araddr || !names.arready || !names.rdata || !names.rvalid || !names.rready) {
        throw std::invalid_argument("the read channels are not complete");
      }
      ar = AddressPorts(find, names, false);
      rid = find.field(names.rid, false);
      rdata = Bytes(find.port(names.rdata, false));
      rresp = find.field(names.rresp, false);
      rlast = find.bit(names.rlast, false);
      ruser = Bytes(find.port(names.ruser, false));
      rvalid = find.bit(names.rvalid, false);
      rready = find.bit(names.rready, true);
      const std::size_t read = width(*find.port(names.rdata, false));
      if (has_write && read != bytes) throw std::invalid_argument("wdata and rdata differ in width");
      bytes = read;
    }
    while (1ULL << full_size < bytes) ++full_size;
  }

  static std::size_t width(const Port& data) {
    if (data.bits < 8 || data.bits > 1024 || (data.bits & (data.bits - 1)) != 0) {
      throw std::invalid_argument(std::string(data.name) + ": " + std::to_string(data.bits) +
                                  " bits, expected a power of two from 8 to 1024");
    }
    return data.bytes();
  }

  std::size_t strobe_bytes() const { return (bytes + 7) / 8; }

  bool has_write = false;
  bool has_read = false;
  std::size_t bytes = 0;        ///< of the data bus
  std::uint32_t full_size = 0;  ///< AxSIZE of a beat as wide as the bus
  AddressPorts aw, ar;
  Bytes wdata, wstrb, wuser, buser, rdata, ruser;
  Field bid, bresp, rid, rresp;
  Bit wlast, wvalid, wready, bvalid, bready, rlast, rvalid, rready;
};

}  // namespace goldbeat
