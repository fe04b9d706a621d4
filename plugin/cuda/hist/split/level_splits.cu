#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/common/memory_plan.h"
#include "cuda/hist/split/feature_scan.cuh"
#include "cuda/hist/split/level_splits.h"
#include "cuda/hist/split/node_feature.cuh"
#include "tree/histogram/bin_scan.h"
#include "tree/split_rules.h"

namespace kauri::cuda {
namespace {

using namespace bin_scan;

constexpr std::uint32_t kWarps = kBlockThreads / 32;
constexpr unsigned kMaxGridY = 65535;
constexpr int kDirections = 2;
/// Maximum number of losses held at a time: 64 MiB, or the losses of one node if those are more.
constexpr std::size_t kMostLosses = std::size_t{1} << 23U;

__device__ __forceinline__ LeftSide Plus(LeftSide a, LeftSide b) { return {a.sum + b.sum, a.n_rows + b.n_rows}; }
__device__ __forceinline__ LeftSide Minus(LeftSide a, LeftSide b) { return {a.sum - b.sum, a.n_rows - b.n_rows}; }
__device__ __forceinline__ LeftSide WarpSum(LeftSide own) {
  return {bin_scan::WarpSum(own.sum), bin_scan::WarpSum(FixedSum{own.n_rows, 0}).gradient};
}
__device__ __forceinline__ LeftSide InclusiveScan(LeftSide own) {
  return {bin_scan::InclusiveScan(own.sum), bin_scan::InclusiveScan(FixedSum{own.n_rows, 0}).gradient};
}
__device__ __forceinline__ LeftSide LastLane(LeftSide own) {
  return {bin_scan::LastLane(own.sum), bin_scan::LastLane(FixedSum{own.n_rows, 0}).gradient};
}

__device__ __forceinline__ bool IsOfCategories(LevelSplitTask const& task, std::uint32_t feature) {
  return task.find.is_categorical != nullptr && task.find.is_categorical[feature] != 0;
}

/// A node at a feature, as one warp reads it.
class NodeAtFeature {
 public:
  __device__ NodeAtFeature(LevelSplitTask const& task, ScoredNode const& node, std::uint32_t feature)
      : task_(task),
        codes_(task.find.features[feature]),
        limit_{task.find.limits.least_rows, node.n_rows},
        all_{node.searched.sum, node.n_rows},
        cells_{node.histogram + codes_.first_sum, codes_.sum_stride},
        counts_(CountsOf(task.find, codes_, node.histogram)),
        is_categorical_(IsOfCategories(task, feature)),
        gain_(is_categorical_ ? OfCategories(task.find.gain) : task.find.gain),
        boundaries_{nullptr,
                    0,
                    {},
                    node.searched.sum,
                    node.searched.gain,
                    false,
                    node.searched.bounds,
                    task.find.signs == nullptr ? 0 : static_cast<int>(task.find.signs[feature])} {}

  /// Returns the sum of the bins up to `last`.
  __device__ LeftSide SumTo(std::uint32_t last) const {
    LeftSide own;
    for (std::uint32_t bin = Lane(); bin <= last && bin < codes_.n_bins; bin += 32) own = Plus(own, Cell(bin));
    return WarpSum(own);
  }
  /// Returns the sum of all bins except the one that goes right at a categorical feature.
  __device__ LeftSide SumBut(std::uint32_t bin) const { return Minus(SumTo(codes_.n_bins), Cell(bin)); }
  __device__ LeftSide Missing() const { return codes_.may_miss != 0 ? Minus(all_, SumTo(codes_.n_bins)) : LeftSide{}; }
  /// Returns whether the feature is missing in some rows; decided by their number if rows are counted.
  __device__ bool IsThere(LeftSide missing) const {
    return limit_.IsOn() ? missing.n_rows > 0 : !(missing.sum == FixedSum{});
  }

  /// losses: [2, n_cuts].
  __device__ void WriteLosses(LeftSide missing, double* losses) const {
    LeftSide const present = Minus(all_, missing);
    LeftSide before;
    for (std::uint32_t first = 0; first < codes_.n_bins; first += 32) {
      std::uint32_t const bin = first + Lane();
      LeftSide const up_to = Plus(before, InclusiveScan(Cell(bin)));
      before = LastLane(up_to);
      if (bin >= codes_.n_bins) continue;
      LeftSide const left = is_categorical_ ? Minus(present, Cell(bin)) : up_to;
      losses[codes_.first_cut + bin] = LossOf(left);
      if (codes_.may_miss != 0) losses[task_.n_cuts + codes_.first_cut + bin] = LossOf(Plus(left, missing));
    }
  }

 private:
  __device__ LeftSide Cell(std::uint32_t bin) const {
    if (bin >= codes_.n_bins) return {};
    return {cells_[bin], limit_.IsOn() ? counts_[bin].gradient : 0};
  }
  /// Returns minus infinity if the node cannot make the split.
  __device__ double LossOf(LeftSide left) const {
    if (limit_.IsOn() && !limit_.Allows(left.n_rows)) return -kInfinity;
    return LossOfBoundary(gain_, boundaries_, left.sum) - task_.gamma;
  }

