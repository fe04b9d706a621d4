/// \file Sums of one group of code columns and some places in the shared memory of a block (add_table_rows.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/hist/histogram/shared_sums.cuh"
#include "cuda/hist_vector/add_table_rows.h"
#include "cuda/hist_vector/row_pieces.cuh"

namespace kauri::cuda {

constexpr int kAddThreads = 1024;

constexpr std::size_t SharedBytes(std::uint32_t n_codes, std::uint32_t n_places) {
  return std::size_t{2} * n_places * kBanks * n_codes * sizeof(std::uint32_t);
}

/// kWordsPerRow: words per row, each of four codes.
template <int kWordsPerRow, int kPlaces>
class SharedPlaces {
 public:
  __device__ SharedPlaces(std::uint32_t* sums, CodeGroup const& group, std::uint8_t const* codes,
                          TableOnDevice const& table, std::uint32_t first_place)
      : sums_(sums),
        group_(group),
        plane_(group.n_codes * kBanks),
        codes_(reinterpret_cast<std::uint32_t const*>(codes + group.offset)),
        table_(table),
        first_place_(first_place),
        n_places_(min(static_cast<std::uint32_t>(kPlaces), table.n_sums - first_place)),
        word_(static_cast<int>(threadIdx.x) % kWordsPerRow),
        row_(static_cast<int>(threadIdx.x % 32) / kWordsPerRow) {}

  __device__ void Clear() {
    for (std::uint32_t i = threadIdx.x; i < 2 * kPlaces * plane_; i += kAddThreads) sums_[i] = 0;
    __syncthreads();
  }

  /// Called by all warps of the block. A warp handles 32 rows per turn, some of them with all loads in flight at the
  /// same time.
  __device__ void Add(RowPieceOfNode const& piece) {
    constexpr std::uint32_t kStride = kAddThreads;
    std::uint32_t const lane = threadIdx.x % 32;
    std::uint32_t first = threadIdx.x / 32 * 32;
    std::uint32_t number = first + lane < piece.count ? piece.Number(first + lane) : 0;
    for (; first < piece.count; first += kStride) {
      std::uint32_t const here = number;
      std::uint32_t const next = first + kStride + lane;
      number = next < piece.count ? piece.Number(next) : 0;
#pragma unroll
      for (int step = 0; step < kWordsPerRow; step += kInFlight) AddSteps(piece.count - first, here, step);
    }
  }

  /// Adds the sums to the histogram and clears them.
  __device__ void Flush(SumColumn const* columns, std::int64_t* histogram) {
    __syncthreads();
    std::uint32_t const column = threadIdx.x % kColumns;  // kAddThreads is a multiple of all widths
    bool const is_real = column < group_.n_columns;
    SumColumn const cells = is_real ? columns[group_.first_column + column] : SumColumn{0, 0};
    for (std::uint32_t i = threadIdx.x; i < plane_; i += kAddThreads) {
      std::uint32_t const code = i / kBanks;
      for (std::uint32_t place = 0; place < n_places_; ++place) {
        std::uint32_t* const limbs = sums_ + 2 * place * plane_ + i;
        std::uint32_t const low = limbs[0];
        std::uint32_t const high = limbs[plane_];
        if ((low | high) == 0) continue;
        limbs[0] = 0;
        limbs[plane_] = 0;
        if (code >= cells.n_codes) continue;
        auto const at = static_cast<std::uint64_t>(cells.first_cell + code) * table_.n_sums + first_place_ + place;
        atomicAdd(reinterpret_cast<unsigned long long*>(histogram + at), Joined(low, high));
      }
    }
    __syncthreads();
  }

 private:
  static constexpr int kRowsPerStep = 32 / kWordsPerRow;
  static constexpr std::uint32_t kColumns = 4 * kWordsPerRow;
  /// Number of steps whose loads are in flight at the same time, limited by registers.
  static constexpr int kMostInFlight = kPlaces >= 8 ? 2 : kPlaces >= 4 ? 4 : 8;
  static constexpr int kInFlight = kWordsPerRow < kMostInFlight ? kWordsPerRow : kMostInFlight;

  struct alignas(kPlaces >= 4 ? 16 : 4 * kPlaces) Values {
    std::int32_t of[kPlaces];
  };

  __device__ static unsigned long long Joined(std::uint32_t low, std::uint32_t high) {
    return static_cast<unsigned long long>(static_cast<std::int64_t>(static_cast<std::int32_t>(high)) * 65536 +
                                           static_cast<std::int64_t>(low));
  }

  /// Adds the rows of kInFlight steps, from first_step on. The lanes hold the numbers of 32 rows, or of n_rows if that
  /// is less.
  __device__ void AddSteps(std::uint32_t n_rows, std::uint32_t number, int first_step) {
    std::uint32_t words[kInFlight];
    Values values[kInFlight];
#pragma unroll
    for (int step = 0; step < kInFlight; ++step) {
      std::uint64_t const row = __shfl_sync(0xFFFFFFFFU, number, (first_step + step) * kRowsPerStep + row_);
      words[step] = codes_[row * kWordsPerRow + word_];
      values[step] = *reinterpret_cast<Values const*>(table_.values + row * table_.stride + first_place_);
    }
#pragma unroll
    for (int step = 0; step < kInFlight; ++step) {
      auto const place = static_cast<std::uint32_t>((first_step + step) * kRowsPerStep + row_);
      if (place < n_rows) AddWord(words[step], values[step]);
    }
  }

  /// Adds four codes of one row. In each step, the four rows that share a copy of the columns use four different
  /// columns.
  __device__ void AddWord(std::uint32_t word, Values const& values) {
    int const turn = row_ & 3;
    std::uint32_t const rotated = __funnelshift_r(word, word, 8 * turn);
    std::uint32_t const copy = static_cast<std::uint32_t>(row_ / 4) * kColumns + 4 * static_cast<std::uint32_t>(word_);
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      std::uint32_t const code = rotated >> (8 * step) & 0xFFU;
      std::uint32_t* const cell = sums_ + code * kBanks + copy + static_cast<std::uint32_t>((step + turn) & 3);
#pragma unroll
      for (int place = 0; place < kPlaces; ++place) {
        if (static_cast<std::uint32_t>(place) >= n_places_) break;
        atomicAdd(cell + 2 * place * plane_, static_cast<std::uint32_t>(values.of[place]) & 0xFFFFU);
        atomicAdd(cell + (2 * place + 1) * plane_, static_cast<std::uint32_t>(values.of[place] >> 16));
      }
    }
  }

  std::uint32_t* sums_;
  CodeGroup group_;
  std::uint32_t plane_;
  std::uint32_t const* codes_;
  TableOnDevice table_;
  std::uint32_t first_place_;
  std::uint32_t n_places_;
  int word_;
  int row_;  ///< index among the rows of a step
};

}  // namespace kauri::cuda
