#include "predictor/dependence/dependence.h"

#include <algorithm>
#include <memory>

#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "predictor/dependence/axes.h"
#include "predictor/dependence/dependence_sums.h"
#include "predictor/dependence/leaf_boxes.h"
#include "predictor/dependence/leaf_shares.h"
#include "predictor/dependence/row_counter.h"

namespace kauri {
namespace {

TreeRange AllOf(Forest const& forest) { return {0, forest.NumTrees()}; }

/// Marks the slots of features.
std::vector<std::uint8_t> MarkSlots(Forest const& forest, std::vector<std::uint32_t> const& features) {
  std::vector<std::uint8_t> is_marked(forest.feature_of_slot.size(), 0);
  for (auto const feature : features) {
    auto const slot = FeatureSlot(forest, feature);
    if (slot >= 0) is_marked[ToSize(slot)] = 1;
  }
  return is_marked;
}

/// Returns the sums over rows on the predictor's device, or on the host.
std::shared_ptr<RowCounter> MakeCounter(Context const& ctx, Predictor const* predictor, WeighedRows const& rows) {
  auto counter = predictor == nullptr ? nullptr : predictor->MakeRowCounter(ctx, rows);
  return counter == nullptr ? MakeHostRowCounter(rows) : counter;
}

/// Returns the share of the background in each cell, by slot.
std::vector<std::vector<double>> CellShares(Context const& ctx, std::vector<Axis> const& axes, double total,
                                            RowCounter* rows) {
  auto const counts = rows->CountCells(ctx, axes);
  std::vector<std::vector<double>> shares;
  auto next = counts.begin();
  for (auto const& axis : axes) {
    auto& share = shares.emplace_back();
    for (std::int32_t cell = 0; cell < axis.NumCells(); ++cell) share.push_back(static_cast<double>(*next++) / total);
  }
  return shares;
}

/// Maximum number of shares and corners of a batch of trees, as a bound before they are found.
constexpr std::int64_t kBatchShares = std::int64_t{1} << 22;

/// Returns an upper bound of the shares of a tree's leaves.
std::int64_t MostShares(Forest const& forest, std::int64_t tree, bool has_pairs) {
  auto const n_leaves = (forest.tree_begin[tree + 1] - forest.tree_begin[tree] + 1) / 2;
  auto const longest = std::min<std::int64_t>(forest.tree_depth[tree], forest.NumSlots()) + 1;
  return n_leaves * longest * (has_pairs ? longest : 1);
}

/// The part of a computation that is the same for all batches of trees.
class Machine {
 public:
  Machine(Context const& ctx, DependenceTask const& task, DependenceRequest const& request)
      : ctx_(ctx),
        task_(task),
        has_pairs_(!request.pairs.empty()),
        is_product_(request.distribution == Distribution::kProduct),
        axes_(MakeAxes(task.forest, AllOf(task.forest))),
        is_kept_(is_product_ ? std::vector<std::uint8_t>(axes_.size(), 1) : MarkSlots(task.forest, request.features)),
        weights_(FixWeights(task.weights, task.background.NumRows())),
        total_(static_cast<double>(weights_.total)),
        rows_(MakeCounter(ctx, task.predictor, {task.forest, task.background, weights_.of_row})),
        sums_(task.forest, axes_, request, task.start) {
    if (is_product_) cell_shares_ = CellShares(ctx, axes_, total_, rows_.get());
  }

  Dependence Run() {
    auto const trees = task_.forest.GroupsOf(AllOf(task_.forest));
    for (std::size_t begin = 0; begin < trees.size();) {
      auto end = begin;
      for (auto left = kBatchShares; end < trees.size() && (end == begin || left > 0); ++end) {
        left -= MostShares(task_.forest, trees[end], has_pairs_);
      }
      AddBatch({trees.data() + begin, end - begin});
      begin = end;
    }
    return sums_.Finish(ctx_);
  }

 private:
  void AddBatch(Span<std::int64_t const> trees) {
    std::vector<CountedTree> batch(trees.size());
    auto const n_trees = static_cast<std::int64_t>(trees.size());
    ParallelFor(ctx_, n_trees,
                [&](std::int64_t t) { batch[t].boxes = BoxTree(task_.forest, axes_, is_kept_, trees[t]); });
    TreesToCount counted{{}, has_pairs_};
    for (auto const& tree : batch) counted.trees.push_back(&tree.boxes);
    auto const begin = counted.CountsBegin();
    auto const counts = is_product_ ? std::vector<std::int64_t>() : rows_->CountLeaves(ctx_, counted);
    ParallelFor(ctx_, n_trees, [&](std::int64_t t) {
      auto& tree = batch[t];
      tree.shares = is_product_ ? MultiplyShares(tree.boxes, cell_shares_, has_pairs_)
                                : SharesOf(tree.boxes, counts.data() + begin[t], total_, has_pairs_);
    });
    sums_.Add(ctx_, batch);
  }

  Context const& ctx_;
  DependenceTask const& task_;
  bool has_pairs_;
  bool is_product_;
  std::vector<Axis> axes_;
  std::vector<std::uint8_t> is_kept_;
  FixedWeights weights_;
  double total_;
  std::shared_ptr<RowCounter> rows_;
  std::vector<std::vector<double>> cell_shares_;  ///< by slot and cell; only for kProduct
  DependenceSums sums_;
};

}  // namespace

std::vector<DependencePair> PairsTogether(Forest const& forest, std::vector<std::uint32_t> const& features) {
  auto const is_kept = MarkSlots(forest, features);
  std::vector<Axis> const axes(forest.feature_of_slot.size());
  std::vector<std::uint64_t> found;
  for (auto const tree : forest.GroupsOf(AllOf(forest))) {
    auto const boxes = BoxTree(forest, axes, is_kept, tree);
    for (auto const& leaf : boxes.leaves) {
      for (auto a = leaf.first_box; a < leaf.first_box + leaf.n_boxes; ++a) {
        for (auto b = leaf.first_box; b < a; ++b) {
          found.push_back(
              KeyOfPair(forest.feature_of_slot[boxes.boxes[a].slot], forest.feature_of_slot[boxes.boxes[b].slot]));
        }
      }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
  }
  std::vector<DependencePair> pairs;
  for (auto const key : found) {
    pairs.push_back({static_cast<std::uint32_t>(key >> 32U), static_cast<std::uint32_t>(key)});
  }
  return pairs;
}

Dependence ComputeDependence(Context const& ctx, DependenceTask const& task, DependenceRequest const& request) {
  return Machine(ctx, task, request).Run();
}

std::vector<std::int32_t> CellsOfRows(Context const& ctx, Predictor const* predictor, Forest const& forest,
                                      std::vector<std::uint32_t> const& features, DataView const& rows) {
  auto const axes = MakeAxes(forest, AllOf(forest));
  std::vector<std::int32_t> slots;
  for (auto const feature : features) slots.push_back(FeatureSlot(forest, feature));
  std::vector<std::int32_t> cells(SizeInMemory(rows.NumRows() * static_cast<std::int64_t>(features.size())));
  MakeCounter(ctx, predictor, {forest, rows, {}})->FindCells(ctx, axes, slots, cells);
  return cells;
}

}  // namespace kauri
