// SPDX-License-Identifier: Apache-2.0
//
// watches.cpp - see watches.h.

#include "watches.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <stdexcept>

#include "kernel.h"
#include "verilated.h"
#include "verilated_sym_props.h"
#include "verilated_vpi.h"

namespace goldbeat {

Watches& watches() {
  static Watches one;
  return one;
}

std::size_t stored(std::uint32_t bits) {
  if (bits <= 8) return 1;
  if (bits <= 16) return 2;
  if (bits <= 32) return 4;
  return bits <= 64 ? 8 : (bits + 31) / 32 * 4;
}

namespace {

/// The variable behind cocotb's path of a signal, null where the simulator does not show it.
const VerilatedVar* variable(const std::string& path) {
  for (const char* root : {"", "TOP."}) {
    const std::string full = root + path;
    // Scopes end where variables of theirs begin; those of generate blocks may lie in the scope around them.
    for (std::size_t dot = full.rfind('.'); dot != std::string::npos && dot > 0; dot = full.rfind('.', dot - 1)) {
      const VerilatedScope* scope = Verilated::threadContextp()->scopeFind(full.substr(0, dot).c_str());
      if (scope == nullptr) continue;
      std::string name = full.substr(dot + 1);
      for (std::size_t at = name.find('.'); at != std::string::npos; at = name.find('.')) name.replace(at, 1, "__DOT__");
      const VerilatedVar* found = scope->varFind(name.c_str());
      if (found != nullptr) return found;
    }
  }
  return nullptr;
}

/// Whether VPI can force the variable: its value is then not where the design writes it. Older Verilators cannot.
template <class Variable>
bool forceable(const Variable* found) {
  if constexpr (requires { found->isForceable(); }) return found != nullptr && found->isForceable();
  return false;
}

/// Where the value of a variable that VPI can force is to be read, null for any other. Older Verilators show it nowhere.
template <class Variable>
void* forced_value(const Variable* found) {
  if constexpr (requires { found->forceControlSignals(); }) {
    if (forceable(found) && found->forceControlSignals() != nullptr) return found->forceControlSignals()->forceReadSignal.datap();
  }
  return nullptr;
}

}  // namespace

Storage locate(const std::string& path, std::uint32_t bits) {
  const VerilatedVar* found = variable(path);
  const std::size_t top = path.find('.');
  if (!forceable(found)) {
    if (top != std::string::npos) {
      const Port* port = kernel().find(path.substr(top + 1));
      if (port != nullptr && port->bits == bits) return {port->data, bits, port->input};
    }
    if (found != nullptr && found->isPublicRW() && found->totalSize() == stored(bits)) return {found->datap(), bits, false};
  }
  throw std::invalid_argument("the simulator does not show the signal " + path + " as a whole");
}

// -- agents -----------------------------------------------------------------------------------------------------------

void Agent::start() {
  restart();
  state_ = State::kReady;
  run();
}

void Agent::stop() {
  state_ = State::kStopped;
  auto& waiting = line->waiting;
  waiting.erase(std::remove_if(waiting.begin(), waiting.end(), [&](const auto& w) { return w.agent == this; }), waiting.end());
}

void Agent::wake() {
  if (state_ != State::kAsleep) return;
  state_ = State::kReady;
  watches().ready_.push_back(this);
  watches().stirred = 1;
}

void Agent::await_edge() {
  state_ = State::kEdge;
  line->enter({this, 0});
}

void Agent::rouse_by(const Bit& signal) {
  if (!signal.absent()) line->rousers.push_back({this, signal.data(), signal.get()});
}

void EdgeLine::rouse() {
  bool rises = false;
  for (Rouser& rouser : rousers) {
    const bool high = *rouser.data != 0;
    rises |= high && !rouser.high;
    // One that rises is looked at again.
    rouser.high &= high;
  }
  if (!rises) return;
  risen_.clear();
  std::size_t kept = 0;
  for (Rouser rouser : rousers) {
    const bool high = *rouser.data != 0;
    const bool rose = high && !rouser.high;
    rouser.high = high;
    if (rose) {
      risen_.push_back(rouser);
    } else {
      rousers[kept++] = rouser;
    }
  }
  std::copy(risen_.begin(), risen_.end(), rousers.begin() + static_cast<std::ptrdiff_t>(kept));
  for (const Rouser& rouser : risen_) {
    // One that was woken in between has joined the line since.
    if (rouser.agent->state_ != Agent::State::kAsleep) continue;
    rouser.agent->state_ = Agent::State::kReady;
    rouser.agent->run();
  }
}

void Agent::note(std::uint32_t event) {
  if ((listened & event) == 0 || noted_) return;
  noted_ = true;
  watches().notes_.push_back(this);
  watches().stirred = 1;
}

void Agent::moved() { ++watches().moves_; }

void Agent::want_write() {
  if (writes_) return;
  writes_ = true;
  watches().writers_.push_back(this);
}

// -- values -----------------------------------------------------------------------------------------------------------

bool ValueWatch::changed() const { return std::memcmp(last.data(), storage.data, bytes) != 0; }

void ValueWatch::keep() { std::memcpy(last.data(), storage.data, bytes); }

bool ValueWatch::fits() const {
  const bool high = (*static_cast<const std::uint8_t*>(storage.data) & 1) != 0;
  return edge == 0 || high == (edge > 0);
}

// -- watches ----------------------------------------------------------------------------------------------------------

EdgeLine& Watches::line(const Storage& storage) {
  auto* data = static_cast<std::uint8_t*>(storage.data);
  for (auto& line : lines_) {
    if (line->data == data) return *line;
  }
  lines_.push_back(std::make_unique<EdgeLine>(static_cast<std::int64_t>(lines_.size()), data));
  return *lines_.back();
}

ValueWatch& Watches::value(const Storage& storage, int edge) {
  values_.push_back(std::make_unique<ValueWatch>());
  ValueWatch& made = *values_.back();
  made.number = static_cast<std::int64_t>(values_.size()) - 1;
  made.storage = storage;
  made.bytes = (storage.bits + 7) / 8;
  made.edge = edge;
  made.last.resize(made.bytes);
  return made;
}

std::int64_t Watches::progress() const {
  std::int64_t count = moves_;
  for (const auto& line : lines_) {
    const auto& clocks = kernel().clocks_;
    const bool clock = std::any_of(clocks.begin(), clocks.end(), [&](const auto& c) { return c->data == line->data; });
    if (!clock) count += line->rises;
  }
  return count;
}

void Watches::arm(ValueWatch& watch) {
  if (watch.armed) return;
  ++moves_;
  watch.armed = true;
  watch.place = ++EdgeLine::places;
  watch.keep();
  armed_.push_back(&watch);
}

void Watches::disarm(ValueWatch& watch) {
  watch.armed = false;
  armed_.erase(std::remove(armed_.begin(), armed_.end(), &watch), armed_.end());
}

bool Watches::watches_design() const {
  return std::any_of(armed_.begin(), armed_.end(), [](const ValueWatch* watch) { return !watch->storage.input; });
}

void Watches::join(EdgeLine& line, std::int64_t token) {
  line.enter({nullptr, token});
  ++line.tokens;
}

void Watches::leave(EdgeLine& line, std::int64_t token) {
  for (auto at = line.waiting.begin(); at != line.waiting.end(); ++at) {
    if (at->agent != nullptr || at->token != token) continue;
    line.waiting.erase(at);
    --line.tokens;
    return;
  }
}

void Watches::apply() {
  if (writers_.empty()) return;
  for (Agent* agent : writers_) {
    agent->writes_ = false;
    agent->write();
  }
  writers_.clear();
  ended_.clear();
  kernel().touch();
}

void Watches::turn(Agent& agent) {
  if (agent.state_ == Agent::State::kReady) agent.run();
}

bool Watches::run_up() {
  while (!runs_.empty()) {
    Agent* agent = runs_.front();
    runs_.pop_front();
    if (agent == nullptr) return false;
    turn(*agent);
    if (stirred != 0) return true;
  }
  return false;
}

void Watches::turn() {
  if (ready_.empty()) return;
  Agent* agent = ready_.front();
  ready_.pop_front();
  if (counted_ > 0) --counted_;
  turn(*agent);
}

std::size_t Watches::uncounted() {
  const std::size_t count = ready_.size() - counted_;
  counted_ = ready_.size();
  return count;
}

void Watches::drain() {
  while (!ready_.empty()) turn();
}

Agent* Watches::next_note() {
  if (notes_.empty()) return nullptr;
  Agent* agent = notes_.front();
  notes_.pop_front();
  agent->noted_ = false;
  return agent;
}

/// The edge has come: all that wait for it go on.
void Watches::rise(EdgeLine& line) {
  ++line.rises;
  line.rouse();
  now_.clear();
  now_.swap(line.waiting);
  const bool python = line.tokens != 0;
  line.tokens = 0;
  for (const EdgeLine::Waiter& waiter : now_) {
    if (waiter.agent != nullptr) waiter.agent->state_ = Agent::State::kReady;
  }
  if (!python) {
    const bool first = ready_.empty();
    for (const EdgeLine::Waiter& waiter : now_) {
      // Behind those that are ready already.
      if (first) {
        turn(*waiter.agent);
      } else {
        ready_.push_back(waiter.agent);
      }
    }
    drain();
    return;
  }
  std::vector<std::int64_t> order;
  for (const EdgeLine::Waiter& waiter : now_) {
    if (waiter.agent == nullptr) {
      if (!order.empty() && order.back() == 0) runs_.push_back(nullptr);
      order.push_back(waiter.token);
      continue;
    }
    if (order.empty() || order.back() != 0) order.push_back(0);
    runs_.push_back(waiter.agent);
  }
  runs_.push_back(nullptr);
  on_edge(line.number, order.data(), static_cast<std::int64_t>(order.size()));
  runs_.clear();
}

void Watches::find_risen() {
  for (const auto& line : lines_) {
    const bool high = *line->data != 0;
    if (high == line->level) continue;
    line->level = high;
    if (high && (!line->waiting.empty() || !line->rousers.empty())) due_.push_back({line->armed, line.get(), nullptr});
  }
}

void Watches::order_due() {
  std::sort(due_.begin(), due_.end(), [](const Due& one, const Due& other) { return one.place < other.place; });
}

bool Watches::poll() {
  bool moved = false;
  for (const auto& line : lines_) {
    const bool high = *line->data != 0;
    moved |= high != line->level;
    if (high && !line->level && line->tokens != 0) return true;
  }
  for (ValueWatch* watch : armed_) {
    if (!watch->changed()) continue;
    if (watch->fits()) return true;
    watch->keep();
  }
  if (moved) {
    due_.clear();
    find_risen();
    if (due_.size() > 1) order_due();
    for (const Due& due : due_) rise(*due.line);
  }
  return !notes_.empty();
}

void Watches::rouse() {
  for (auto& line : lines_) line->rouse();
}

bool Watches::call() {
  rouse();
  bool called = !notes_.empty();
  if (called) on_note();
  due_.clear();
  find_risen();
  for (ValueWatch* watch : armed_) {
    if (watch->changed()) due_.push_back({watch->place, nullptr, watch});
  }
  if (due_.size() > 1) order_due();
  for (const Due& due : due_) {
    if (due.line != nullptr) {
      rise(*due.line);
      called = true;
      continue;
    }
    // What was called before may have ended this wait.
    ValueWatch& watch = *due.watch;
    if (!watch.armed || watch.place != due.place) continue;
    watch.keep();
    if (!watch.fits()) continue;
    disarm(watch);
    on_value(watch.number);
    called = true;
  }
  if (!notes_.empty()) {
    on_note();
    called = true;
  }
  return called;
}

void Watches::clear() {
  for (auto& line : lines_) {
    auto& waiting = line->waiting;
    waiting.erase(std::remove_if(waiting.begin(), waiting.end(), [](const auto& w) { return w.agent != nullptr; }), waiting.end());
    line->rousers.clear();
  }
  ready_.clear();
  runs_.clear();
  counted_ = 0;
  notes_.clear();
  // What they have decided at this edge is still to be written.
  if (!writers_.empty()) std::move(agents_.begin(), agents_.end(), std::back_inserter(ended_));
  agents_.clear();
}

}  // namespace goldbeat

