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
