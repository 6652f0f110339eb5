// SPDX-License-Identifier: Apache-2.0
//
// avalon.h - the ports of an Avalon-MM bundle.
//
// A request is taken at an edge without WAITREQUEST. Read data come with READDATAVALID, or a fixed number of cycles later; a write
// is over when it is taken, or with WRITERESPONSEVALID. With an allowance, every cycle of a request is a transfer, and so many of
// them may come while WAITREQUEST stays high.

#pragma once

#include "axi.h"

namespace goldbeat {

extern "C" {

/// The top module's port of every signal; null where it has none.
struct GbAvalonNames {
  const char *address, *read, *write, *writedata, *byteenable, *burstcount, *beginbursttransfer, *chipselect;
  const char *waitrequest, *readdata, *readdatavalid, *response, *writeresponsevalid;
};

}  // extern "C"

struct AvalonPorts {
  AvalonPorts(const GbAvalonNames& names, Side side) {
    const Finder find(side);
    address = find.field(names.address, true);
    read = find.bit(names.read, true);
    write = find.bit(names.write, true);
    writedata = find.field(names.writedata, true);
    byteenable = find.field(names.byteenable, true);
    burstcount = find.field(names.burstcount, true);
    beginbursttransfer = find.bit(names.beginbursttransfer, true);
    chipselect = find.bit(names.chipselect, true);
    if (names.waitrequest) waitrequest = find.bit(names.waitrequest, false);
    readdata = find.field(names.readdata, false);
    if (names.readdatavalid) readdatavalid = find.bit(names.readdatavalid, false);
    response = find.field(names.response, false);
    if (names.writeresponsevalid) writeresponsevalid = find.bit(names.writeresponsevalid, false);
  }

  bool piped() const { return !readdatavalid.absent(); }
  /// Something is asked for.
  bool asks() const { return read.get() || write.get(); }
  std::uint64_t bytes() const { return std::max<std::uint64_t>(1, std::max(writedata.bits(), readdata.bits()) / 8); }
  std::uint64_t lanes() const { return byteenable.absent() ? ~std::uint64_t{0} : byteenable.get(); }

  /// Beats of the burst that a request begins.
  std::uint64_t count() const { return burstcount.absent() ? 1 : std::max<std::uint64_t>(1, burstcount.get()); }
  /// Beats of the longest one.
  std::uint64_t most() const { return burstcount.absent() ? 1 : burstcount.mask() / 2 + 1; }

  Bit read, write, beginbursttransfer, chipselect, waitrequest, readdatavalid, writeresponsevalid;
  Field address, writedata, byteenable, burstcount, readdata, response;
};

}  // namespace goldbeat
