/// \file Sums of rows in the shared memory of a block: the part of histogram/add_rows.h between the choice of rows and
/// the histogram. Gradient pairs are limbs of 16 bits, which shared memory adds faster than 64-bit words.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/histogram/row_records.h"
#include "cuda/tree/small_pair.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"

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

/// Returns the sum of the numbers whose limbs add up to these.
__device__ __forceinline__ std::int64_t JoinedLimbs(std::uint32_t low, std::uint32_t high) {
  return static_cast<std::int64_t>(static_cast<std::int32_t>(high)) * 65536 + static_cast<std::int64_t>(low);
}

/// Returns the sum of the pairs whose limbs add up to these.
__device__ __forceinline__ FixedSum JoinedLimbs(std::uint32_t const (&limbs)[kLimbs]) {
  return {JoinedLimbs(limbs[0], limbs[1]), JoinedLimbs(limbs[2], limbs[3])};
}

/// Pairs of any size, as limbs.
struct WidePairs {
  using Pair = FixedPair;
  static constexpr std::uint32_t kWords = kLimbs;
  static constexpr std::uint32_t kMostRows = kRowsPerFlush;

  /// Reads both numbers at once.
  __device__ static FixedPair Load(FixedPair const* pairs, std::uint32_t row) {
    int2 const both = reinterpret_cast<int2 const*>(pairs)[row];
    return {both.x, both.y};
  }
  __device__ static PairLimbs Split(FixedPair pair) { return PairLimbs(pair); }
  /// words: of one of a pair's numbers.
  __device__ static std::int64_t Join(std::uint32_t const (&words)[kWords / 2]) {
    return JoinedLimbs(words[0], words[1]);
  }
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

  __device__ static SmallPair Load(SmallPair const* pairs, std::uint32_t row) { return pairs[row]; }
  __device__ static Words Split(SmallPair pair) {
    return {{static_cast<std::uint32_t>(static_cast<std::int32_t>(pair.x)),
             static_cast<std::uint32_t>(static_cast<std::int32_t>(pair.y))}};
  }
  __device__ static std::int64_t Join(std::uint32_t const (&words)[kWords / 2]) {
    return static_cast<std::int32_t>(words[0]);
  }
};

/// Threads per block of the histogram kernels.
constexpr int kSumThreads = 1024;
constexpr std::uint32_t kBanks = 32;

/// Returns the bytes of shared memory that the sums of a group take, with so many words for a pair.
KAURI_HD std::size_t BytesOfSums(CodeGroup const& group, std::uint32_t n_words = kLimbs) {
  return std::size_t{n_words} * kBanks * group.n_codes * sizeof(std::uint32_t);
}

/// The part of a row's codes that one lane of a warp adds: up to 16 consecutive bytes, read at once. Step i of a lane
/// adds byte (i xor x), where x is the lane's place among as many lanes as it has bytes. So the 32 lanes are at 32
/// different banks in every step. A byte permutation makes the offset of a cell from the code and the bank: the sums of
/// a code take 256 bytes, a word for each bank and two words of a pair. kWordsPerRow: words per row, each of four
/// codes.
template <int kWordsPerRow>
class LaneCodes {
 public:
  static constexpr int kWords = kWordsPerRow == 8 ? 4 : kWordsPerRow;  ///< of the lane
  static constexpr int kLanesPerRow = kWordsPerRow / kWords;
  static constexpr int kRowsPerStep = 32 / kLanesPerRow;

  struct alignas(4 * kWords) Words {
    std::uint32_t of[kWords];
  };

