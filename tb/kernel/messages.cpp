// SPDX-License-Identifier: Apache-2.0
//
// messages.cpp - $error and failed assertions of the design.
//
// Verilator prints such a message and then asks vl_stop_maybe() what to do. By default the simulation stops, as with Verilator's
// own main. A host that judges several episodes collects them instead: each place in the design is printed and kept once,
// with the time of its first failure and a count, and the simulation goes on. $fatal and $stop always stop it.

#include <cstdarg>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel.h"
#include "messages.h"
#include "verilated.h"

namespace {

struct Failure {
  std::string scope;    ///< instance and name, dots between them
  std::string message;
  std::string source;   ///< file:line
  std::uint64_t first;  ///< time step
  std::uint64_t count;
};

/// What vl_stop_maybe() must know of the message before it: `[time] %Error: file:line: Assertion failed in scope: message`.
struct Messages {
  bool collecting = false;
  std::string held;
  std::vector<Failure> failures;
  std::map<std::string, std::size_t> places;
  std::string report;
};

Messages& messages() {
  static Messages one;
  return one;
}

constexpr std::string_view kError = "] %Error: ";
constexpr std::string_view kScope = ": Assertion failed in ";

void put(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void release() {
  put(messages().held);
  messages().held.clear();
}

Failure parse(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (char& c : text) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  Failure found{"", text, "", goldbeat::kernel().now(), 1};
  const std::size_t error = text.find(kError);
  const std::size_t scope = text.find(kScope);
  if (error == std::string::npos || scope == std::string::npos) return found;
  const std::size_t source = error + kError.size();
  found.source = text.substr(source, scope - source);
  const std::size_t name = scope + kScope.size();
  const std::size_t colon = text.find(": ", name);
  found.scope = text.substr(name, colon == std::string::npos ? colon : colon - name);
  found.message = colon == std::string::npos ? "" : text.substr(colon + 2);
  return found;
}

}  // namespace

int goldbeat_print(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  va_list again;
  va_copy(again, arguments);
  const int size = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  std::string text(static_cast<std::size_t>(size > 0 ? size : 0) + 1, '\0');
  std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  text.pop_back();
  Messages& all = messages();
  release();
  if (all.collecting && text.find(kError) != std::string::npos) {
    all.held = text;
  } else {
    put(text);
  }
  return size;
}

void vl_stop_maybe(const char* filename, int linenum, const char* hier, bool maybe) {
  Messages& all = messages();
  VerilatedContext& context = *Verilated::threadContextp();
  if (maybe && !context.assertOn()) {
    // The kernel is trying out inputs that need not be legal.
    all.held.clear();
    return;
  }
  if (!maybe || !all.collecting || all.held.empty()) {
    release();
    context.errorCountInc();
    if (!maybe || context.errorCount() >= context.errorLimit()) vl_stop(filename, linenum, hier);
    return;
  }
  Failure found = parse(all.held);
  const auto [place, fresh] = all.places.try_emplace(found.source + ' ' + found.scope, all.failures.size());
  if (fresh) {
    all.failures.push_back(std::move(found));
    release();
  } else {
    ++all.failures[place->second].count;
    all.held.clear();
  }
}

extern "C" {

/// From now on, errors of the design are collected and stop nothing.
void gb_collect_failures() { messages().collecting = true; }

/// Errors since the last call, one line per place in the design: time step of the first, how many, file:line, scope and message,
/// with tabs between them.
const char* gb_failures() {
  Messages& all = messages();
  all.report.clear();
  for (const Failure& found : all.failures) {
    all.report += std::to_string(found.first) + '\t' + std::to_string(found.count) + '\t' + found.source + '\t' + found.scope +
                  '\t' + found.message + '\n';
  }
  all.failures.clear();
  all.places.clear();
  return all.report.c_str();
}

}  // extern "C"