using goldbeat::Agent;
using goldbeat::EdgeLine;
using goldbeat::guarded;
using goldbeat::kernel;
using goldbeat::locate;
using goldbeat::ValueWatch;
using goldbeat::watches;

extern "C" {

/// 1 where agents and watches reach the signal, else 0.
int gb_reaches(const char* path, std::uint32_t bits) {
  return guarded([&] { return locate(path, bits).data != nullptr ? 1 : 0; }, 0);
}

/// Where the value of a signal is, null where agents and watches do not reach it.
void* gb_cell(const char* path, std::uint32_t bits) {
  return guarded([&] { return locate(path, bits).data; }, static_cast<void*>(nullptr));
}

/// Where the value of a signal that can be forced is to be read, null for any other. A port of the top module lies in TOP.
void* gb_forced_value(const char* path) { return goldbeat::forced_value(goldbeat::variable(path)); }

/// 1 where the simulator can force the signal, 0 where not, -1 where it can and transactors would not see it.
int gb_forceable(const char* path) {
  if (!goldbeat::forceable(goldbeat::variable(path))) return 0;
  const char* dot = std::strchr(path, '.');
  const goldbeat::Port* port = dot == nullptr ? nullptr : kernel().find(dot + 1);
  return port == nullptr || port->input || kernel().transactors_.empty() ? 1 : -1;
}

void gb_watch_calls(
    void (*on_edge)(std::int64_t, const std::int64_t*, std::int64_t), void (*on_value)(std::int64_t), void (*on_note)()) {
  watches().on_edge = on_edge;
  watches().on_value = on_value;
  watches().on_note = on_note;
}

void* gb_line(const char* path) {
  return guarded([&] { return static_cast<void*>(&watches().line(locate(path, 1))); }, static_cast<void*>(nullptr));
}
std::int64_t gb_line_number(const void* line) { return static_cast<const EdgeLine*>(line)->number; }
void gb_line_join(void* line, std::int64_t token) { watches().join(*static_cast<EdgeLine*>(line), token); }
void gb_line_leave(void* line, std::int64_t token) { watches().leave(*static_cast<EdgeLine*>(line), token); }

void* gb_value(const char* path, std::uint32_t bits, int edge) {
  return guarded([&] { return static_cast<void*>(&watches().value(locate(path, bits), edge)); }, static_cast<void*>(nullptr));
}
std::int64_t gb_value_number(const void* watch) { return static_cast<const ValueWatch*>(watch)->number; }
void gb_value_arm(void* watch) { watches().arm(*static_cast<ValueWatch*>(watch)); }
void gb_value_disarm(void* watch) { watches().disarm(*static_cast<ValueWatch*>(watch)); }

void gb_agent_start(void* agent) { static_cast<Agent*>(agent)->start(); }
void gb_agent_stop(void* agent) { static_cast<Agent*>(agent)->stop(); }
void gb_agent_wake(void* agent) { static_cast<Agent*>(agent)->wake(); }
void gb_agent_listen(void* agent, std::uint32_t events) { static_cast<Agent*>(agent)->listened = events; }
std::int64_t gb_watch_progress() { return watches().progress(); }
/// Nothing of Python is due at any time.
int gb_watch_nothing_due() { return VerilatedVpi::cbNextDeadline() == ~0ULL; }
int gb_agents_run() { return watches().run_up(); }
std::int32_t* gb_agents_stirred() { return &watches().stirred; }
void gb_agents_turn() { watches().turn(); }
std::int64_t gb_agents_uncounted() { return static_cast<std::int64_t>(watches().uncounted()); }
void* gb_agents_note() { return watches().next_note(); }
void gb_agents_clear() { watches().clear(); }

/// Toggle a signal by itself from time `next` on, with its level as it is now. Null where it is not a signal of one bit.
void* gb_toggle(const char* path, std::uint64_t high, std::uint64_t low, std::uint64_t next) {
  return guarded(
      [&] {
        auto* data = static_cast<std::uint8_t*>(locate(path, 1).data);
        return static_cast<void*>(&kernel().toggle(path, data, high, low, next));
      },
      static_cast<void*>(nullptr));
}
void gb_toggle_stop(void* clock) {
  auto* found = static_cast<goldbeat::Clock*>(clock);
  found->running = false;
  found->next = ~0ULL;
  found->level = *found->data != 0;
}

}  // extern "C"
