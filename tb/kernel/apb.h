// SPDX-License-Identifier: Apache-2.0
//
// apb.h - the ports of an APB bundle.

#pragma once

namespace goldbeat {

extern "C" {

/// The top module's port of every signal; null where it has none, which pstrb, pprot, pready and pslverr may be.
struct GbApbNames {
  const char *psel, *penable, *paddr, *pwrite, *pwdata, *pstrb, *pprot;
  const char *prdata, *pready, *pslverr;
};

}  // extern "C"

/// A memory of this simulation drives PSLVERR at random while no transfer ends: what the design passes on of it is not its own.
inline bool undefined_errors = false;

}  // namespace goldbeat
