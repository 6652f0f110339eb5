// SPDX-License-Identifier: Apache-2.0
//
// wishbone.h - the ports of a Wishbone bundle.
//
// Without STALL cycles are those of B3: STB is high until ACK, ERR or RTY. With it they are pipelined, as B4 has them: a request is
// taken at an edge without STALL, and answers come later, in order.

#pragma once

#include "axi.h"

namespace goldbeat {

extern "C" {

/// The top module's port of every signal; null where it has none.
struct GbWishboneNames {
  const char *cyc, *stb, *we, *adr, *wdat, *sel, *cti, *bte;
  const char *rdat, *ack, *err, *rty, *stall;
};

}  // extern "C"

struct WishbonePorts {
  WishbonePorts(const GbWishboneNames& names, Side side) {
    const Finder find(side);
    cyc = find.bit(names.cyc, true);
    stb = find.bit(names.stb, true);
    we = find.bit(names.we, true);
    adr = find.field(names.adr, true);
    wdat = find.field(names.wdat, true);
    sel = find.field(names.sel, true);
    cti = find.field(names.cti, true);
    bte = find.field(names.bte, true);
    rdat = find.field(names.rdat, false);
    ack = find.bit(names.ack, false);
    err = find.bit(names.err, false);
    rty = find.bit(names.rty, false);
    if (names.stall) stall = find.bit(names.stall, false);
  }

  bool pipelined() const { return !stall.absent(); }
  /// Without WE the data say which of the two it is.
  bool writes() const { return we.absent() ? !wdat.absent() : we.get(); }
  /// STB alone is no request.
  bool asks() const { return cyc.get() && stb.get(); }
  bool answered() const { return ack.get() || err.get() || rty.get(); }
  std::uint64_t bytes() const { return std::max<std::uint64_t>(1, std::max(wdat.bits(), rdat.bits()) / 8); }

  Bit cyc, stb, we, ack, err, rty, stall;
  Field adr, wdat, sel, cti, bte, rdat;
};

/// A master of the bench has driven STB without CYC, on purpose.
inline bool lone_strobes = false;

/// What CTI says of a cycle.
enum CycleType : std::uint64_t { kClassic = 0, kConstant = 1, kIncrementing = 2, kEndOfBurst = 7 };

}  // namespace goldbeat
