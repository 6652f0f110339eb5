// SPDX-License-Identifier: Apache-2.0
//
// registers.h - runs whole register programs; the masters of the various buses derive from it.
//
// By default one access is made at a time, offered in the cycle after the answer to the one before. GbRegisterTraffic says
// what else a master may do: pauses, several accesses at once, back-pressure on the answers.

#pragma once

#include "kernel.h"
#include "pattern.h"

namespace goldbeat {

extern "C" {

/// One step of a program.
struct GbStep {
  int op;                    ///< one of RegisterMaster::Op
  std::uint64_t address;     ///< in bytes
  std::uint64_t value;       ///< to write, or to compare with under `mask`, or the level to wait for
  std::uint64_t mask;        ///< of a read: what it needs
  std::uint64_t strobe;      ///< of a read: the lanes that it asks for, where the bus says which; 0: all
  std::int64_t cycles;       ///< to wait, or allowed (from the first offer on)
  const char* port;          ///< output of the design to wait for
  std::uint64_t prot;        ///< AxPROT or PPROT
  std::uint64_t alone;       ///< it is in no burst: an error is expected, or it asks for some lanes
};

/// What became of it.
struct GbStepResult {
  int status;             ///< one of RegisterMaster::Status
  int response;           ///< BRESP or RRESP, PSLVERR, or 0
  std::uint64_t value;    ///< read
  std::int64_t first;     ///< cycle in which it was first offered, or waiting began
  std::int64_t last;      ///< cycle of the answer
  std::uint64_t forms;    ///< how the bus made it: a bit for each form that it has
};

/// How a master behaves. What a bus has no signals for does not count there.
struct GbRegisterTraffic {
  std::uint64_t seed;        ///< of everything that is drawn
  std::int64_t gap;          ///< most idle cycles before an access
  std::int64_t distance;     ///< most cycles between the offers of a write's address and of its data
  std::int64_t outstanding;  ///< most accesses without an answer
  std::int64_t rest;         ///< cycles from the answer to a poll to its next access
  int order;                 ///< of a write's address and data, one of RegisterMaster::Order
  GbPattern b_ready, r_ready;
};

}  // extern "C"

/// The program's side of a register master. A bus says which accesses it can make, begins them, and follows them edge by edge.
///
/// Several accesses are on their way at once only where the traffic allows it. Then they begin in the order of the program, and
/// a read and a write of a byte that it needs never meet; a poll or a wait is alone.
class RegisterMaster : public Transactor {
 public:
  enum Op { kWrite, kPost, kRead, kCheck, kPoll, kWait, kWaitFor };
  enum Status { kPending, kDone, kDiffers, kTimeout };
  enum Order { kTogether, kAddressFirst, kDataFirst, kAny };

  using Transactor::Transactor;

  void reset() final;

  /// Behave like this from the next program on; patterns and draws begin anew.
  void behave(const GbRegisterTraffic& traffic);

  /// Run a program; the arrays must live until it is over. Its first access is offered in the cycle after the next one.
  void run(const GbStep* steps, GbStepResult* results, std::int64_t count);

  /// The first step that has not ended.
  std::int64_t done() const { return open_.empty() ? next_ : open_.front().step; }
  bool busy() const { return running_; }

  bool sample(std::int64_t cycle) final;
  std::string waiting() const final;

 protected:
  static bool writes(const GbStep& step) { return step.op <= kPost; }
  /// Byte lanes of a write, or those that a read asks for.
  static std::uint64_t lanes(const GbStep& step) { return writes(step) || step.strobe ? step.strobe : ~std::uint64_t{0}; }