  __device__ LaneCodes() : row_(static_cast<int>(threadIdx.x % 32) / kLanesPerRow) {
    std::uint32_t const lane = threadIdx.x % 32;
    std::uint32_t const set = kLanesPerRow == 1 ? lane / kBytes : lane % kLanesPerRow;
    turn_ = static_cast<std::uint32_t>(row_) % kBytes;
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      constexpr std::uint32_t kSignOf = 8;  // the sign of a byte of banks_ is 0
      selectors_[i] = (4 + i) | (i ^ turn_ % 4) << 4 | (kSignOf + 4 + i) << 8 | (kSignOf + 4 + i) << 12;
      asm("" : "+r"(selectors_[i]));  // kept in a register: the compiler would compute it again for every row
    }
#pragma unroll
    for (std::uint32_t word = 0; word < kWords; ++word) {
      banks_[word] = 0;
#pragma unroll
      for (std::uint32_t i = 0; i < 4; ++i) banks_[word] |= 4 * (kBytes * set + ((4 * word + i) ^ turn_)) << (8 * i);
      asm("" : "+r"(banks_[word]));
    }
  }

  /// Index of the lane's row among the rows of a step.
  __device__ int Row() const { return row_; }
  /// codes: of row 0.
  __device__ Words Load(std::uint8_t const* codes, std::uint32_t row) const {
    return reinterpret_cast<Words const*>(
        codes)[static_cast<std::uint64_t>(row) * kLanesPerRow + threadIdx.x % kLanesPerRow];
  }

  /// Calls add(offset in bytes) for each code.
  template <typename Add>
  __device__ __forceinline__ void ForEach(Words words, Add&& add) const {
    if constexpr (kWords > 1) SwapIf((turn_ & 4U) != 0, &words.of[0], &words.of[1]);
    if constexpr (kWords > 2) {
      SwapIf((turn_ & 4U) != 0, &words.of[2], &words.of[3]);
      SwapIf((turn_ & 8U) != 0, &words.of[0], &words.of[2]);
      SwapIf((turn_ & 8U) != 0, &words.of[1], &words.of[3]);
    }
#pragma unroll
    for (int word = 0; word < kWords; ++word) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        std::uint32_t offset = 0;
        asm("prmt.b32 %0, %1, %2, %3;" : "=r"(offset) : "r"(words.of[word]), "r"(banks_[word]), "r"(selectors_[i]));
        add(offset);
      }
    }
  }

 private:
  static constexpr std::uint32_t kBytes = 4 * kWords;

  __device__ __forceinline__ static void SwapIf(bool swaps, std::uint32_t* a, std::uint32_t* b) {
    std::uint32_t const first = *a;
    *a = swaps ? *b : first;
    *b = swaps ? first : *b;
  }

  int row_;
  std::uint32_t turn_;
  std::uint32_t selectors_[4];
  std::uint32_t banks_[kWords];  ///< offsets of the banks, a byte for each of the lane's codes in the order of steps
};

/// Destination of the sums of some rows.
struct FlushTask {
  FixedSum* histogram;
  bool is_alone;  ///< this is the only addition to the histogram
  bool is_last;   ///< no rows follow
};

/// The sums of a group of kColumns code columns in shared memory: [words of a pair by two, n_codes, 2, banks].
template <std::uint32_t kColumns, typename Pairs>
class SumCells {
 public:
  static constexpr std::uint32_t kWords = Pairs::kWords;

  __device__ SumCells(std::uint32_t* sums, CodeGroup const& group) : sums_(sums), n_cells_(group.n_codes * kBanks) {}

  __device__ void Clear() {
    auto* const fours = reinterpret_cast<uint4*>(sums_);
    for (std::uint32_t i = threadIdx.x; i < kWords * n_cells_ / 4; i += kSumThreads) fours[i] = {0, 0, 0, 0};
    __syncthreads();
  }

  /// Adds a pair to the cells of the lane's codes.
  template <typename Lane, typename Pair>
  __device__ __forceinline__ void Add(Lane const& lane, typename Lane::Words const& words, Pair const& pair) const {
    auto const split = Pairs::Split(pair);
    lane.ForEach(words, [&](std::uint32_t offset) {
      auto* const cell = reinterpret_cast<std::uint32_t*>(reinterpret_cast<unsigned char*>(sums_) + offset);
#pragma unroll
      for (std::uint32_t word = 0; word < kWords; ++word) atomicAdd(cell + PlaceOf(word), split.words[word]);
    });
  }

