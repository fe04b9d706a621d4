/// Exact values: the output is cleared. Then a block takes 32 rows and 32 entries and reads their sums with a row per
/// lane. It transposes them in shared memory and writes them with an entry per lane, because the rows of a cell and the
/// entries of a row are contiguous. Bound by memory: 4 bytes a float, and 12 to 20 an entry with a value.
/// Approximate values: one thread per float of the output, which finds its row, output and features from its number.
#include <algorithm>
#include <cmath>

#include "cuda/common/launch.h"
#include "cuda/shap/shap_sums.cuh"
#include "cuda/shap/shap_sums.h"
#include "predictor/forest/cover.h"

namespace kauri::cuda {
namespace {

constexpr int kTile = 32;  ///< rows and entries of a block

/// Returns a bound on a row's contributions to a tree. They are differences of two expectations over its leaves, so at
/// most twice its largest leaf. If the covers of children exceed their parent's, expectations are not means, and leaves
/// add up.
double BoundOfTree(Forest const& forest, std::int64_t tree) {
  auto const begin = forest.tree_begin[tree];
  auto const end = forest.tree_begin[tree + 1];
  double const largest = forest.LargestLeaf(tree);
  double sum = 0.0;
  auto is_mean = true;
  for (auto node = begin; node < end; ++node) {
    sum += std::abs(static_cast<double>(forest.leaf_value[node]));
    auto const left = forest.Node(tree, static_cast<std::uint32_t>(node - begin)).left;
    if (left == node - begin) continue;
    auto const* cover = forest.cover.data() + begin;
    auto const share = CoverRatio(cover[node - begin], cover[left]) + CoverRatio(cover[node - begin], cover[left + 1]);
    is_mean = is_mean && share < 1.001;
  }
  // 1.001^depth stays below 2 for any depth that matters.
  return is_mean ? std::min(sum, 4.0 * largest) : sum;
}

struct SumPlace {
  std::int64_t row;
  std::int64_t output;
  std::int64_t a;  ///< feature; n_features: the bias
  std::int64_t b;
};

__device__ SumPlace PlaceOf(ShapOutput const& output, bool are_pairs, std::int64_t index) {
  std::int64_t const width = output.n_features + 1;
  SumPlace place{};
  place.b = index % width;
  index /= width;
  place.a = place.b;
  if (are_pairs) {
    place.a = index % width;
    index /= width;
  }
  place.output = index % output.n_outputs;
  place.row = index / output.n_outputs;
  return place;
}

__device__ std::int64_t SlotOf(ShapOutput const& output, std::int64_t feature) {
  return feature < output.n_mapped_features ? output.slot_of_feature[feature] : -1;
}

__device__ double BiasOf(ShapOutput const& output, SumPlace const& place) {
  float const* start = output.start + (output.start_is_of_row ? place.row * output.n_outputs : 0);
  double const range = output.expected_is_divided ? output.range_of_output[place.output] : 1.0;
  return output.expected[place.output] * range + static_cast<double>(start[place.output]);
}

__device__ float ValueOf(ShapSumsView const& sums, PairsOfSlotsView const& diagonal, ShapOutput const& output,
                         std::int64_t row, std::int64_t cell, double range) {
  if (cell < 0) {
    SumPlace place{};
    place.row = row;
    place.output = kBiasCell - cell;
    return static_cast<float>(BiasOf(output, place));
  }
  double value = ReadSum(sums, row, cell);
  if (diagonal.begin != nullptr && cell < sums.cells.Pair(0)) {
    for (std::int64_t i = diagonal.begin[cell]; i < diagonal.begin[cell + 1]; ++i) {
      value -= ReadSum(sums, row, sums.cells.Pair(diagonal.numbers[i]));
    }
  }
  return static_cast<float>(value * range);
}

__global__ void __launch_bounds__(kBlockThreads)
    WriteShapKernel(ShapSumsView sums, ShapEntriesView entries, PairsOfSlotsView diagonal, ShapOutput output,
                    std::int64_t n_row_tiles) {
  __shared__ float tile[kTile][kTile + 1];
  std::int64_t const first_row = blockIdx.x % n_row_tiles * kTile;
  std::int64_t const first_entry = blockIdx.x / n_row_tiles * kTile;
  int const lane = static_cast<int>(threadIdx.x) % kTile;
  for (int line = static_cast<int>(threadIdx.x) / kTile; line < kTile; line += kBlockThreads / kTile) {
    if (first_row + lane < output.n_rows && first_entry + line < entries.size) {
      std::int64_t const entry = first_entry + line;
      double const range = output.range_of_output[entries.output[entry]];
      tile[line][lane] = ValueOf(sums, diagonal, output, first_row + lane, entries.cell[entry], range);
    }
  }
  __syncthreads();
  for (int line = static_cast<int>(threadIdx.x) / kTile; line < kTile; line += kBlockThreads / kTile) {
    std::int64_t const entry = first_entry + lane;
    if (first_row + line < output.n_rows && entry < entries.size) {
      std::int64_t const to = entries.to == nullptr ? entry : entries.to[entry];
      output.out[(first_row + line) * entries.row_floats + to] = tile[lane][line];
    }
  }
}

__global__ void WriteApproxKernel(double const* contributions, std::int64_t n_slots, bool are_pairs, ShapOutput output,
                                  std::int64_t n_values) {
  std::int64_t const index = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (index >= n_values) return;
  SumPlace const place = PlaceOf(output, are_pairs, index);
  double value = 0.0;
  if (place.a == place.b) {
    std::int64_t const slot = place.a == output.n_features ? -1 : SlotOf(output, place.a);
    if (place.a == output.n_features) value = BiasOf(output, place);
    if (slot >= 0) value = contributions[(place.output * n_slots + slot) * output.n_rows + place.row];
  }
  output.out[index] = static_cast<float>(value);
}

std::int64_t NumValues(ShapOutput const& output, bool are_pairs) {
  auto const width = output.n_features + 1;
  return output.n_rows * output.n_outputs * width * (are_pairs ? width : 1);
}

}  // namespace

ShapSums::ShapSums(CudaContext const& cuda, std::int64_t n_rows, ShapCells cells, ShapLayout layout, double scale,
                   double const* units_of_output)
    : sums_(cuda, static_cast<std::size_t>(n_rows * cells.Count())) {
  auto const row_major = layout == ShapLayout::kRowMajor;
  view_ = {sums_.data(), row_major ? cells.Count() : 1, row_major ? 1 : n_rows, cells, scale, units_of_output};
}

std::vector<double> ContributionRanges(Forest const& forest, TreeRange trees) {
  std::vector<double> ranges(forest.n_outputs, 0.0);
  for (auto tree = trees.begin; tree < trees.end; ++tree) {
    ranges[forest.output_of_tree[tree]] += BoundOfTree(forest, tree);
  }
  for (auto& range : ranges) {
    int exponent = 0;
    std::frexp(range, &exponent);  // range < 2^exponent
    range = std::ldexp(1.0, exponent);
  }
  return ranges;
}

void WriteShapValues(CudaContext const& cuda, ShapSumsView const& sums, ShapEntriesView const& entries,
                     PairsOfSlotsView const& diagonal, ShapOutput const& output) {
  if (entries.to != nullptr) FillZero(cuda, output.out, static_cast<std::size_t>(output.n_rows * entries.row_floats));
  auto const n_row_tiles = (output.n_rows + kTile - 1) / kTile;
  auto const n_tiles = n_row_tiles * ((entries.size + kTile - 1) / kTile);
  Launch(cuda, static_cast<unsigned>(n_tiles), kBlockThreads, WriteShapKernel, sums, entries, diagonal, output,
         n_row_tiles);
}

void WriteApproxValues(CudaContext const& cuda, double const* contributions, std::int64_t n_slots, bool are_pairs,
                       ShapOutput const& output) {
  auto const n_values = NumValues(output, are_pairs);
  Launch(cuda, GridFor(n_values, kBlockThreads), kBlockThreads, WriteApproxKernel, contributions, n_slots, are_pairs,
         output, n_values);
}

}  // namespace kauri::cuda
