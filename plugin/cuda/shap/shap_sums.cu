/// One thread per float of the output; it finds its row, output and features from its number, so that writes are
/// coalesced. Bound by memory: 4 bytes written and up to 8 read per float.
#include <algorithm>
#include <cmath>

#include "cuda/common/launch.h"
#include "cuda/shap/shap_sums.h"
#include "cuda/shap/sum_access.cuh"
#include "predictor/cover.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 256;

/// Sums of int64 reach 2^63; two bits are left free, as single terms can be larger than what they add up to.
constexpr int kSumBits = 61;

/// Contributions of a row to a tree are differences of two expectations over its leaves, so at most twice its largest
/// leaf; where the covers of children exceed their parent's, expectations are not means, and leaves add up.
double BoundOfTree(Forest const& forest, std::int64_t tree) {
  auto const begin = forest.tree_begin[static_cast<std::size_t>(tree)];
  auto const end = forest.tree_begin[static_cast<std::size_t>(tree) + 1];
  double largest = 0.0;
  double sum = 0.0;
  auto is_mean = true;
  for (auto node = begin; node < end; ++node) {
    auto const value = std::abs(static_cast<double>(forest.leaf_value[static_cast<std::size_t>(node)]));
    largest = std::max(largest, value);
    sum += value;
    auto const left = forest.Node(tree, static_cast<std::uint32_t>(node - begin)).left;
    if (left == node - begin) continue;
    auto const* cover = forest.cover.data() + begin;
    auto const share = CoverRatio(cover[node - begin], cover[left]) + CoverRatio(cover[node - begin], cover[left + 1]);
    is_mean = is_mean && share < 1.001;
  }
  // 1.001^depth stays below 2 for any depth that matters.
  return is_mean ? std::min(sum, 4.0 * largest) : sum;
}

struct Place {
  std::int64_t row;
  std::int64_t output;
  std::int64_t a;  ///< feature; n_features: the bias
  std::int64_t b;
};

__device__ Place PlaceOf(ShapOutput const& output, bool are_pairs, std::int64_t index) {
  std::int64_t const width = output.n_features + 1;
  Place place{};
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

__device__ double BiasOf(ShapOutput const& output, Place const& place) {
  float const* start = output.start + (output.start_is_of_row ? place.row * output.n_outputs : 0);
  return output.expected[place.output] + static_cast<double>(start[place.output]);
}

/// The slot's contribution without its interactions, always in the order of slots.
__device__ double MainEffect(ShapSumsView const& sums, Place const& place, std::int64_t slot) {
  double value = ReadSum(sums, place.row, place.output, sums.cells.Slot(slot));
  for (std::int64_t other = 0; other < sums.cells.n_slots; ++other) {
    if (other != slot) value -= ReadSum(sums, place.row, place.output, sums.cells.Pair(slot, other));
  }
  return value;
}

__device__ double ValueAt(ShapSumsView const& sums, ShapOutput const& output, Place const& place) {
  if (place.a == output.n_features || place.b == output.n_features) {
    return place.a == place.b ? BiasOf(output, place) : 0.0;
  }
  std::int64_t const a = SlotOf(output, place.a);
  std::int64_t const b = SlotOf(output, place.b);
  if (a < 0 || b < 0) return 0.0;
  if (!sums.cells.are_pairs) return ReadSum(sums, place.row, place.output, a);
  if (a == b) return MainEffect(sums, place, a);
  return ReadSum(sums, place.row, place.output, sums.cells.Pair(a, b));
}

__global__ void WriteShapKernel(ShapSumsView sums, ShapOutput output, std::int64_t n_values) {
  std::int64_t const index = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (index >= n_values) return;
  output.out[index] = static_cast<float>(ValueAt(sums, output, PlaceOf(output, sums.cells.are_pairs, index)));
}

__global__ void WriteApproxKernel(double const* contributions, std::int64_t n_slots, bool are_pairs, ShapOutput output,
                                  std::int64_t n_values) {
  std::int64_t const index = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (index >= n_values) return;
  Place const place = PlaceOf(output, are_pairs, index);
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

ShapSums::ShapSums(CudaContext const& cuda, std::int64_t n_rows, std::int64_t n_outputs, ShapCells cells,
                   ShapLayout layout, float scale)
    : sums_(cuda, static_cast<std::size_t>(n_rows * n_outputs * cells.Count())) {
  auto const row_major = layout == ShapLayout::kRowMajor;
  view_ = {sums_.data(), row_major ? n_outputs * cells.Count() : 1, row_major ? 1 : n_rows, cells, scale};
}

float ShapScale(Forest const& forest, TreeRange trees) {
  std::vector<double> bounds(static_cast<std::size_t>(forest.n_outputs), 0.0);
  for (auto tree = trees.begin; tree < trees.end; ++tree) {
    bounds[static_cast<std::size_t>(forest.output_of_tree[static_cast<std::size_t>(tree)])] +=
        BoundOfTree(forest, tree);
  }
  auto const bound = *std::max_element(bounds.begin(), bounds.end());
  int exponent = 0;
  std::frexp(bound, &exponent);  // bound < 2^exponent
  return static_cast<float>(std::ldexp(1.0, std::clamp(kSumBits - exponent, -120, 120)));
}

void WriteShapValues(CudaContext const& cuda, ShapSumsView const& sums, ShapOutput const& output) {
  auto const n_values = NumValues(output, sums.cells.are_pairs);
  Launch(cuda, GridFor(n_values, kThreads), kThreads, WriteShapKernel, sums, output, n_values);
}

void WriteApproxValues(CudaContext const& cuda, double const* contributions, std::int64_t n_slots, bool are_pairs,
                       ShapOutput const& output) {
  auto const n_values = NumValues(output, are_pairs);
  Launch(cuda, GridFor(n_values, kThreads), kThreads, WriteApproxKernel, contributions, n_slots, are_pairs, output,
         n_values);
}

}  // namespace kauri::cuda