  /// Throws where the bus cannot behave like this.
  virtual void accept(const GbRegisterTraffic&) const {}
  /// A step has to wait for an open access of the same word: a read and a write of one byte, where a bus leaves the order of the
  /// two open.
  virtual bool clashes(const GbStep& later, const GbStep& open) const;
  /// Throws where the bus cannot make this access.
  virtual void allow(const GbStep& step) const = 0;
  /// Step number `index`, an access, may be offered from `cycle` on. The step lives until its answer.
  virtual void begin(std::int64_t index, const GbStep& step, std::int64_t cycle) = 0;
  /// An edge: follow the handshakes, and call answer() for what is answered. True asks for drive().
  virtual bool edge(std::int64_t cycle) = 0;
  /// After edge(), and after begin(): what is driven in `cycle`, the next one. True asks for drive().
  virtual bool offer(std::int64_t cycle) = 0;
  /// What the open accesses wait for.
  virtual std::string missing() const = 0;
  /// Drop all accesses and write all ports.
  virtual void idle() = 0;

  /// The answer to step number `index`; `forms` in which it was made.
  void answer(std::int64_t cycle, std::int64_t index, std::uint64_t response, std::uint64_t value, std::uint64_t forms = 0);

  /// The step that begins next, if it is such an access; else null.
  const GbStep* upcoming(bool write) const {
    const bool begins = running_ && !stuck_ && next_ < count_ && steps_[next_].op <= kPoll;
    return begins && writes(steps_[next_]) == write ? &steps_[next_] : nullptr;
  }
  /// In begin(): the step `count` behind that one, if it is an access like it that can be in a burst with it; else null.
  const GbStep* like(std::int64_t count) const {
    const GbStep& first = steps_[next_];
    if (next_ + count >= count_ || first.op >= kPoll || first.alone) return nullptr;
    const GbStep& other = steps_[next_ + count];
    return other.op < kPoll && !other.alone && writes(other) == writes(first) ? &other : nullptr;
  }
  /// In begin(): the next steps begin with this one, whatever the traffic allows.
  void join(std::int64_t count) { joined_ = count; }
  const GbRegisterTraffic& traffic() const { return traffic_; }
  /// A number below `below`.
  std::uint64_t draw(std::uint64_t below) { return below <= 1 ? 0 : splitmix64(traffic_.seed, drawn_++) % below; }
  /// Answers may be held back: a program runs, and nothing is late.
  bool holds_back() const { return running_ && !stuck_; }
  /// Has given up, and when; what it waits for is open since a cycle before that.
  bool stuck() const { return stuck_; }
  std::int64_t given_up() const { return results_[open_[0].step].last; }
  std::int64_t since() const { return open_[0].first; }

  std::uint64_t word_ = 4;  ///< bytes of the bus

  static constexpr std::int64_t kLong = 10'000;  ///< cycles that an access usually gets

  /// Throws unless the address is one of `addresses` (a mask) and a value to write fits the bus.
  void allow_fitting(const GbStep& step, std::uint64_t addresses, const Field& data) const;
  /// Throws unless a write is of all bytes of the bus.
  void allow_whole(const GbStep& step, const Field& data) const;

 private:
  /// A step that has begun and not ended.
  struct Open {
    std::int64_t step;
    std::int64_t first;  ///< cycle in which it could first be offered, or waiting began
  };

  bool may_begin(std::int64_t cycle);
  bool meets(const GbStep& step) const;
  void start(std::int64_t cycle);
  void wait(std::int64_t cycle);
  void give_up(std::int64_t cycle);
  void end(std::size_t open, std::int64_t cycle, Status status, std::uint64_t response, std::uint64_t value);

  GbRegisterTraffic traffic_{0, 0, 0, 1, 0, kTogether, {}, {}};
  std::uint64_t drawn_ = 0;
  Field watched_;
  const GbStep* steps_ = nullptr;
  GbStepResult* results_ = nullptr;
  std::int64_t count_ = 0;
  std::int64_t next_ = 0;    ///< step that begins next
  std::int64_t due_ = kNever;  ///< cycle in which it begins, once it may
  std::int64_t joined_ = 0;    ///< steps that begin with the latest one
  std::vector<Open> open_;   ///< in the order of the program
  bool running_ = false;
  bool stuck_ = false;       ///< given up
  std::int64_t look_ = kNever;  ///< cycle in which a poll asks once more
  std::uint64_t served_ = 0;  ///< of all masters, when it last looked
  std::int64_t moved_ = 0;    ///< cycle in which that had changed
};

}  // namespace goldbeat
