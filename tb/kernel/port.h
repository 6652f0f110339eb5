// SPDX-License-Identifier: Apache-2.0
//
// port.h - where the value of a port is.

#pragma once

#include <cstddef>
#include <cstdint>

namespace goldbeat {

/// One port of the top module, as Verilator stores it: the smallest of 8, 16, 32 and 64 bits, or else 32-bit words, lowest
/// first. On the little-endian machines that Verilator's models run on, the value's byte i is byte i of the storage.
struct Port {
  const char* name;
  void* data;
  std::uint32_t bits;
  bool input;

  /// Bytes that hold the value (the storage may be longer; the rest is zero).
  std::size_t bytes() const { return (bits + 7) / 8; }
};

}  // namespace goldbeat
