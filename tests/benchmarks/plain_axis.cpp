// SPDX-License-Identifier: Apache-2.0
//
// plain_axis.cpp - what one writes by hand to run an AXI-Stream design at full speed: arrays in, arrays and cycles out, two
// evaluations a cycle, no VPI, nothing public. The peer of the benchmark.
//
// usage: plain STIMULUS RESULT ROUNDS. Files hold int64 counts and plain arrays, see bench_kernel.py. Prints the seconds that the
// fastest of the rounds took.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

#include "Vtop.h"
#include "verilated.h"

#ifndef HAS_KEEP
#define HAS_KEEP 0
#endif

namespace {

template <typename T>
std::unique_ptr<T[]> read_array(std::FILE* file, std::int64_t count) {
  std::unique_ptr<T[]> values(new T[count]);
  if (std::fread(values.get(), sizeof(T), count, file) != static_cast<std::size_t>(count)) std::exit(2);
  return values;
}

/// CPU time of this thread: what else runs on the machine does not count.
double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::FILE* file = std::fopen(argv[1], "rb");
  if (file == nullptr) return 2;
  const auto counts = read_array<std::int64_t>(file, 3);
  const std::int64_t beats_in = counts[0], beats_out = counts[1], pattern = counts[2];
  constexpr std::size_t kIn = S_BYTES, kOut = M_BYTES;
  const auto in_data = read_array<std::uint8_t>(file, beats_in * kIn);
#if HAS_KEEP
  const auto in_keep = read_array<std::uint8_t>(file, beats_in * (kIn / 8));
#endif
  const auto in_last = read_array<std::uint8_t>(file, beats_in);
  const auto ready = read_array<std::uint8_t>(file, pattern);
  std::fclose(file);

  const std::unique_ptr<std::int64_t[]> in_cycle(new std::int64_t[beats_in]);
  const std::unique_ptr<std::uint8_t[]> out_data(new std::uint8_t[beats_out * kOut]);
#if HAS_KEEP
  const std::unique_ptr<std::uint8_t[]> out_keep(new std::uint8_t[beats_out * (kOut / 8)]);
#endif
  const std::unique_ptr<std::uint8_t[]> out_last(new std::uint8_t[beats_out]);
  const std::unique_ptr<std::int64_t[]> out_cycle(new std::int64_t[beats_out]);

  VerilatedContext context;
  const std::unique_ptr<Vtop> top(new Vtop(&context));
  double best = 1e9;
  for (int round = 0; round < std::atoi(argv[3]); ++round) {
    top->aclk = 0;
    top->aresetn = 0;
    top->s_axis_tvalid = 0;
    top->m_axis_tready = 0;
    for (int i = 0; i < 16; ++i) {
      top->aclk = !top->aclk;
      top->eval();
    }
    top->aresetn = 1;
    // Edge 0: reset is sampled high for the first time, and the sink is ready if its pattern says so.
    std::int64_t cycle = 0, sent = 0, received = 0;
    top->m_axis_tready = pattern ? ready[0] : 1;
    top->eval();

    const double begin = cpu_seconds();
    while (received < beats_out) {
      const bool sending = top->s_axis_tvalid && top->s_axis_tready;
      if (top->m_axis_tvalid && top->m_axis_tready) {
        std::memcpy(&out_data[received * kOut], &top->m_axis_tdata, kOut);
#if HAS_KEEP
        std::memcpy(&out_keep[received * (kOut / 8)], &top->m_axis_tkeep, kOut / 8);
#endif
        out_last[received] = top->m_axis_tlast;
        out_cycle[received] = cycle;
        ++received;
      }
      context.timeInc(2000);
      top->aclk = 1;
      top->eval();
      if (sending) in_cycle[sent++] = cycle;
      if (sending || !top->s_axis_tvalid) {
        top->s_axis_tvalid = sent < beats_in;
        if (sent < beats_in) {
          std::memcpy(&top->s_axis_tdata, &in_data[sent * kIn], kIn);
#if HAS_KEEP
          std::memcpy(&top->s_axis_tkeep, &in_keep[sent * (kIn / 8)], kIn / 8);
#endif
          top->s_axis_tlast = in_last[sent];
        }
      }
      ++cycle;
      if (pattern) top->m_axis_tready = ready[cycle];
      context.timeInc(2000);
      top->aclk = 0;
      top->eval();
    }
    best = std::min(best, cpu_seconds() - begin);
  }
  top->final();

  file = std::fopen(argv[2], "wb");
  if (file == nullptr) return 2;
  std::fwrite(in_cycle.get(), sizeof(std::int64_t), beats_in, file);
  std::fwrite(out_data.get(), kOut, beats_out, file);
#if HAS_KEEP
  std::fwrite(out_keep.get(), kOut / 8, beats_out, file);
#endif
  std::fwrite(out_last.get(), 1, beats_out, file);
  std::fwrite(out_cycle.get(), sizeof(std::int64_t), beats_out, file);
  std::fclose(file);
  std::printf("%.9f\n", best);
  return 0;
}
