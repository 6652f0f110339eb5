// SPDX-License-Identifier: Apache-2.0
//
// prelude.h - what nearly every file of a build includes, and what takes longest to read: compiled once for many builds.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verilated.h"
#include "verilated_dpi.h"
#include "verilated_vpi.h"

#if VM_COVERAGE
#include "verilated_cov.h"
#endif

#if VM_TIMING
#include "verilated_timing.h"
#endif

#if VM_TRACE
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#else
#include "verilated_vcd_c.h"
#endif
#endif

// Verilator gives every element of an array the same initial value: it draws from the seed, the scope and the variable alone.
// Here each draw since the (re)start of the design is another one.
namespace goldbeat {
inline std::uint64_t draws = 0;
inline std::uint64_t draw(std::uint64_t salt) { return salt + 0x9E3779B97F4A7C15ULL * draws++; }
}  // namespace goldbeat
#define GOLDBEAT_DRAWS 1
#define VL_SCOPED_RAND_RESET_I(bits, scope, salt) (VL_SCOPED_RAND_RESET_I)(bits, scope, goldbeat::draw(salt))
#define VL_SCOPED_RAND_RESET_Q(bits, scope, salt) (VL_SCOPED_RAND_RESET_Q)(bits, scope, goldbeat::draw(salt))
#define VL_SCOPED_RAND_RESET_W(bits, out, scope, salt) (VL_SCOPED_RAND_RESET_W)(bits, out, scope, goldbeat::draw(salt))
