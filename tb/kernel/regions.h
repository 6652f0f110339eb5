// SPDX-License-Identifier: Apache-2.0
//
// regions.h - the address space of a memory, and the log of what it has answered.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace goldbeat {

extern "C" {

/// A stretch of addresses; `data` is the caller's and is used in place.
struct GbAxiRegion {
  const char* name;
  std::uint64_t base;
  std::uint64_t size;
  std::uint8_t* data;
  int readable;
  int writable;
  const std::uint8_t* answers;  ///< the response to reads of each byte, then to writes of each; null: OKAY to all
  int exclusive;                ///< exclusive accesses succeed
};

/// One burst of the log. Cycles that have not come are -1, and so is the region of an address outside of all of them.
struct GbAxiAccess {
  std::uint64_t address;
  std::int64_t cycle;  ///< of the address handshake
  std::int64_t first;  ///< data beat
  std::int64_t last;   ///< data beat
  std::int64_t done;   ///< of the write response; of a read, its last data beat
  std::uint32_t id;
  std::int32_t region;
  std::uint16_t len;
  std::uint8_t kind;  ///< 0 read, 1 write
  std::uint8_t size;
  std::uint8_t burst;
  std::uint8_t response;
  std::uint8_t lock, cache, prot, qos, space;  ///< as on the bus; `space` is AxREGION
  std::uint64_t user;                          ///< its lowest 64 bits
  std::uint64_t wrong_users;                   ///< beats of write data whose WUSER is not that of their address
};

}  // extern "C"

struct Region {
  std::string name;
  std::uint64_t base;
  std::uint64_t size;
  std::uint8_t* data;
  bool readable;
  bool writable;
  const std::uint8_t* answers;
  bool exclusive;

  bool holds(std::uint64_t address, std::uint64_t count) const {
    return address >= base && address - base < size && count <= size - (address - base);
  }
  /// The answers to accesses of one kind, by byte; null: OKAY to all.
  const std::uint8_t* answers_to(bool write) const { return answers && write ? answers + size : answers; }
};

inline std::vector<Region> all_regions(const GbAxiRegion* regions, std::int64_t count) {
  std::vector<Region> all;
  for (std::int64_t i = 0; i < count; ++i) {
    const GbAxiRegion& region = regions[i];
    all.push_back({region.name, region.base, region.size, region.data, region.readable != 0, region.writable != 0,
                   region.answers, region.exclusive != 0});
  }
  return all;
}

}  // namespace goldbeat