  LevelSplitTask const& task_;
  FeatureCodes const& codes_;
  RowLimit limit_;
  LeftSide all_;
  FeatureSums cells_;
  FeatureSums counts_;
  bool is_categorical_;
  GainParam gain_;
  BinBoundaries boundaries_;
};

/// Returns the place of a warp's feature among the tree's features.
__device__ __forceinline__ std::uint32_t PlaceOfWarp() { return blockIdx.x * kWarps + threadIdx.x / 32; }

/// Handles nodes [first, first + count) of the level, one per value of blockIdx.y.
__global__ void __launch_bounds__(kBlockThreads)
    NodeLossesKernel(LevelSplitTask task, std::uint32_t first, std::uint32_t count) {
  std::uint32_t const place = PlaceOfWarp();
  if (place >= task.find.tree_features.size()) return;
  std::uint32_t const feature = task.find.tree_features.data()[place];
  FeatureCodes const& codes = task.find.features[feature];
  for (std::uint32_t index = blockIdx.y; index < count; index += gridDim.y) {
    ScoredNode const& node = task.nodes.data()[first + index];
    double* const losses = task.losses + std::size_t{index} * kDirections * task.n_cuts;
    if (!MayUse(task.find, node.searched, place)) {
      for (std::uint32_t bin = Lane(); bin < codes.n_bins; bin += 32) {
        losses[codes.first_cut + bin] = losses[task.n_cuts + codes.first_cut + bin] = -kInfinity;
      }
      continue;
    }
    NodeAtFeature const at(task, node, feature);
    LeftSide const missing = at.Missing();
    if (Lane() == 0 && at.IsThere(missing)) task.misses[place] = 1;
    at.WriteLosses(missing, losses);
  }
}

/// blockIdx.x: a feature of the tree; blockIdx.y: the side to which its missing values go.
__global__ void __launch_bounds__(kBlockThreads) AddLossesKernel(LevelSplitTask task, std::uint32_t count) {
  FeatureCodes const& codes = task.find.features[task.find.tree_features.data()[blockIdx.x]];
  if (blockIdx.y == 1 && codes.may_miss == 0) return;
  std::size_t const stride = std::size_t{kDirections} * task.n_cuts;
  for (std::uint32_t bin = threadIdx.x; bin < codes.n_bins; bin += kBlockThreads) {
    std::size_t const at = std::size_t{blockIdx.y} * task.n_cuts + codes.first_cut + bin;
    double score = task.scores[at];
#pragma unroll 8
    for (std::uint32_t index = 0; index < count; ++index) {
      double const loss = task.losses[index * stride + at];
      if (loss != -kInfinity) score += loss;
    }
    task.scores[at] = score;
  }
}

/// Returns the noise of a feature, added up over all nodes that may use it, in their order. Called by a warp.
__device__ __forceinline__ double NoiseOf(LevelSplitTask const& task, std::uint32_t place, std::uint32_t feature) {
  double total = 0.0;
  std::uint32_t const n_nodes = static_cast<std::uint32_t>(task.nodes.size());
  for (std::uint32_t first = 0; first < n_nodes; first += 32) {
    std::uint32_t const index = first + Lane();
    bool const counts = index < n_nodes && MayUse(task.find, task.nodes.data()[index].searched, place);
    double const own = counts ? task.find.noise.Of(static_cast<std::int32_t>(index)).Of(feature) : 0.0;
    for (int lane = 0; lane < 32; ++lane) total += __shfl_sync(kAllLanes, own, lane);
  }
  return total;
}

/// Returns the best score of a feature. Called by a warp.
__device__ __forceinline__ BinCandidate BestScore(LevelSplitTask const& task, std::uint32_t place,
                                                  std::uint32_t feature) {
  FeatureCodes const& codes = task.find.features[feature];
  double const* const right = task.scores + codes.first_cut;
  double const* const left = right + task.n_cuts;
  float const* const cuts = task.find.cut_values + codes.first_cut;
  double const cost = AddCost(0.0, task.find.costs, feature);
  bool const has_missing = task.misses[place] != 0;
  bool const is_categorical = IsOfCategories(task, feature);
  BinCandidate own;
  for (std::uint32_t bin = Lane(); bin < codes.n_bins; bin += 32) {
    bool const is_between = is_categorical || bin + 1 < codes.n_bins;
    bool const splits_off_missing = has_missing && isfinite(cuts[bin]);
    if (is_between || splits_off_missing) own.Keep(right[bin] - cost, BinCandidate::Up(bin), {});
    if (is_between && has_missing) own.Keep(left[bin] - cost, BinCandidate::Down(bin), {});
  }
  return WarpBest(own);
}

__global__ void __launch_bounds__(kBlockThreads) BestOfFeaturesKernel(LevelSplitTask task) {
  std::uint32_t const place = PlaceOfWarp();
  if (place >= task.find.tree_features.size()) return;
  std::uint32_t const feature = task.find.tree_features.data()[place];
  BinCandidate const best = BestScore(task, place, feature);
  LevelSplit split;
  if (best.order != BinCandidate::kNone && static_cast<float>(best.loss_change) > kMinLossChange) {
    split.best.loss_change = best.loss_change;
    split.best.feature = feature;
    bool const is_down = best.order >= BinCandidate::kDown;
    split.is_categorical = IsOfCategories(task, feature);
    split.best.default_left = is_down || (split.is_categorical && task.misses[place] == 0);
    split.code = is_down ? BinCandidate::BinOfDown(best.order) : best.order;
    split.best.threshold = split.is_categorical
                               ? static_cast<float>(split.code)
                               : task.find.cut_values[task.find.features[feature].first_cut + split.code];
    if (task.find.noise.IsOn()) split.noise = NoiseOf(task, place, feature);
  }
  if (Lane() == 0) task.of_features[place] = split;
}

/// Returns the place of the best of all features, of which there is at least one. Called by a warp.
__device__ __forceinline__ std::uint32_t BestPlace(LevelSplitTask const& task) {
  std::uint32_t const n_places = static_cast<std::uint32_t>(task.find.tree_features.size());
  std::uint32_t best = min(Lane(), n_places - 1);
  for (std::uint32_t place = Lane(); place < n_places; place += 32) {
    if (ComesFirst(task.of_features[place], task.of_features[best])) best = place;
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    std::uint32_t const other = __shfl_xor_sync(kAllLanes, best, step);
    if (ComesFirst(task.of_features[other], task.of_features[best])) best = other;
  }
  return best;
}

/// Returns the part of a node that goes left. Called by a warp.
__device__ __forceinline__ LeftSide LeftOf(LevelSplitTask const& task, ScoredNode const& node,
                                           LevelSplit const& split) {
  NodeAtFeature const at(task, node, split.best.feature);
  LeftSide const left = split.is_categorical ? at.SumBut(split.code) : at.SumTo(split.code);
  return split.best.default_left ? Plus(left, at.Missing()) : left;
}

__global__ void __launch_bounds__(kBlockThreads) LeftSidesKernel(LevelSplitTask task) {
  std::uint32_t const index = blockIdx.x * kWarps + threadIdx.x / 32;
  if (index >= task.nodes.size()) return;
  LevelSplit const split = task.of_features[BestPlace(task)];
  if (index == 0 && Lane() == 0) *task.found = split;
  if (!split.best.IsValid()) return;
  LeftSide const left = LeftOf(task, task.nodes.data()[index], split);
  if (Lane() == 0) task.lefts[index] = left;
}

/// Returns for how many nodes losses are held at a time.
std::size_t NumAtOnce(LevelSplitTask const& task) {
  auto const of_node = std::max<std::size_t>(1, std::size_t{kDirections} * task.n_cuts);
  return std::clamp<std::size_t>(kMostLosses / of_node, 1, task.nodes.size());
}

void TakeMemory(CudaContext const& cuda, LevelSplitTask* task, LevelMemory* memory) {
  auto const n_losses = NumAtOnce(*task) * kDirections * task->n_cuts;
  auto const n_features = task->find.tree_features.size();
  if (n_losses > memory->losses.size()) {
    RequireMemory(cuda, "the splits of a level", {{"losses", n_losses * sizeof(double)}});
  }
  memory->losses.Reserve(cuda, n_losses);
  memory->scores.Reserve(cuda, std::size_t{kDirections} * task->n_cuts);
  memory->misses.Reserve(cuda, n_features);
  memory->of_features.Reserve(cuda, n_features);
  ReserveMore(1, &memory->found);
  ReserveMore(task->nodes.size(), &memory->lefts);
  task->losses = memory->losses.data();
  task->scores = memory->scores.data();
  task->misses = memory->misses.data();
  task->of_features = memory->of_features.data();
  task->found = memory->found.data();
  task->lefts = memory->lefts.data();
}

}  // namespace

void FindLevelSplit(CudaContext const& cuda, LevelSplitTask task, LevelMemory* memory) {
  TakeMemory(cuda, &task, memory);
  auto const n_features = static_cast<std::uint32_t>(task.find.tree_features.size());
  *task.found = {};
  if (n_features == 0) return;
  FillZero(cuda, task.scores, std::size_t{kDirections} * task.n_cuts);
  FillZero(cuda, task.misses, n_features);
  auto const n_nodes = task.nodes.size();
  auto const at_once = NumAtOnce(task);
  auto const of_features = GridFor(n_features, kWarps);
  for (std::size_t first = 0; first < n_nodes; first += at_once) {
    auto const count = static_cast<std::uint32_t>(std::min(at_once, n_nodes - first));
    LaunchGrid(cuda, {of_features, std::min(count, kMaxGridY)}, kBlockThreads, NodeLossesKernel, task,
               static_cast<std::uint32_t>(first), count);
    LaunchGrid(cuda, {n_features, kDirections}, kBlockThreads, AddLossesKernel, task, count);
  }
  Launch(cuda, of_features, kBlockThreads, BestOfFeaturesKernel, task);
  Launch(cuda, GridFor(static_cast<std::int64_t>(n_nodes), kWarps), kBlockThreads, LeftSidesKernel, task);
}

}  // namespace kauri::cuda
