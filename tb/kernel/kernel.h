// SPDX-License-Identifier: Apache-2.0
//
// kernel.h - what a transactor sees of the simulation kernel.
//
// A transactor is a C++ object on one clock. At every rising edge of that clock the kernel calls
//
//   sample(cycle)   all outputs of the design hold their values from just before the edge. Read ports, decide, and return
//                   true to be called back:
//   drive()         the design has taken the edge. Write ports: the design sees the new values from here on, so at the
//                   next edge at the latest.
//
// Ports must not be written in sample(): another transactor on the same edge may still have to read them, and the
// design has yet to take the edge with the old values. With several clocks rising at the same moment, all of their
// transactors sample before any of them drives.
//
// `cycle` is the number of the edge that is being taken. Edge 0 is where Clock::start puts it; numbers before are negative.
//
// Python creates transactors through functions of C linkage (`extern "C" void* gb_...`) and calls them between time steps
// only, never during sample() or drive(). Whatever such a call writes to a port goes through Kernel::touch(), so
// that the design is evaluated before time goes on.

#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "idle.h"
#include "pattern.h"
#include "port.h"

namespace goldbeat {

/// Number of cycles, or of a cycle, that never comes.
inline constexpr std::int64_t kNever = INT64_MAX / 4;

/// A single-bit port, or none: then it reads as a constant and swallows writes.
class Bit {
 public:
  explicit Bit(bool absent = false) : spare_(absent), data_(&spare_) {}
  explicit Bit(const Port& port) : data_(static_cast<std::uint8_t*>(port.data)) {}
  Bit(const Bit& other) : spare_(other.spare_), data_(other.absent() ? &spare_ : other.data_) {}
  Bit& operator=(const Bit& other) {
    spare_ = other.spare_;
    data_ = other.absent() ? &spare_ : other.data_;
    return *this;
  }

  bool absent() const { return data_ == &spare_; }
  const std::uint8_t* data() const { return data_; }
  bool get() const { return *data_ != 0; }
  void set(bool value) {
    if (!absent()) *data_ = value;
  }
  /// Take a value from `word`, which gives 64 bits.
  template <typename Word>
  void fill(Word word) {
    if (!absent()) *data_ = word() >> 63;
  }

 private:
  std::uint8_t spare_ = 0;
  std::uint8_t* data_;
};

/// A port of up to 64 bits, or none (reads 0, swallows writes).
class Field {
 public:
  Field() = default;
  explicit Field(const Port& port) : data_(port.data), bits_(port.bits) {
    if (port.bits > 64) throw std::invalid_argument(std::string(port.name) + ": wider than 64 bits");
  }

  bool absent() const { return data_ == nullptr; }
  std::uint32_t bits() const { return bits_; }
  std::uint64_t mask() const { return bits_ >= 64 ? ~0ULL : (1ULL << bits_) - 1; }

  std::uint64_t get() const {
    if (bits_ == 0) return 0;
    if (bits_ <= 8) return load<std::uint8_t>();
    if (bits_ <= 16) return load<std::uint16_t>();
    if (bits_ <= 32) return load<std::uint32_t>();
    return load<std::uint64_t>();
  }

  /// Bits that the port does not have are dropped: the model's storage must not hold any.
  void set(std::uint64_t value) {
    value &= mask();
    if (bits_ == 0) return;
    if (bits_ <= 8) return store<std::uint8_t>(value);
    if (bits_ <= 16) return store<std::uint16_t>(value);
    if (bits_ <= 32) return store<std::uint32_t>(value);
    store<std::uint64_t>(value);
  }
  /// Take a value from `word`, which gives 64 bits.
  template <typename Word>
  void fill(Word word) {
    if (bits_ != 0) set(word());
  }

 private:
  template <typename T>
  std::uint64_t load() const {
    return *static_cast<const T*>(data_);
  }
  template <typename T>
  void store(std::uint64_t value) {
    *static_cast<T*>(data_) = static_cast<T>(value);
  }

