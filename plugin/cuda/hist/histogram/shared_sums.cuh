/// \file Sums of rows in the shared memory of a block: the part of histogram/add_rows.h between the choice of rows and
/// the histogram. Gradient pairs are limbs of 16 bits, which shared memory adds faster than 64-bit words.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/histogram/row_records.h"
#include "cuda/tree/small_pair.h"
#include "kauri/gradient.h"

namespace kauri::cuda {

/// Number of rows whose 16-bit limbs add up to 32-bit words.
constexpr std::uint32_t kRowsPerFlush = 65536;
/// Limbs of a pair: two for each of its numbers.
constexpr std::uint32_t kLimbs = 4;

struct PairLimbs {
  std::uint32_t words[kLimbs];

  __device__ explicit PairLimbs(FixedPair pair)
      : words{static_cast<std::uint32_t>(pair.gradient) & 0xFFFFU, static_cast<std::uint32_t>(pair.gradient >> 16),
              static_cast<std::uint32_t>(pair.hessian) & 0xFFFFU, static_cast<std::uint32_t>(pair.hessian >> 16)} {}
};

/// Returns the sum of the pairs whose limbs add up to these.
__device__ __forceinline__ FixedSum JoinedLimbs(std::uint32_t const (&limbs)[kLimbs]) {
  auto const joined = [](std::uint32_t low, std::uint32_t high) {
    return static_cast<std::int64_t>(static_cast<std::int32_t>(high)) * 65536 + static_cast<std::int64_t>(low);
  };
  return {joined(limbs[0], limbs[1]), joined(limbs[2], limbs[3])};
}

/// Pairs of any size, as limbs.
struct WidePairs {
  using Pair = FixedPair;
  static constexpr std::uint32_t kWords = kLimbs;
  static constexpr std::uint32_t kMostRows = kRowsPerFlush;

  __device__ static PairLimbs Split(FixedPair pair) { return PairLimbs(pair); }
  __device__ static FixedSum Join(std::uint32_t const (&words)[kWords]) { return JoinedLimbs(words); }
};

/// Pairs of up to 8 bits. A word for each of their numbers holds the sum of 2^24 rows: half of the additions and of the
/// memory.
struct NarrowPairs {
  using Pair = SmallPair;
  static constexpr std::uint32_t kWords = 2;
  static constexpr std::uint32_t kMostRows = std::uint32_t{1} << 24U;

  struct Words {
    std::uint32_t words[kWords];
  };

  __device__ static Words Split(SmallPair pair) {
    return {{static_cast<std::uint32_t>(static_cast<std::int32_t>(pair.x)),
             static_cast<std::uint32_t>(static_cast<std::int32_t>(pair.y))}};
  }
  __device__ static FixedSum Join(std::uint32_t const (&words)[kWords]) {
    return {static_cast<std::int32_t>(words[0]), static_cast<std::int32_t>(words[1])};
  }
};

/// Threads per block of the histogram kernels.
constexpr int kSumThreads = 1024;
constexpr std::uint32_t kBanks = 32;

/// Returns the bytes of shared memory that the sums of a group take, with so many words for a pair.
inline std::size_t BytesOfSums(CodeGroup const& group, std::uint32_t n_words = kLimbs) {
  return std::size_t{n_words} * kBanks * group.n_codes * sizeof(std::uint32_t);
}

/// Consecutive rows of one node.
template <typename Pair>
struct RowPiece {
  std::uint32_t const* rows;  ///< row numbers; nullptr: consecutive from `begin` on
  std::uint32_t begin;
  std::uint32_t count;
  Pair const* pairs;  ///< [n_rows], for all rows
};

/// Destination of the sums of some rows.
struct FlushTask {
  FixedSum* histogram;
  bool is_alone;  ///< this is the only addition to the histogram
  bool is_last;   ///< no rows follow
};

/// Use of the records of narrow rows (row_records.h).
enum class RecordUse { kNone, kWrite, kRead };

/// Arrays that the rows of a group are read from.
struct SummedRows {
  std::uint8_t const* codes;
  RowRecord* records;  ///< read in place of codes and pairs, or written
};

/// Sums of one group of code columns in shared memory. kWordsPerRow: words per row, each of four codes. Pairs:
/// WidePairs or NarrowPairs; only wide pairs have records.
template <int kWordsPerRow, RecordUse kRecords, typename Pairs = WidePairs>
class SharedSums {
 public:
  using Pair = typename Pairs::Pair;
  static constexpr std::uint32_t kWords = Pairs::kWords;
  static constexpr int kRowsPerStep = 32 / kWordsPerRow;
  static constexpr int kSteps = kWordsPerRow;  ///< for 32 rows
  static constexpr std::uint32_t kColumns = 4 * kWordsPerRow;

  __device__ SharedSums(std::uint32_t* sums, CodeGroup const& group, SummedRows const& rows)
      : sums_(sums),
        plane_(group.n_codes * kBanks),
        codes_(reinterpret_cast<std::uint32_t const*>(rows.codes + group.offset)),
        records_(rows.records),
        word_(static_cast<int>(threadIdx.x) % kWordsPerRow),
        row_(static_cast<int>(threadIdx.x % 32) / kWordsPerRow) {}

  __device__ void Clear() {
    auto* const fours = reinterpret_cast<uint4*>(sums_);
    for (std::uint32_t i = threadIdx.x; i < kWords * plane_ / 4; i += kSumThreads) fours[i] = {0, 0, 0, 0};
    __syncthreads();
  }

