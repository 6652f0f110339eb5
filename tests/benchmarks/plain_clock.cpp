// SPDX-License-Identifier: Apache-2.0
//
// plain_clock.cpp - what one writes by hand to clock a verilated design without stimulus: reset, then so many cycles. The peer of the
// benchmark; CLOCKS and RESETS are statements that set the pins to `level`.

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "Vplain.h"
#include "verilated.h"

double sc_time_stamp() { return 0; }

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  // Designs may ask for plusargs.
  Verilated::commandArgs(argc, argv);
  const std::int64_t cycles = std::atoll(argv[1]);
  auto top = std::make_unique<Vplain>();
  const auto clock = [&](int level) {
    CLOCKS;
    top->eval();
  };
  const auto reset = [&](int level) { RESETS; };
  reset(0);
  for (std::int64_t cycle = 0; cycle < cycles; ++cycle) {
    if (cycle == 20) reset(1);
    clock(1);
    clock(0);
  }
  top->final();
}