  /// Adds the sums to the histogram and clears them for the next rows. The numbers of a warp lie side by side in the
  /// histogram. Blocks begin at different codes, so that they rarely add to the same numbers at a time. If a group has
  /// less than 32 columns, the copies of its columns are added up.
  __device__ void Flush(CodeGroup const& group, SumColumn const* columns, FlushTask const& task) const {
    constexpr std::uint32_t kNumbers = 2 * kColumns;  // of a code; kSumThreads is a multiple
    __syncthreads();
    std::uint32_t const in_code = threadIdx.x % kNumbers;
    std::uint32_t const column = in_code / 2;
    std::uint32_t const n_codes = column < group.n_columns ? columns[group.first_column + column].n_codes : 0;
    std::uint32_t const n_turns = (n_cells_ / kBanks * kNumbers + kSumThreads - 1) / kSumThreads;
    std::uint32_t turn = blockIdx.x % n_turns;
#pragma unroll 4
    for (std::uint32_t i = 0; i < n_turns; ++i) {
      std::uint32_t const code = (turn * kSumThreads + threadIdx.x) / kNumbers;
      turn = turn + 1 == n_turns ? 0 : turn + 1;
      if (code >= n_cells_ / kBanks) continue;
      auto const sum = static_cast<Word>(TakeNumber(code, in_code, task.is_last));
      if (code >= n_codes || sum == 0) continue;
      auto* const number = reinterpret_cast<Word*>(task.histogram + group.first_sum + code * kColumns) + in_code;
      if (task.is_alone) {
        *number = sum;
      } else {
        AddToMemory(number, sum);
      }
    }
    __syncthreads();
  }

 private:
  using Word = unsigned long long;

  /// Adds to a word of device memory. Of a pointer read from memory the compiler would first ask whether it is one.
  __device__ static void AddToMemory(Word* word, Word value) {
    asm volatile("red.global.add.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(word)), "l"(value) : "memory");
  }

  /// Returns the place of a word of a pair from the cell of its first word on.
  __device__ std::uint32_t PlaceOf(std::uint32_t word) const { return word / 2 * 2 * n_cells_ + word % 2 * kBanks; }

  /// Returns a number of a code over all copies of its column, and clears it unless this is the last time.
  __device__ std::int64_t TakeNumber(std::uint32_t code, std::uint32_t in_code, bool is_last) const {
    std::int64_t sum = 0;
#pragma unroll
    for (std::uint32_t bank = 0; bank < kBanks; bank += kColumns) {
      std::uint32_t words[kWords / 2];
#pragma unroll
      for (std::uint32_t word = 0; word < kWords / 2; ++word) {
        auto* const cell = sums_ + 2 * kBanks * code + bank + in_code / 2 + PlaceOf(in_code % 2 * (kWords / 2) + word);
        words[word] = *cell;
        if (!is_last) *cell = 0;
      }
      sum += Pairs::Join(words);
    }
    return sum;
  }

  std::uint32_t* sums_;
  std::uint32_t n_cells_;  ///< of one word
};

/// Consecutive rows of one node.
template <typename Pair>
struct RowPiece {
  std::uint32_t const* rows;  ///< row numbers; nullptr: consecutive from `begin` on
  std::uint32_t begin;
  std::uint32_t count;
  Pair const* pairs;  ///< [n_rows], for all rows
};

/// Use of the records of narrow rows (row_records.h).
enum class RecordUse { kNone, kWrite, kRead };

/// Arrays that the rows of a group are read from.
struct SummedRows {
  std::uint8_t const* codes;
  RowRecord* records;  ///< read in place of codes and pairs, or written
};

/// Sums of the rows of one node at a time. Pairs: WidePairs or NarrowPairs; only wide pairs have records.
template <int kWordsPerRow, RecordUse kRecords, typename Pairs = WidePairs>
class SharedSums {
 public:
  using Pair = typename Pairs::Pair;
  using Lane = LaneCodes<kWordsPerRow>;
  using Cells = SumCells<4 * kWordsPerRow, Pairs>;

