// SPDX-License-Identifier: Apache-2.0
//
// messages.h - included before every file of Verilator's runtime, so that the design's messages pass through messages.cpp, and the
// files that it reads through data_files.cpp.

#pragma once

#include <cstdio>

/// Print as printf does.
int goldbeat_print(const char* format, ...);
/// What Verilator asks after $error (`maybe`), $fatal and $stop.
void vl_stop_maybe(const char* filename, int linenum, const char* hier, bool maybe);

/// As fopen.
std::FILE* goldbeat_open(const char* name, const char* mode);
// Verilator's runtime says std::fopen.
namespace std {
using ::goldbeat_open;
}

#define fopen goldbeat_open
#define VL_PRINTF goldbeat_print
#define VL_USER_STOP_MAYBE