  void* data_ = nullptr;
  std::uint32_t bits_ = 0;
};

/// The storage of a port of any width; nothing where it is absent.
struct Bytes {
  Bytes() = default;
  explicit Bytes(const Port* port) {
    if (port == nullptr) return;
    data = static_cast<std::uint8_t*>(port->data);
    size = port->bytes();
    if (port->bits % 8) top = static_cast<std::uint8_t>((1U << port->bits % 8) - 1);
  }
  void clear() const {
    if (size) std::memset(data, 0, size);
  }
  /// Take a value from `word`, which gives 64 bits at a time.
  template <typename Word>
  void fill(Word word) const {
    std::size_t at = 0;
    for (; at + 8 <= size; at += 8) {
      const std::uint64_t value = word();
      std::memcpy(data + at, &value, 8);
    }
    if (at < size) {
      const std::uint64_t value = word();
      std::memcpy(data + at, &value, size - at);
    }
    if (size) data[size - 1] &= top;
  }
  /// The bits that low() has of the port.
  std::uint64_t low_mask() const {
    if (size > 8 || size == 0) return size ? ~0ULL : 0;
    return (size == 8 && top == 0xFF) ? ~0ULL : (static_cast<std::uint64_t>(top) << 8 * (size - 1)) | ((1ULL << 8 * (size - 1)) - 1);
  }
  /// Its lowest 64 bits.
  std::uint64_t low() const {
    std::uint64_t value = 0;
    std::memcpy(&value, data, std::min<std::size_t>(size, 8));
    return value;
  }
  std::uint8_t* data = nullptr;
  std::size_t size = 0;
  std::uint8_t top = 0xFF;  ///< bits of the last byte that the port has
};

/// Copies of a width known at compile time; N = 0 stands for a width known at run time.
template <std::size_t N>
inline void copy(void* to, const void* from, std::size_t size) {
  if constexpr (N != 0) {
    std::memcpy(to, from, N);
  } else {
    std::memcpy(to, from, size);
  }
}

/// Calls `make.template operator()<N>()` with the constant N that equals `size`, or with 0 where there is none.
template <typename Make>
auto with_size(std::size_t size, Make make) {
  switch (size) {
    case 1: return make.template operator()<1>();
    case 2: return make.template operator()<2>();
    case 4: return make.template operator()<4>();
    case 8: return make.template operator()<8>();
    case 16: return make.template operator()<16>();
    case 32: return make.template operator()<32>();
    case 64: return make.template operator()<64>();
    case 128: return make.template operator()<128>();
    default: return make.template operator()<0>();
  }
}

/// What drives or watches a bundle of ports on one clock.
class Transactor {
 public:
  /// `name` is the bundle's, as it appears in reports.
  explicit Transactor(std::string name) : name_(std::move(name)) {}
  virtual ~Transactor() = default;
  Transactor(const Transactor&) = delete;
  Transactor& operator=(const Transactor&) = delete;

  /// Before the edge: read ports. True asks for drive().
  virtual bool sample(std::int64_t cycle) = 0;
  /// After the edge: write ports.
  virtual void drive() = 0;
  /// Called between time steps: everything idle, nothing queued, nothing recorded. Writes its ports.
  virtual void reset() = 0;
  /// What it waits for and since when, outstanding accesses included; empty where it waits for nothing.
  virtual std::string waiting() const { return {}; }

  /// The phase of its program; kNever where it has none, or nothing is left of it.
  virtual std::int64_t phase() const { return kNever; }

  /// Cycle since which it stands still, kNever where it does not.
  virtual std::int64_t stalled() const { return kNever; }

  /// How many beats have waited for how long, and all their cycles, as Stalls has them; null where nobody counts.
  virtual const std::int64_t* stalls() const { return nullptr; }

  /// Drop everything, and from now on drive idle channels like this. `resetn`: the active-low reset of the bundle; null: unknown.
  void idle_payload(IdlePolicy policy, std::uint64_t seed, const char* resetn);

  const std::string& name() const { return name_; }
  const std::vector<std::string>& violations() const { return violations_; }
  void clear_violations() { violations_.clear(); }

  /// Text that outlives the call, for handing it over to Python.
  const char* keep(std::string text) {
    kept_ = std::move(text);
    return kept_.c_str();
  }

 protected:
  /// The design is known to be out of reset.
  bool released() const { return resetn_.get(); }
  /// What its channels carry while their valid is low.
  IdlePayload idle_;

  /// Report a broken protocol rule. `rule` is its name (`axis_valid_held`); reports of rules that are switched off, and those
  /// beyond kMostViolations a transactor, are dropped. The first one of each rule is always kept: a rule that was waived must
  /// not hide another one.
  void violation(const char* rule, std::int64_t cycle, const std::string& text);
  /// Ask the kernel to stop at this edge and resume Python.
  void wake();

 private:
  bool reported(const std::string& rule) const;

