#include "cuda/shap/interventional_program.h"

#include <algorithm>
#include <cmath>

namespace kauri::cuda {
namespace {

/// Sums of int64 reach 2^63. Two bits are left free, because single terms can be larger than their sum.
constexpr int kSumBits = 61;
/// Trees per thread that the host compiles at a time.
constexpr std::int64_t kTreesPerThread = 4;

/// Returns the scale of the integer sums. A tree's contribution is a mean of differences of two leaves, which bounds
/// it.
double ScaleOf(Forest const& forest, TreeRange trees) {
  double bound = 0.0;
  for (auto tree = trees.begin; tree < trees.end; ++tree) {
    auto const* const begin = forest.leaf_value.data() + forest.tree_begin[tree];
    auto const* const end = forest.leaf_value.data() + forest.tree_begin[tree + 1];
    float largest = 0.0F;
    std::for_each(begin, end, [&](float value) { largest = std::max(largest, std::abs(value)); });
    bound += 2.0 * static_cast<double>(largest);
  }
  int exponent = 0;
  std::frexp(bound, &exponent);  // bound < 2^exponent
  return std::ldexp(1.0, kSumBits - exponent);
}

/// Returns the value of a tree that has no splits, or 0 for other trees.
double ConstantOf(PathProgram const& program) {
  auto const& first = program.leaves.front();
  return first.n_features == 0 ? static_cast<double>(first.value) : 0.0;
}

bool HasLargerTable(PathProgram const& program, std::uint32_t most_features) {
  return std::any_of(program.leaves.begin(), program.leaves.end(), [&](PathLeaf const& leaf) {
    return leaf.n_features > most_features && TableSize(leaf.n_features) > 0;
  });
}

}  // namespace

InterventionalProgram::InterventionalProgram(Context const& ctx, CudaContext const& cuda, Forest const& forest,
                                             TreeRange trees, TableLimits const& limits)
    : trees_(trees), scale_(ScaleOf(forest, trees)), rules_(MakeTableRules(cuda)) {
  CompileTrees(ctx, cuda, forest, limits);
  if (!is_for_device_) pieces_.clear();
}

void InterventionalProgram::CompileTrees(Context const& ctx, CudaContext const& cuda, Forest const& forest,
                                         TableLimits const& limits) {
  PathCategories categories(forest.categories);
  LaneBatchMaker maker(forest, limits.piece_doubles);
  std::vector<double> constants;
  std::uint32_t longest = 0;
  auto const step = kTreesPerThread * std::max(1, ctx.threads);
  for (auto first = trees_.begin; first < trees_.end; first += step) {
    auto const programs = CompilePaths(ctx, forest, {first, std::min(trees_.end, first + step)}, &categories);
    for (auto const& program : programs) {
      is_for_device_ = !HasLargerTable(program, limits.most_features);
      if (!is_for_device_) return;
      longest = std::max(longest, program.most_features);
      maker.AddTree(trees_.begin + static_cast<std::int64_t>(constants.size()), program, {});
      constants.push_back(ConstantOf(program));
    }
    AddBatches(cuda, maker.TakeFull());
  }
  AddBatches(cuda, {maker.TakeLast()});
  categories_.emplace(cuda, categories);
  if (longest > kMostPartFeatures) SetWeights(cuda, longest);
  start_means_ = ToDevice(cuda, constants);
  std::vector<std::int32_t> const outputs(forest.output_of_tree.begin() + trees_.begin,
                                          forest.output_of_tree.begin() + trees_.end);
  output_of_tree_ = ToDevice(cuda, outputs);
  cuda.Synchronize();  // for the host's arrays; other streams read the copies
}

void InterventionalProgram::SetWeights(CudaContext const& cuda, std::uint32_t longest) {
  ShapleyWeights const weights(longest);
  weights_ = ToDevice(cuda, weights.All());
  weights_size_ = weights.Size();
  cuda.Synchronize();  // for `weights`
}

void InterventionalProgram::AddBatches(CudaContext const& cuda, std::vector<LaneBatch> const& batches) {
  for (auto const& batch : batches) {
    if (!batch.items.empty()) pieces_.emplace_back(cuda, batch, trees_.begin);
  }
}

std::int64_t InterventionalProgram::MostTableDoubles() const {
  std::int64_t most = 0;
  for (auto const& piece : pieces_) most = std::max(most, piece.TableDoubles());
  return most;
}

void InterventionalProgram::StartMeans(CudaContext const& cuda, double* means) const {
  CopyOnDevice(cuda, start_means_.data(), start_means_.size(), means);
}

void InterventionalProgram::SumMeans(CudaContext const& cuda, double const* means, std::int64_t n_outputs,
                                     double* of_output) const {
  SumTreeMeans(cuda, means, output_of_tree_.data(), trees_.end - trees_.begin, n_outputs, of_output);
}

}  // namespace kauri::cuda
