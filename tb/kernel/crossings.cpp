// SPDX-License-Identifier: Apache-2.0
//
// crossings.cpp - signals that are read on another clock, and what readers see of those that change too close to an edge.

#include "kernel.h"
#include "verilated.h"
#include "verilated_sym_props.h"

namespace goldbeat {

Crossings::Variable Crossings::find(const std::string& path) {
  if (const Port* port = kernel().find(path)) return {static_cast<std::uint8_t*>(port->data), port->bytes()};
  // Scopes end where variables of theirs begin; those of generate blocks may lie in the scope around them.
  for (std::size_t dot = path.rfind('.'); dot != std::string::npos && dot > 0; dot = path.rfind('.', dot - 1)) {
    const VerilatedScope* scope = Verilated::threadContextp()->scopeFind(path.substr(0, dot).c_str());
    if (scope == nullptr) continue;
    std::string name = path.substr(dot + 1);
    for (std::size_t at = name.find('.'); at != std::string::npos; at = name.find('.')) name.replace(at, 1, "__DOT__");
    const VerilatedVar* found = scope->varFind(name.c_str());
    if (found != nullptr && found->isPublicRW()) return {static_cast<std::uint8_t*>(found->datap()), found->totalSize()};
  }
  throw std::invalid_argument("the simulator does not show the signal " + path);
}

void Crossings::add(const std::string& source, const Clock& clock, const std::string& copy) {
  Crossing crossing{.signal = signals_.size(), .clock = &clock, .copy = {}, .blurred = {}, .unsettled = {}};
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    if (signals_[i].name == source) crossing.signal = i;
  }
  if (crossing.signal == signals_.size()) {
    signals_.push_back({source, find(source), {}, {}, ~0ULL});
    signals_.back().now.resize(signals_.back().variable.size);
    signals_.back().before.resize(signals_.back().variable.size);
  }
  const std::size_t size = signals_[crossing.signal].variable.size;
  if (!copy.empty()) crossing.copy = find(copy);
  if (crossing.copy.size != size) crossing.copy = {};
  crossing.blurred.resize(size);
  crossing.unsettled.resize(crossing.copy.size);
  crossing.held.resize(crossing.copy.size);
  crossings_.push_back(std::move(crossing));
}

void Crossings::clear() {
  signals_.clear();
  crossings_.clear();
  window_ = 0;
}

void Crossings::arm(std::uint64_t seed, std::uint64_t window) {
  seed_ = seed;
  index_ = 0;
  window_ = crossings_.empty() ? 0 : window;
  for (Signal& signal : signals_) {
    std::memcpy(signal.now.data(), signal.variable.data, signal.variable.size);
    signal.changed = ~0ULL;
  }
  for (Crossing& crossing : crossings_) {
    std::fill(crossing.unsettled.begin(), crossing.unsettled.end(), 0);
    crossing.awake = false;
    crossing.late = crossing.torn = 0;
  }
}

void Crossings::note(std::uint64_t now) {
  for (Signal& signal : signals_) {
    if (std::memcmp(signal.now.data(), signal.variable.data, signal.variable.size) == 0) continue;
    // Several evaluations at one time are one change.
    if (signal.changed != now) signal.before = signal.now;
    signal.changed = now;
    std::memcpy(signal.now.data(), signal.variable.data, signal.variable.size);
  }
}

bool Crossings::recent(const Signal& signal, std::uint64_t now) const {
  return signal.changed != ~0ULL && now - signal.changed <= window_;
}

bool Crossings::blur(const Clock& clock, std::uint64_t now, bool settle) {
  bool any = false;
  for (Crossing& crossing : crossings_) {
    if (crossing.clock != &clock) continue;
    Signal& signal = signals_[crossing.signal];
    if (recent(signal, now)) {
      for (std::size_t i = 0; i < signal.now.size(); ++i) {
        const auto changed = static_cast<std::uint8_t>(signal.before[i] ^ signal.now[i]);
        if (changed == 0) continue;
        crossing.blurred[i] = changed & static_cast<std::uint8_t>(draw(256));
        signal.variable.data[i] ^= crossing.blurred[i];
        any |= crossing.blurred[i] != 0;
        if (settle) crossing.late += __builtin_popcount(crossing.blurred[i]);
      }
    }
    if (!settle) continue;
    for (std::size_t i = 0; i < crossing.unsettled.size(); ++i) {
      if (crossing.unsettled[i] == 0) continue;
      const auto turned = static_cast<std::uint8_t>(crossing.unsettled[i] & draw(256));
      crossing.copy.data[i] ^= turned;
      crossing.unsettled[i] = 0;
      any |= turned != 0;
    }
  }
  return any;
}

bool Crossings::restore() {
  bool any = false;
  for (Crossing& crossing : crossings_) {
    Signal& signal = signals_[crossing.signal];
    for (std::size_t i = 0; i < crossing.blurred.size(); ++i) {
      if (crossing.blurred[i] == 0) continue;
      signal.variable.data[i] ^= crossing.blurred[i];
      crossing.blurred[i] = 0;
      any = true;
    }
  }
  return any;
}

void Crossings::took(const Clock& clock, std::uint64_t now) {
  for (Crossing& crossing : crossings_) {
    if (crossing.clock != &clock || crossing.copy.size == 0) continue;
    // A reset that passes a synchroniser holds the flip-flop for some edges. Edges in reset have negative numbers.
    const bool moved = std::memcmp(crossing.held.data(), crossing.copy.data, crossing.copy.size) != 0;
    crossing.awake |= clock.cycle > 0 && moved;
    std::memcpy(crossing.held.data(), crossing.copy.data, crossing.copy.size);
    if (!crossing.awake) continue;
    const Signal& signal = signals_[crossing.signal];
    if (!recent(signal, now)) continue;
    int changed = 0;
    for (std::size_t i = 0; i < signal.now.size(); ++i) {
      changed += __builtin_popcount(signal.before[i] ^ signal.now[i]);
      // Only bits that the flip-flop has taken: it may be held.
      const int taken = ~(crossing.copy.data[i] ^ signal.now[i]);
      crossing.unsettled[i] = static_cast<std::uint8_t>((signal.before[i] ^ signal.now[i]) & taken);
    }
    crossing.torn += moved && changed > 1;
  }
}

}  // namespace goldbeat