  std::string name_;
  std::string kept_;
  std::vector<std::string> violations_;
  Bit resetn_;
};

/// Violations kept for one transactor; a broken handshake tends to break in every cycle.
inline constexpr std::size_t kMostViolations = 100;

/// The clock on an input of the design: one that the kernel runs, or one that something else drives (cocotb's Clock, a
/// coroutine). Of the latter the event loop finds the edges, as the design is about to take them.
struct Clock {
  std::string name;
  std::uint8_t* data = nullptr;
  bool running = false;
  std::uint64_t high = 0;    ///< time steps it is high
  std::uint64_t low = 0;     ///< time steps it is low
  std::uint64_t next = ~0ULL;  ///< time of its next edge, the largest number when it is stopped
  std::int64_t cycle = 0;    ///< number of its next rising edge
  std::uint64_t jitter = 0;  ///< time steps that a rising edge may lie from where it belongs
  std::uint64_t seed = 0;    ///< of the jitter
  std::uint64_t due = 0;     ///< time at which its next rising edge would come without jitter
  bool level = false;          ///< driven from outside: what the design has taken last
  std::uint64_t rose = ~0ULL;  ///< driven from outside: time of its latest rising edge, the largest number before it
  std::uint64_t spacing = 0;   ///< driven from outside: time between its latest two rising edges, 0 before there are two
  bool outside = false;        ///< it belongs to no Kernel of Python: ends by itself
  std::vector<Transactor*> transactors;

  /// Go on to the next edge: the level has just changed.
  void advance() {
    const bool rose = *data != 0;
    cycle += rose;
    if (jitter == 0) {
      next += rose ? high : low;
    } else if (rose) {
      next = due + high;
      due += high + low;
    } else {
      next = due + displacement();
    }
  }

 private:
  /// How much later the next rising edge comes than it would without jitter; value for value that of pymodels/clock.py. Edges up
  /// to number 0 have none. A negative number wraps, as the sum with a time does.
  std::uint64_t displacement() const {
    if (cycle <= 0) return 0;
    return splitmix64(seed, static_cast<std::uint64_t>(cycle)) % (2 * jitter + 1) - jitter;
  }
};

/// Signals that are read on another clock than the one that they belong to.
///
/// A flip-flop that takes such a signal while it changes may keep the old value or take the new one, each bit by itself
/// (docs/crossings.md). While it is armed, what changed within a window before an edge of the reading clock is drawn from a seed: its
/// readers see for each of these bits the old value or the new one at that edge. The transactors on that clock are readers too, and
/// see a draw of their own. A flip-flop that takes the signal as it is has not settled yet when the next edge comes: whoever
/// reads it then may again see either value.
class Crossings {
 public:
  /// A signal and the clock that reads it; `copy` is the flip-flop that takes it as it is, or an empty text.
  void add(const std::string& source, const Clock& clock, const std::string& copy);
  /// Forget all signals.
  void clear();
  /// Draw from `seed` what changes in the last `window` time steps before an edge; 0: nothing.
  void arm(std::uint64_t seed, std::uint64_t window);
  bool armed() const { return window_ != 0; }
  /// Bits that were drawn and came out old, since arm().
  std::int64_t late(std::size_t crossing) const { return crossings_.at(crossing).late; }
  /// Edges at which the copy took several bits that had changed together, since arm().
  std::int64_t torn(std::size_t crossing) const { return crossings_.at(crossing).torn; }

  /// A number below `limit` from the seed.
  std::uint64_t draw(std::uint64_t limit) { return splitmix64(seed_, index_++) % limit; }
  /// Take note of what has changed at this time. Nothing is blurred.
  void note(std::uint64_t now);
  /// Before an edge of `clock`: draw what its readers see, the flip-flops that have not settled included if `settle`. True when the
  /// design has to be evaluated.
  bool blur(const Clock& clock, std::uint64_t now, bool settle);
  /// Put the signals back to what they are. True when the design has to be evaluated.
  bool restore();
  /// After an edge of `clock`: these of its flip-flops have not settled.
  void took(const Clock& clock, std::uint64_t now);

 private:
  struct Variable {
    std::uint8_t* data = nullptr;
    std::size_t size = 0;
  };
  struct Signal {
    std::string name;
    Variable variable;
    std::vector<std::uint8_t> now;     ///< what it is
    std::vector<std::uint8_t> before;  ///< what it was before it changed
    std::uint64_t changed = ~0ULL;     ///< when
  };
  struct Crossing {
    std::size_t signal;
    const Clock* clock;
    Variable copy;
    std::vector<std::uint8_t> blurred;    ///< bits that readers see as they were
    std::vector<std::uint8_t> unsettled;  ///< bits of the copy
    std::vector<std::uint8_t> held = {};  ///< the copy behind the latest edge
    std::int64_t late = 0;                ///< bits that readers have seen as they were
    std::int64_t torn = 0;                ///< edges at which the copy took a word of which several bits had changed
    bool awake = false;                   ///< the copy has moved since the reset: before that it may be held
  };

