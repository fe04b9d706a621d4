/// \file Rows of bytes as words of the largest size that their addresses and strides allow.
#pragma once

#include <vector_types.h>

#include <cstdint>

#include "common/shuffle/shuffle_rows.h"

namespace kauri::cuda {

/// Rows of n_words words; strides in words.
template <typename Word>
struct RowWords {
  Word const* from;
  Word* to;
  std::int64_t from_stride;
  std::int64_t to_stride;
  std::int64_t n_words;
};

template <typename Word>
RowWords<Word> WordsOf(RowMove const& move) {
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Word));
  return {reinterpret_cast<Word const*>(move.from), reinterpret_cast<Word*>(move.to), move.from_stride / kBytes,
          move.to_stride / kBytes, move.row_bytes / kBytes};
}

/// Calls fn(a value of the word's type), with a type of 1, 2, 4, 8 or 16 bytes.
template <typename Fn>
void DispatchWord(RowMove const& move, Fn&& fn) {
  auto const bits = reinterpret_cast<std::uintptr_t>(move.from) | reinterpret_cast<std::uintptr_t>(move.to) |
                    static_cast<std::uintptr_t>(move.from_stride) | static_cast<std::uintptr_t>(move.to_stride) |
                    static_cast<std::uintptr_t>(move.row_bytes);
  if (bits % 16 == 0) return fn(uint4{});
  if (bits % 8 == 0) return fn(static_cast<unsigned long long>(0));
  if (bits % 4 == 0) return fn(0U);
  if (bits % 2 == 0) return fn(static_cast<unsigned short>(0));
  return fn(static_cast<unsigned char>(0));
}

/// Returns the lanes that share a row of n_words words, as a power of two: one per word, at most a warp.
inline int LogLanes(std::int64_t n_words) {
  int log = 0;
  while (log < 5 && (std::int64_t{1} << log) < n_words) ++log;
  return log;
}

}  // namespace kauri::cuda
