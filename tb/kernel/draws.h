// SPDX-License-Identifier: Apache-2.0
//
// draws.h - random initial values; included before everything that Verilator has made.

#pragma once

#include <cstdint>

#include "verilated.h"

// Verilator gives every element of an array the same initial value: it draws from the seed, the scope and the variable alone.
// Here each draw since the (re)start of the design is another one.
namespace goldbeat {
inline std::uint64_t draws = 0;
inline std::uint64_t draw(std::uint64_t salt) { return salt + 0x9E3779B97F4A7C15ULL * draws++; }
}  // namespace goldbeat
#define VL_SCOPED_RAND_RESET_I(bits, scope, salt) (VL_SCOPED_RAND_RESET_I)(bits, scope, goldbeat::draw(salt))
#define VL_SCOPED_RAND_RESET_Q(bits, scope, salt) (VL_SCOPED_RAND_RESET_Q)(bits, scope, goldbeat::draw(salt))
#define VL_SCOPED_RAND_RESET_W(bits, out, scope, salt) (VL_SCOPED_RAND_RESET_W)(bits, out, scope, goldbeat::draw(salt))
