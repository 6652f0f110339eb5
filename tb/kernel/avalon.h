// SPDX-License-Identifier: Apache-2.0
//
// avalon.h - the ports of an Avalon-MM bundle.
//
// A request is taken at an edge without WAITREQUEST. Read data come with READDATAVALID, or a fixed number of cycles later; a write
// is over when it is taken, or with WRITERESPONSEVALID.

#pragma once

#include "axi.h"

namespace goldbeat {

extern "C" {

/// The top module's port of every signal; null where it has none.
struct GbAvalonNames {
  const char *address, *read, *write, *writedata, *byteenable, *burstcount, *chipselect;
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

  Bit read, write, chipselect, waitrequest, readdatavalid, writeresponsevalid;
  Field address, writedata, byteenable, burstcount, readdata, response;
};

}  // namespace goldbeat
