// SPDX-License-Identifier: Apache-2.0
//
// model.cpp - the verilated design behind model.h. Compiled for each design, together with what Verilator has made of it, and by
// the same C++ standard; described.h is written by the builder.

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "Vtop.h"
#include "described.h"
#include "draws.h"
#include "model.h"
#include "verilated.h"

#if VM_COVERAGE
#include "verilated_cov.h"
#endif

#if VM_TRACE
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#else
#include "verilated_vcd_c.h"
#endif
#endif

#if VM_TRACE || !defined(GOLDBEAT_DIRECT_EVAL)
#undef GOLDBEAT_DIRECT_EVAL
#define GOLDBEAT_DIRECT_EVAL 0
#endif
#if GOLDBEAT_DIRECT_EVAL
// What Vtop::eval_step() calls between two clean-ups that take locks and only matter to threads and to SystemVerilog objects.
void Vtop___024root___eval(Vtop___024root* model);
#endif

namespace goldbeat {

const bool Model::kCoverage = VM_COVERAGE;
const bool Model::kTiming = VM_TIMING;
const bool Model::kWaves = VM_TRACE;
#ifdef GOLDBEAT_RENEWABLE
const bool Model::kRenewable = true;
#else
const bool Model::kRenewable = false;
#endif

#if VM_TRACE && VM_TRACE_FST
const char* const Model::kWavesFile = "dump.fst";
struct Model::Waves : VerilatedFstC {};
#elif VM_TRACE
const char* const Model::kWavesFile = "dump.vcd";
struct Model::Waves : VerilatedVcdC {};
#else
const char* const Model::kWavesFile = "";
struct Model::Waves {};
#endif

Model::Model() : top_(new Vtop("")) {
#if VM_TRACE
  Verilated::traceEverOn(true);
#endif
}

Model::~Model() {
  delete waves_;
  delete top_;
}

std::vector<Port> Model::ports() {
  Vtop& top = *top_;
  static_cast<void>(top);
  return {GOLDBEAT_PORTS(top)};
}

void Model::step() {
#if GOLDBEAT_DIRECT_EVAL
  constexpr unsigned kCleanup = 256;
  if (++since_cleanup_ % kCleanup != 0) {
    Vtop___024root___eval(top_->rootp);
    return;
  }
#endif
  top_->eval_step();
}

void Model::eval_step() { top_->eval_step(); }
void Model::eval_end_step() { top_->eval_end_step(); }
void Model::final() { top_->final(); }

std::uint64_t Model::next_delay() const {
#if VM_TIMING
  if (top_->eventsPending()) return top_->nextTimeSlot();
#endif
  return ~0ULL;
}

void Model::renew() {
#ifdef GOLDBEAT_RENEWABLE
  goldbeat::draws = 0;
  goldbeat_renew(*top_);
#endif
}

#if VM_TRACE
void Model::open_waves(const char* file) {
  waves_ = new Waves;
  top_->trace(waves_, 99);
  waves_->open(file);
}
void Model::dump(std::uint64_t time) { waves_->dump(time); }
void Model::flush_waves() { waves_->flush(); }
void Model::close_waves() { waves_->close(); }
#else
void Model::open_waves(const char*) {}
void Model::dump(std::uint64_t) {}
void Model::flush_waves() {}
void Model::close_waves() {}
#endif

void Model::write_coverage(bool per_instance) {
#if VM_COVERAGE
  VerilatedCovContext* const counts = Verilated::threadContextp()->coveragep();
  if (per_instance) counts->forcePerInstance(true);
  // The host may kill this process at any time, and must find a whole file then.
  const std::string file = Verilated::threadContextp()->coverageFilename();
  const std::string part = file + ".part";
  counts->write(part);
  if (std::rename(part.c_str(), file.c_str()) != 0) {
    std::fprintf(stderr, "goldbeat: %s: %s\n", file.c_str(), std::strerror(errno));
  }
#else
  static_cast<void>(per_instance);
#endif
}

void Model::restart_coverage() {
#if VM_COVERAGE
  VerilatedCovContext* const counts = Verilated::threadContextp()->coveragep();
  const std::string file = Verilated::threadContextp()->coverageFilename();
  static unsigned kept = 0;
  if (std::rename(file.c_str(), (file + "." + std::to_string(kept)).c_str()) == 0) ++kept;
  counts->zero();
#endif
}

}  // namespace goldbeat