  __device__ SharedSums(std::uint32_t* sums, CodeGroup const& group, SummedRows const& rows)
      : cells_(sums, group), codes_(rows.codes + group.offset), records_(rows.records) {}

  __device__ Cells& Sums() { return cells_; }

  /// Called by all warps of the block. A warp takes kTurnRows rows at a time.
  __device__ void Add(RowPiece<Pair> const& piece) {
    std::uint32_t first = threadIdx.x / 32 * kTurnRows;
    Numbers numbers = NumbersOf(piece, first);
    while (first < piece.count) {
      std::uint32_t const next = first + kSumThreads / 32 * kTurnRows;
      Numbers const next_numbers = NumbersOf(piece, next);
      AddTurn(piece, numbers, first);
      first = next;
      numbers = next_numbers;
    }
  }

 private:
  static constexpr std::uint32_t kTurnRows = 64;
  static constexpr int kSteps = kTurnRows / Lane::kRowsPerStep;

  /// Rows lane and 32 + lane of a turn.
  struct Numbers {
    std::uint32_t of[kTurnRows / 32];
  };

  __device__ static Numbers NumbersOf(RowPiece<Pair> const& piece, std::uint32_t first) {
    Numbers numbers;
#pragma unroll
    for (std::uint32_t i = 0; i < kTurnRows / 32; ++i) {
      std::uint32_t const place = first + 32 * i + threadIdx.x % 32;
      numbers.of[i] = place >= piece.count ? 0 : piece.rows == nullptr ? piece.begin + place : piece.rows[place];
    }
    return numbers;
  }

  /// Loads the lane's codes of a row, and the row's pair.
  __device__ void Load(RowPiece<Pair> const& piece, std::uint32_t row, typename Lane::Words* words, Pair* pair) const {
    if constexpr (kRecords == RecordUse::kRead) {
      RowRecord const record = records_[row];
      words->of[0] = record.x;
      if constexpr (Lane::kWords > 1) words->of[1] = record.z;
      *pair = {static_cast<std::int32_t>(record.y), static_cast<std::int32_t>(record.w)};
    } else {
      *words = lane_.Load(codes_, row);
      *pair = Pairs::Load(piece.pairs, row);
    }
  }

  __device__ void Store(std::uint32_t row, typename Lane::Words const& words, Pair pair) const {
    std::uint32_t const second = Lane::kWords > 1 ? words.of[Lane::kWords - 1] : 0;
    records_[row] = {words.of[0], static_cast<std::uint32_t>(pair.gradient), second,
                     static_cast<std::uint32_t>(pair.hessian)};
  }

  /// Adds a turn's rows, from `first` on. All loads are in flight at the same time.
  __device__ void AddTurn(RowPiece<Pair> const& piece, Numbers const& numbers, std::uint32_t first) const {
    std::uint32_t rows[kSteps];
    typename Lane::Words words[kSteps];
    Pair pairs[kSteps];
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      int const place = step * Lane::kRowsPerStep;
      rows[step] = numbers.of[place / 32];
      if constexpr (Lane::kLanesPerRow > 1) rows[step] = __shfl_sync(0xFFFFFFFFU, rows[step], place % 32 + lane_.Row());
      Load(piece, rows[step], &words[step], &pairs[step]);
    }
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      if (first + static_cast<std::uint32_t>(step * Lane::kRowsPerStep + lane_.Row()) >= piece.count) continue;
      if constexpr (kRecords == RecordUse::kWrite) Store(rows[step], words[step], pairs[step]);
      cells_.Add(lane_, words[step], pairs[step]);
    }
  }

  Lane lane_;
  Cells cells_;
  std::uint8_t const* codes_;
  RowRecord* records_;
};

}  // namespace kauri::cuda
