// SPDX-License-Identifier: Apache-2.0
// What Verilator's writer of FST files calls in LZ4: compression into the LZ4 block format, so that no library is needed.
// A sequence is a token, literals, and a match: how far back the next bytes are found, and how many.
#pragma once

#include <cstdint>
#include <cstring>

namespace goldbeat::fst {

constexpr int kShortest = 4;    // bytes of a match
constexpr int kLastMatch = 12;  // a match starts at least so many bytes before the end
constexpr int kLastBytes = 5;   // literals at the end
constexpr int kFarthest = 65535;
constexpr int kHashBits = 12;

inline char* put_length(char* out, int rest) {
  for (; rest >= 255; rest -= 255) *out++ = static_cast<char>(255);
  *out++ = static_cast<char>(rest);
  return out;
}

// Literals, and a match of `length` bytes `back` bytes before; without one at the end.
inline char* put_sequence(char* out, const char* literals, int count, int back, int length) {
  const int more = length - kShortest;
  const int low = length == 0 ? 0 : more < 15 ? more : 15;
  *out++ = static_cast<char>((count < 15 ? count : 15) << 4 | low);
  if (count >= 15) out = put_length(out, count - 15);
  std::memcpy(out, literals, static_cast<std::size_t>(count));
  out += count;
  if (length == 0) return out;
  *out++ = static_cast<char>(back & 255);
  *out++ = static_cast<char>(back >> 8);
  return low == 15 ? put_length(out, more - 15) : out;
}

}  // namespace goldbeat::fst

inline int LZ4_compressBound(int size) { return size + size / 255 + 16; }

// The bytes written. `capacity` is at least the bound.
inline int LZ4_compress_default(const char* source, char* target, int size, int capacity) {
  using namespace goldbeat::fst;
  if (capacity < LZ4_compressBound(size)) return 0;
  int heads[1 << kHashBits];
  std::memset(heads, -1, sizeof heads);
  char* out = target;
  int begin = 0;
  for (int at = 0; at <= size - kLastMatch;) {
    std::uint32_t word;
    std::memcpy(&word, source + at, sizeof word);
    int& head = heads[word * 2654435761u >> (32 - kHashBits)];
    const int found = head;
    head = at;
    if (found < 0 || at - found > kFarthest || std::memcmp(source + found, source + at, kShortest) != 0) {
      // Larger steps where nothing repeats.
      at += 1 + ((at - begin) >> 6);
      continue;
    }
    int length = kShortest;
    while (at + length < size - kLastBytes && source[found + length] == source[at + length]) ++length;
    out = put_sequence(out, source + begin, at - begin, at - found, length);
    at += length;
    begin = at;
  }
  out = put_sequence(out, source + begin, size - begin, 0, 0);
  return static_cast<int>(out - target);
}
