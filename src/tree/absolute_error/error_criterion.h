/// \file split_criterion=absolute_error: chooses the splits that reduce the absolute error of the best constants most
/// (label_bins.h). Leaf values still come from gradients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "common/threads/parallel_for.h"
#include "kauri/capabilities.h"
#include "kauri/parameter.h"
#include "kauri/registry.h"
#include "tree/absolute_error/fixed_residuals.h"
#include "tree/growth/host_growth.h"

namespace kauri {

/// Search: LabelBinSearch, or a search with the same members.
template <typename Search>
class ErrorCriterion final : public SplitCriterion {
 public:
  explicit ErrorCriterion(CriterionTask const& task)
      : ctx_(task.ctx),
        residuals_(task.ctx, task.task.errors, task.task.sampled_rows),
        search_(task.bins, residuals_, task.gain, task.task.gradients.pairs),
        scratch_(static_cast<std::size_t>(task.ctx.threads)) {}

  static std::unique_ptr<SplitCriterion> Make(CriterionTask const& task) {
    return std::make_unique<ErrorCriterion>(task);
  }

  void FindSplits(RowLists const& rows, Span<GrowingPair<ScalarGrowth> const> pairs) override;

 private:
  Context const& ctx_;
  FixedResiduals residuals_;
  Search search_;
  std::vector<typename Search::Scratch> scratch_;  ///< by thread
};

template <typename Search>
void ErrorCriterion<Search>::FindSplits(RowLists const& rows, Span<GrowingPair<ScalarGrowth> const> pairs) {
  std::vector<GrowingNode<ScalarGrowth>*> open;
  for (auto const& pair : pairs) {
    for (auto* node : {pair.small, pair.large}) {
      if (node != nullptr && node->IsOpen()) open.push_back(node);
    }
  }
  std::vector<typename Search::Node> nodes(open.size());
  std::vector<std::pair<std::size_t, std::uint32_t>> tasks;  // a node and one of its features
  for (std::size_t i = 0; i < open.size(); ++i) {
    auto const range = rows.RangeOf(open[i]->id);
    nodes[i].rows = {rows.Rows(), range.begin, range.end};
    nodes[i].total = &open[i]->total;
    for (auto const feature : *open[i]->features) tasks.emplace_back(i, feature);
  }
  ParallelFor(ctx_, static_cast<std::int64_t>(nodes.size()), [&](std::int64_t i) { search_.Prepare(&nodes[i]); });
  std::vector<SplitCandidate> found(tasks.size());
  ParallelFor(ctx_, static_cast<std::int64_t>(tasks.size()), [&](std::int64_t i) {
    auto const [node, feature] = tasks[i];
    found[i] = search_.Find(nodes[node], feature, &scratch_[ThreadIndex()]);
  });
  for (auto* node : open) node->best = {};
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    auto& best = open[tasks[i].first]->best;
    if (IsBetter(found[i], best)) best = found[i];
  }
}

// Other searches for splits by absolute error than label bins, by name.
//
// tree_method=hist searches by label bins (label_bins.h) unless a registered sketch is chosen. src/research registers
// one.

/// Summarises residuals for tree_method=hist with split_criterion=absolute_error. Immutable, shared by threads.
class ErrorSketch {
 public:
  virtual ~ErrorSketch() = default;
  /// Returns the features that a training with the sketch asks for.
  virtual FeatureSet Asks() const = 0;
  /// Returns the function that makes the criterion of a tree.
  virtual MakeCriterion Criterion() const = 0;
};

/// Returns the registered sketch that the parameters choose; null: label bins. \throws Error(kParameter).
std::shared_ptr<ErrorSketch const> ErrorSketchOf(ParamMap const& map);

/// Returns the parameters that registered sketches declare.
ParameterTable ErrorSketchParameters();

}  // namespace kauri