  /// Loads the lane's word of a row's codes, and the row's pair.
  __device__ void Load(std::uint32_t row, std::uint32_t* word, Pair* pair) const {
    if constexpr (kRecords == RecordUse::kRead) {
      RowRecord const record = records_[row];
      *word = word_ == 0 ? record.x : record.z;
      *pair = {static_cast<std::int32_t>(record.y), static_cast<std::int32_t>(record.w)};
    } else {
      *word = codes_[static_cast<std::uint64_t>(row) * kWordsPerRow + word_];
      *pair = pairs_[row];
    }
  }

  /// Stores the lane's half of a row's record. If a row has one word, its only lane stores both halves.
  __device__ void Store(std::uint32_t row, std::uint32_t word, Pair pair) const {
    auto const gradient = static_cast<std::uint32_t>(pair.gradient);
    auto const hessian = static_cast<std::uint32_t>(pair.hessian);
    if constexpr (kWordsPerRow == 1) {
      records_[row] = {word, gradient, 0, hessian};
    } else {
      reinterpret_cast<uint2*>(records_ + row)[word_] = {word, word_ == 0 ? gradient : hessian};
    }
  }

  /// Adds 32 rows of a warp, or the first `count` of them. `number` is the lane's row. All loads are in flight at the
  /// same time.
  __device__ void AddTurn(std::uint32_t number, std::uint32_t count) {
    constexpr unsigned kAllLanes = 0xFFFFFFFFU;
    std::uint32_t rows[kSteps];
    std::uint32_t words[kSteps];
    Pair pairs[kSteps];
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      rows[step] = __shfl_sync(kAllLanes, number, step * kRowsPerStep + row_);
      Load(rows[step], &words[step], &pairs[step]);
    }
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      if (static_cast<std::uint32_t>(step * kRowsPerStep + row_) >= count) continue;
      if constexpr (kRecords == RecordUse::kWrite) Store(rows[step], words[step], pairs[step]);
      AddWord(words[step], pairs[step]);
    }
  }

  /// Called by all warps of the block.
  __device__ void Add(RowPiece<Pair> const& piece) {
    pairs_ = piece.pairs;
    std::uint32_t const lane = threadIdx.x % 32;
    std::uint32_t first = threadIdx.x / 32 * 32;
    std::uint32_t number = first + lane < piece.count ? NumberOf(piece, first + lane) : 0;
    while (first < piece.count) {
      std::uint32_t const next = first + kSumThreads;
      std::uint32_t const next_number = next + lane < piece.count ? NumberOf(piece, next + lane) : 0;
      AddTurn(number, piece.count - first);
      first = next;
      number = next_number;
    }
  }

  /// Adds the sums to the histogram and clears them for the next rows. A warp handles one code at a time. If a group
  /// has less than 32 columns, its lanes first add up the copies of their columns.
  __device__ void Flush(CodeGroup const& group, SumColumn const* columns, FlushTask const& task) {
    __syncthreads();
    std::uint32_t const column = threadIdx.x % kColumns;  // kSumThreads is a multiple of all widths
    std::uint32_t const n_codes = column < group.n_columns ? columns[group.first_column + column].n_codes : 0;
#pragma unroll 4
    for (std::uint32_t i = threadIdx.x; i < plane_; i += kSumThreads) {
      std::uint32_t words[kWords];
#pragma unroll
      for (std::uint32_t word = 0; word < kWords; ++word) {
        words[word] = sums_[i + word * plane_];
        if (!task.is_last) sums_[i + word * plane_] = 0;
      }
      std::uint32_t const code = i / kBanks;
      FixedSum const sum = Pairs::Join(words);
      Word const gradient = OfAllCopies(static_cast<Word>(sum.gradient));
      Word const hessian = OfAllCopies(static_cast<Word>(sum.hessian));
      if (threadIdx.x % kBanks >= kColumns || code >= n_codes || (gradient | hessian) == 0) continue;
      auto* const cell = reinterpret_cast<ulonglong2*>(task.histogram + group.first_sum + code * kColumns + column);
      if (task.is_alone) {
        *cell = {gradient, hessian};
        continue;
      }
      atomicAdd(&cell->x, gradient);
      atomicAdd(&cell->y, hessian);
    }
    __syncthreads();
  }

 private:
  __device__ static std::uint32_t NumberOf(RowPiece<Pair> const& piece, std::uint32_t place) {
    return piece.rows == nullptr ? piece.begin + place : piece.rows[place];
  }
  using Word = unsigned long long;

  /// Adds up the values of the lanes whose columns are the same.
  __device__ static Word OfAllCopies(Word sum) {
#pragma unroll
    for (std::uint32_t step = kColumns; step < kBanks; step *= 2) sum += __shfl_xor_sync(0xFFFFFFFFU, sum, step);
    return sum;
  }

  /// Adds four codes of one row. In each step, the four rows that share a copy of the columns use four different
  /// columns.
  __device__ void AddWord(std::uint32_t word, Pair pair) {
    int const turn = row_ & 3;
    std::uint32_t const rotated = __funnelshift_r(word, word, 8 * turn);
    std::uint32_t const copy = static_cast<std::uint32_t>(row_ / 4) * kColumns + 4 * static_cast<std::uint32_t>(word_);
    auto const split = Pairs::Split(pair);
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      std::uint32_t const code = rotated >> (8 * step) & 0xFFU;
      std::uint32_t* const cell = sums_ + code * kBanks + copy + static_cast<std::uint32_t>((step + turn) & 3);
#pragma unroll
      for (std::uint32_t i = 0; i < kWords; ++i) atomicAdd(cell + i * plane_, split.words[i]);
    }
  }

  std::uint32_t* sums_;
  std::uint32_t plane_;
  std::uint32_t const* codes_;
  Pair const* pairs_ = nullptr;
  RowRecord* records_;
  int word_;
  int row_;  ///< index among the rows of a step
};

}  // namespace kauri::cuda
