#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/hist_vector/add_table_rows.cuh"
#include "cuda/hist_vector/add_table_rows.h"
#include "cuda/hist_vector/level_answers.h"
#include "tree/random_thresholds/node_codes.h"

namespace kauri::cuda {
namespace {

constexpr int kAnswerThreads = 256;
constexpr std::uint32_t kAnswerWarps = kAnswerThreads / 32;
constexpr std::uint32_t kAnswerPlaces = 8;  // integers of a row at a time
constexpr std::uint32_t kRowsAtOnce = 4;    // rows of a warp whose loads are in flight together
constexpr std::int64_t kRowsOfRange = 256;
constexpr std::int64_t kMostRanges = 1056;  // eight blocks per multiprocessor

/// A lane's sums over the rows of one node: some integers, for one feature. kMisses: some feature may have missing
/// values.
template <bool kMisses>
struct LaneSums {
  std::int64_t told[kAnswerPlaces];
  std::int64_t missing[kMisses ? kAnswerPlaces : 1];

  __device__ LaneSums() {
    for (auto& sum : told) sum = 0;
    for (auto& sum : missing) sum = 0;
  }
  /// values: [kAnswerPlaces], of one row.
  __device__ void Add(AskedOnDevice const& asked, std::uint32_t code, std::int32_t const* values) {
    bool const is_missing = kMisses && code >= asked.n_bins;
    bool const is_equal = code == asked.code;
    bool const is_told = asked.is_categorical != 0 ? is_equal : (code < asked.code || is_equal);
    bool const is_left = is_told && !is_missing && asked.code != kNoCode;
#pragma unroll
    for (std::uint32_t i = 0; i < kAnswerPlaces; ++i) {
      told[i] += is_left ? values[i] : 0;
      if (kMisses) missing[i] += is_missing ? values[i] : 0;
    }
  }
  /// Adds the sums to the node's. sums: [n, width], the node's sums of these integers.
  __device__ void Flush(AskedOnDevice const& asked, std::uint32_t width, std::uint32_t n, std::int64_t* sums) const {
#pragma unroll
    for (std::uint32_t i = 0; i < kAnswerPlaces; ++i) {
      if (i >= n) return;
      auto* const of_sum = reinterpret_cast<unsigned long long*>(sums + std::uint64_t{i} * width);
      if (told[i] != 0) atomicAdd(of_sum + asked.told, static_cast<unsigned long long>(told[i]));
      if (kMisses && missing[i] != 0 && asked.missing != AskedOnDevice::kNoColumn) {
        atomicAdd(of_sum + asked.missing, static_cast<unsigned long long>(missing[i]));
      }
    }
  }
};

/// Loads kAnswerPlaces integers of a row from `first` on, with zeros behind its stride, which is a multiple of 4.
__device__ __forceinline__ void LoadValues(TableOnDevice const& table, std::uint64_t row, std::uint32_t first,
                                           std::int32_t* values) {
  auto const* const from = reinterpret_cast<int4 const*>(table.values + row * table.stride + first);
#pragma unroll
  for (std::uint32_t i = 0; i < kAnswerPlaces / 4; ++i) {
    int4 const four = first + 4 * i < table.stride ? from[i] : make_int4(0, 0, 0, 0);
    values[4 * i] = four.x;
    values[4 * i + 1] = four.y;
    values[4 * i + 2] = four.z;
    values[4 * i + 3] = four.w;
  }
}

/// Adds the rows of a piece that belong to this warp.
template <bool kMisses>
__device__ __forceinline__ void AddPiece(CodeView const& codes, TableOnDevice const& table, AskedOnDevice const& asked,
                                         RowPieceOfNode const& piece, std::uint32_t first, LaneSums<kMisses>* sums) {
  for (std::uint32_t i = threadIdx.x / 32; i < piece.count; i += kRowsAtOnce * kAnswerWarps) {
    std::uint64_t rows[kRowsAtOnce];
    std::uint32_t code[kRowsAtOnce];
    std::int32_t values[kRowsAtOnce][kAnswerPlaces];
#pragma unroll
    for (std::uint32_t k = 0; k < kRowsAtOnce; ++k) rows[k] = piece.Number(min(i + k * kAnswerWarps, piece.count - 1));
#pragma unroll
    for (std::uint32_t k = 0; k < kRowsAtOnce; ++k) {
      code[k] = CodeOf(codes, asked.place, static_cast<std::int64_t>(rows[k]));
      LoadValues(table, rows[k], first, values[k]);
    }
#pragma unroll
    for (std::uint32_t k = 0; k < kRowsAtOnce; ++k) {
      if (i + k * kAnswerWarps < piece.count) sums->Add(asked, code[k], values[k]);
    }
  }
}

/// blockIdx.x: ranges of rows; blockIdx.y: features.
template <bool kMisses>
__global__ void __launch_bounds__(kAnswerThreads) AnswerKernel(AnswerTask task, CodeView codes) {
  std::uint32_t const at = blockIdx.y * 32 + threadIdx.x % 32;
  if (at >= task.asked.size()) return;
  AskedOnDevice const asked = task.asked.data()[at];
  auto const& table = task.rows.table;
  RowRangeOfBlock range(task.rows.plan, blockIdx.x, gridDim.x);
  while (!range.IsDone()) {
    std::uint32_t const node = range.Node();
    RowPieceOfNode const piece = range.Next(task.rows.lists, 0xFFFFFFFFU);
    if (piece.count == 0) continue;
    for (std::uint32_t first = 0; first < table.n_sums; first += kAnswerPlaces) {
      LaneSums<kMisses> sums;
      AddPiece(codes, table, asked, piece, first, &sums);
      std::uint32_t const n = min(kAnswerPlaces, table.n_sums - first);
      sums.Flush(asked, task.width, n, task.rows.nodes.data()[node].sums + std::uint64_t{first} * task.width);
    }
  }
}

}  // namespace

PlainColumns PlainColumnsOnDevice(DeviceBins const& bins) {
  if (bins.form == CodeForm::kCells) return {};
  PlainColumns plain{(bins.NumCols() + kTileColumns - 1) / kTileColumns * kTileColumns};
  for (auto const& feature : bins.features) plain.may_miss.push_back(static_cast<std::uint8_t>(feature.may_miss));
  return plain;
}

std::vector<AskedOnDevice> AskedOf(DeviceBins const& bins, LevelConditions const& conditions) {
  std::vector<AskedOnDevice> asked;
  for (auto const& one : conditions.All()) {
    auto const has_missing = one.missing != TestedFeature::kNoColumn;
    asked.push_back({PlaceOf(bins, one.feature), bins.features[one.feature].n_bins, one.code,
                     one.is_categorical ? 1U : 0U, static_cast<std::uint32_t>(one.told),
                     has_missing ? static_cast<std::uint32_t>(one.missing) : AskedOnDevice::kNoColumn});
  }
  return asked;
}

void AddAnswers(CudaContext const& cuda, DeviceBins const& bins, AnswerTask const& task) {
  PlanRows(cuda, task.rows);
  auto const n_ranges =
      std::clamp<std::int64_t>((task.rows.most_rows + kRowsOfRange - 1) / kRowsOfRange, 1, kMostRanges);
  dim3 const grid(static_cast<unsigned>(n_ranges), GridFor(static_cast<std::int64_t>(task.asked.size()), 32));
  if (task.misses) {
    LaunchGrid(cuda, grid, kAnswerThreads, AnswerKernel<true>, task, ViewOf(bins));
  } else {
    LaunchGrid(cuda, grid, kAnswerThreads, AnswerKernel<false>, task, ViewOf(bins));
  }
}

}  // namespace kauri::cuda
