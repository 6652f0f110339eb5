// SPDX-License-Identifier: Apache-2.0
//
// watches.h - what waits for changes of signals: agents in C++ and cocotb's triggers, in the one order that cocotb would resume them in.
//
// An agent is a state machine that takes the place of a coroutine. It waits for rising edges of its clock, as `await
// RisingEdge(clock)` does, or sleeps until something wakes it. Agents and Python's tasks that wait for the same edge stand in one
// line, and go on in the order in which they joined it: whoever reads what another one writes then sees what it would see were all
// of them coroutines. All go on before the design takes the edge; what an agent wants to write is written after it.
//
// While no task of Python is in the line, agents run without Python. Otherwise Python's event loop resumes them in their turn.

#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace goldbeat {

/// Where the value of any signal of the design is, as for Port.
struct Storage {
  void* data = nullptr;
  std::uint32_t bits = 0;
  bool input = false;  ///< an input of the top module: the design never changes it
};

/// Bytes of Verilator's storage of a variable.
std::size_t stored(std::uint32_t bits);

/// The storage of a signal. `path` is cocotb's path of it, which begins with the top module.
/// Throws std::invalid_argument where the simulator does not show it as a whole.
Storage locate(const std::string& path, std::uint32_t bits);

class Bit;
class EdgeLine;

class Agent {
 public:
  virtual ~Agent() = default;
  Agent() = default;
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  /// Go on: behind an edge, or after a wake.
  virtual void run() = 0;
  /// Write what run() has decided. The design has taken the edge.
  virtual void write() {}
  /// It has got its line.
  virtual void bind() {}

  /// Begin anew, at once.
  void start();
  void stop();
  /// End a sleep; nothing for one that does not sleep.
  void wake();

  EdgeLine* line = nullptr;  ///< of its clock
  std::uint32_t listened = 0;  ///< events that Python wants to hear of

 protected:
  enum class State { kStopped, kReady, kEdge, kAsleep };

  virtual void restart() = 0;
  void await_edge();
  /// Until wake(), or until a signal rises that it is roused by.
  void sleep() { state_ = State::kAsleep; }
  void rouse_by(const Bit& signal);
  /// Python shall hear of this, if it listens.
  void note(std::uint32_t event);
  /// Ask for write().
  void want_write();
  /// It has made progress.
  static void moved();

  State state_ = State::kStopped;

 private:
  friend class Watches;
  friend class EdgeLine;
  bool noted_ = false;
  bool writes_ = false;
};

/// Who waits for the rising edges of a clock.
class EdgeLine {
 public:
  struct Waiter {
    Agent* agent;        ///< null: a task of Python
    std::int64_t token;  ///< of that task
  };

  /// A signal whose rise ends an agent's sleep.
  struct Rouser {
    Agent* agent;
    const std::uint8_t* data;
    bool high;
  };

  EdgeLine(std::int64_t number, std::uint8_t* data) : number(number), data(data), level(*data != 0) {}

  /// End the sleep of all agents whose signals have risen since the last call. They go on in the order in which their signals had
  /// risen before, as VPI's callbacks do: one that has been called goes to the end of the list.
  void rouse();

  void enter(Waiter waiter) {
    if (waiting.empty()) armed = ++places;
    waiting.push_back(waiter);
  }

  static inline std::uint64_t places = 0;  ///< of all that is waited for

  std::int64_t number;
  std::uint8_t* data;
  bool level;
  std::uint64_t armed = 0;  ///< when the first of those that wait has joined, as a place among all that is waited for
  std::int64_t tokens = 0;
  std::int64_t rises = 0;
  std::vector<Waiter> waiting;
  std::vector<Rouser> rousers;

 private:
  std::vector<Rouser> risen_;
};

/// A signal that a trigger of Python waits for.
struct ValueWatch {
  std::int64_t number;
  Storage storage;
  std::size_t bytes;
  int edge;  ///< 1 rising, -1 falling, 0 any change
  bool armed = false;
  std::uint64_t place = 0;  ///< when it was armed, among all that is waited for
  std::vector<std::uint8_t> last;

  bool changed() const;
  void keep();
  /// What it has changed to is what is waited for.
  bool fits() const;
};

class Watches {
 public:
  // -- for the event loop ----------------------------------------------------------------------------------------------

  bool any() const { return !lines_.empty() || !armed_.empty(); }
  /// Agents want to write.
  bool pending() const { return !writers_.empty(); }
  /// Somebody watches what the design itself may change.
  bool watches_design() const;
  void apply();
  /// Deal with all changes that need no Python. True where one needs it; then those that do are still to be dealt with.
  bool poll();
  /// End the sleep of agents whose signals have risen. Before Python may join lines: agents stand before what joins later.
  void rouse();
  /// Deal with all changes. True when something was called.
  bool call();

  // -- for agents and Python -------------------------------------------------------------------------------------------

  EdgeLine& line(const Storage& storage);
  ValueWatch& value(const Storage& storage, int edge);
  void arm(ValueWatch& watch);
  void disarm(ValueWatch& watch);
  void join(EdgeLine& line, std::int64_t token);
  void leave(EdgeLine& line, std::int64_t token);
  template <typename T>
  T* add(std::unique_ptr<T> agent) {
    T* found = agent.get();
    agents_.push_back(std::move(agent));
    return found;
  }
  /// Run the agents of the line that has risen up to where a task of Python stood between them. True where one has stirred: Python
  /// has to look before the others go on.
  bool run_up();
  /// Run the agent that has been ready for longest.
  void turn();
  /// How many agents are ready that this has not yet counted.
  std::size_t uncounted();
  Agent* next_note();
  void clear();

  /// An agent has been woken or has something to tell since Python has set this to 0.
  std::int32_t stirred = 0;

  /// Whatever has moved so far but clocks: items of agents, and edges that somebody waited for.
  std::int64_t progress() const;

  /// `order` has the tokens of tasks, and a 0 per run of agents between them.
  void (*on_edge)(std::int64_t line, const std::int64_t* order, std::int64_t count) = nullptr;
  void (*on_value)(std::int64_t watch) = nullptr;
  void (*on_note)() = nullptr;

 private:
  friend class Agent;
  /// What has changed, in the order in which it was armed: VPI's callbacks are called in the order in which they were registered.
  struct Due {
    std::uint64_t place;
    EdgeLine* line;
    ValueWatch* watch;
  };

  /// Lines that have risen go into `due_`; all take their new level.
  void find_risen();
  void order_due();
  void rise(EdgeLine& line);
  void drain();
  static void turn(Agent& agent);

  std::vector<std::unique_ptr<EdgeLine>> lines_;
  std::vector<std::unique_ptr<ValueWatch>> values_;
  std::vector<ValueWatch*> armed_;
  std::vector<std::unique_ptr<Agent>> agents_;
  std::vector<std::unique_ptr<Agent>> ended_;  ///< of a test that has ended, until they have written
  std::deque<Agent*> ready_;
  std::deque<Agent*> runs_;  ///< agents of a line that has risen, a null pointer behind each run of them
  std::size_t counted_ = 0;
  std::deque<Agent*> notes_;
  std::int64_t moves_ = 0;
  std::vector<Due> due_;
  std::vector<Agent*> writers_;
  std::vector<EdgeLine::Waiter> now_;
};

Watches& watches();

}  // namespace goldbeat
