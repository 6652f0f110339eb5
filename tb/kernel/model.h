// SPDX-License-Identifier: Apache-2.0
//
// model.h - the verilated design as main.cpp sees it: the same for every design, so that main.cpp is compiled once for all of them.

#pragma once

#include <cstdint>
#include <vector>

#include "port.h"

class Vtop;

namespace goldbeat {

class Model {
 public:
  static const bool kCoverage;   ///< counts coverage
  static const bool kRenewable;  ///< renew() is possible
  static const bool kTiming;     ///< has delays of its own
  static const bool kWaves;      ///< can write waves
  static const char* const kWavesFile;

  Model();
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  std::vector<Port> ports();

  /// Evaluate the design, as fast as possible: for stretches.
  void step();
  void eval_step();
  void eval_end_step();
  void final();

  /// When the design's own delays are due; the largest number where none is.
  std::uint64_t next_delay() const;

  /// Back to before the first evaluation, with all variables drawn anew.
  void renew();

  void open_waves(const char* file);
  void dump(std::uint64_t time);
  void flush_waves();
  void close_waves();

  /// Write what has been counted so far.
  static void write_coverage(bool per_instance);
  /// Count from 0 again; what has been written so far is kept in a file of its own, with a number behind its name.
  static void restart_coverage();

 private:
  struct Waves;

  Vtop* top_;
  Waves* waves_ = nullptr;
  unsigned since_cleanup_ = 0;
};

}  // namespace goldbeat