  static Variable find(const std::string& path);
  bool recent(const Signal& signal, std::uint64_t now) const;

  std::vector<Signal> signals_;
  std::vector<Crossing> crossings_;
  std::uint64_t seed_ = 0;
  std::uint64_t index_ = 0;
  std::uint64_t window_ = 0;
};

/// Ports, clocks and transactors of the running simulation. There is one; main() drives it.
class Kernel {
 public:
  /// The port of that name, nullptr where the top module has none.
  const Port* find(std::string_view name) const;
  /// The same, but a port that is not there, or goes the other way, is an error that says so.
  const Port& need(std::string_view name, bool input) const;

  /// The clock on that port; the first call makes it, stopped.
  Clock& clock(std::string_view port);
  /// Start a clock: its next rising edge, number `cycle`, comes at time `first`, which must not have passed.
  void start(Clock& clock, std::uint64_t high, std::uint64_t low, std::uint64_t first, std::int64_t cycle);
  /// A clock on any signal, which keeps the level it has until time `next`; of no Kernel of Python.
  Clock& toggle(const std::string& path, std::uint8_t* data, std::uint64_t high, std::uint64_t low, std::uint64_t next);
  /// Displace the rising edges of a clock that has just been started.
  void jitter(Clock& clock, std::uint64_t most, std::uint64_t seed);
  /// Stop a clock, low.
  void stop(Clock& clock);

  /// Put a transactor on a clock. The kernel owns it.
  template <typename T>
  T* add(Clock& clock, std::unique_ptr<T> transactor) {
    T* found = transactor.get();
    clock.transactors.push_back(found);
    transactors_.push_back(std::move(transactor));
    found->reset();
    touch();
    return found;
  }
  /// Stop all clocks and drop all transactors.
  void clear();

  /// Accesses, beats and responses of all masters: while they come, who waits may be waiting for its turn.
  std::uint64_t served = 0;

  /// Ports were written from outside of drive(): the design must be evaluated.
  void touch() { touched_ = true; }
  /// The time, in time steps of the simulation.
  std::uint64_t now() const { return now_; }
  /// Time between two rising edges of the slowest clock, without jitter; 0: no clock is known to run.
  std::uint64_t slowest() const;

  /// Rules are on unless switched off here.
  void enable(const std::string& rule, bool on);
  bool enabled(const std::string& rule) const { return disabled_.count(rule) == 0; }

  // -- for main() and the transactors' base class -------------------------------------------------------------------

  std::vector<Port> ports_;
  std::vector<std::unique_ptr<Clock>> clocks_;
  std::vector<std::unique_ptr<Transactor>> transactors_;
  std::vector<Transactor*> pending_;  ///< those that asked for drive() at this edge
  std::vector<Transactor*> woken_;
  Crossings crossings_;
  std::unordered_set<std::string> disabled_;
  std::uint64_t now_ = 0;
  bool touched_ = false;
  void (*on_wake_)(Transactor*) = nullptr;
  std::function<void()> evaluate_;  ///< lets the design follow its inputs, without an edge; empty where that would be counted
  std::function<void(int)> renew_;  ///< gives the design new initial values, drawn from a seed; empty where that is not possible
};

/// The kernel of this process.
Kernel& kernel();

/// How long a reset has lasted on a clock.
class ResetTime {
 public:
  /// There is no reset.
  void end() { edges_ = 0; }
  /// One more edge in reset.
  void edge() {
    if (edges_++ == 0) since_ = kernel().now();
  }
  bool running() const { return edges_ != 0; }
  /// Edges that the design has taken in reset, the one that is being taken left out.
  int taken() const { return edges_ - 1; }
  /// So long that a design must be in it: a reset may have to pass a synchroniser, and may come over from the slowest clock.
  bool settled() const { return edges_ > kEdges && kernel().now() - since_ >= kEdges * kernel().slowest(); }

 private:
  static constexpr int kEdges = 4;
  int edges_ = 0;
  std::uint64_t since_ = 0;  ///< time of its first edge
};

/// Keeps an exception's text for gb_error() and returns what `make` returns, or `otherwise` after an exception. Functions of C
/// linkage wrap their bodies in it: no exception may reach Python's foreign function call.
void keep_error(const char* text);
template <typename Make, typename Result>
Result guarded(Make make, Result otherwise) {
  try {
    return make();
  } catch (const std::exception& error) {
    keep_error(error.what());
    return otherwise;
  }
}

}  // namespace goldbeat
