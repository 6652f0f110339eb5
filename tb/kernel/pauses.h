// SPDX-License-Identifier: Apache-2.0
//
// pauses.h - agents that may be paused, as cocotbext-axi's: by a value, or by a generator of Python that gives one per edge.

#pragma once

#include "kernel.h"
#include "watches.h"

namespace goldbeat {

class Pausable : public Agent {
 public:
  bool pause() const { return pause_; }
  void set_pause(bool value) {
    if (value == pause_) return;
    pause_ = value;
    pause_changed();
  }

 protected:
  virtual void pause_changed() {}
  bool pause_ = false;
};

/// A signal by cocotb's path and width; a null pointer for one that is not there.
struct GbSignal {
  const char* path;
  std::uint32_t bits;
};

inline Port port_of(const GbSignal& signal) {
  const Storage found = locate(signal.path, signal.bits);
  return {signal.path, found.data, signal.bits, found.input};
}

inline Field field_of(const GbSignal& signal) { return signal.path == nullptr ? Field() : Field(port_of(signal)); }

/// A signal that is not there reads as one.
inline Bit bit_of(const GbSignal& signal) {
  return signal.path == nullptr ? Bit(true) : Bit(port_of({signal.path, 1}));
}

/// Gives an agent to the watches and puts it on its clock. Null where it cannot reach a signal.
template <typename Make>
void* made_agent(const char* clock, Make make) {
  return guarded(
      [&]() -> void* {
        auto agent = make();
        agent->line = &watches().line(locate(clock, 1));
        agent->bind();
        return static_cast<Agent*>(watches().add(std::move(agent)));
      },
      static_cast<void*>(nullptr));
}

}  // namespace goldbeat
