// SPDX-License-Identifier: Apache-2.0
//
// registers.h - runs whole register programs, one access at a time; the masters of the various buses derive from it.
//
// The next access is offered in the cycle after the answer to the one before.

#pragma once

#include "kernel.h"

namespace goldbeat {

extern "C" {

/// One step of a program.
struct GbStep {
  int op;                    ///< one of RegisterMaster::Op
  std::uint64_t address;     ///< in bytes
  std::uint64_t value;       ///< to write, or to compare with under `mask`, or the level to wait for
  std::uint64_t mask;
  std::uint64_t strobe;
  std::int64_t cycles;       ///< to wait, or allowed (from the first offer on)
  const char* port;          ///< output of the design to wait for
};

/// What became of it.
struct GbStepResult {
  int status;             ///< one of RegisterMaster::Status
  int response;           ///< BRESP or RRESP, PSLVERR, or 0
  std::uint64_t value;    ///< read
  std::int64_t first;     ///< cycle in which it was first offered, or waiting began
  std::int64_t last;      ///< cycle of the answer
};

}  // extern "C"

/// The program's side of a register master. A bus says which accesses it can make, begins them, and follows them edge by edge.
class RegisterMaster : public Transactor {
 public:
  enum Op { kWrite, kPost, kRead, kCheck, kPoll, kWait, kWaitFor };
  enum Status { kPending, kDone, kDiffers, kTimeout };

  using Transactor::Transactor;

  void reset() final;

  /// Run a program; the arrays must live until it is over. Its first access is offered in the cycle after the next one.
  void run(const GbStep* steps, GbStepResult* results, std::int64_t count);

  /// Steps that have ended.
  std::int64_t done() const { return at_; }
  bool busy() const { return state_ != State::kIdle; }

  bool sample(std::int64_t cycle) final;
  std::string waiting() const final;

 protected:
  /// The answer to an access, in the cycle in which it comes.
  struct Answer {
    bool here = false;
    std::uint64_t response = 0;
    std::uint64_t value = 0;
  };

  static bool writes(const GbStep& step) { return step.op <= kPost; }

  /// Throws where the bus cannot make this access.
  virtual void allow(const GbStep& step) const = 0;
  /// An access comes next: the drive() that follows offers it. The step lives until its answer.
  virtual void begin(const GbStep& step) = 0;
  /// An edge of an access that was begun, or that nobody waits for any more. True asks for drive().
  virtual bool edge(Answer& answer) = 0;
  /// What the access waits for.
  virtual std::string missing() const = 0;
  /// Drop the access and write all ports.
  virtual void idle() = 0;

  /// Throws unless the address is one of `addresses` (a mask) and a value to write fits the bus.
  void allow_fitting(const GbStep& step, std::uint64_t addresses, const Field& data) const;
  /// Throws unless a write is of all bytes of the bus.
  void allow_whole(const GbStep& step, const Field& data) const;

 private:
  enum class State { kIdle, kNext, kAccess, kWait };

  void next(std::int64_t cycle);
  bool access(std::int64_t cycle);
  bool wait(std::int64_t cycle);
  bool late(std::int64_t cycle);
  bool end(std::int64_t cycle, Status status, std::uint64_t response, std::uint64_t value);

  Field watched_;
  const GbStep* steps_ = nullptr;
  GbStepResult* results_ = nullptr;
  std::int64_t count_ = 0;
  std::int64_t at_ = 0;
  std::int64_t first_ = 0;
  State state_ = State::kIdle;
  bool stuck_ = false;  ///< given up
};

}  // namespace goldbeat
