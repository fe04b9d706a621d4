#include "tree/hist_vector/vector_categories.h"

#include <algorithm>

#include "tree/categories/category_search.h"
#include "tree/categories/drawn_candidates.h"
#include "tree/hist_vector/vector_adder.h"
#include "tree/rows/code_split.h"

namespace kauri {
namespace {

struct Sums {
  std::vector<std::int64_t> values;

  Sums& operator+=(Sums const& other) {
    AddSums(other.values.data(), values.size(), values.data());
    return *this;
  }
  Sums operator-(Sums const& other) const {
    auto less = *this;
    SubtractSums(other.values.data(), values.size(), less.values.data());
    return less;
  }
};

struct Entry {
  std::int32_t index;
  Sums sum;
  float weight;
};

class Search {
 public:
  Search(VectorCategories const& feature, double floor) : feature_(feature), total_{feature.node.sums} {
    best_.loss_change = floor;
    for (std::int64_t output = 0; output < feature.param.NumOutputs(); ++output) {
      node_weights_.push_back(WeightOf(total_, output));
    }
  }

  void Consider(Sums const& right, bool missing_left, std::int64_t threshold) {
    auto const loss_change = LossChange(right);
    auto const& draw = feature_.node.draw;
    if (!draw.is_on && !(loss_change > best_.loss_change)) return;
    SplitCandidate const candidate{loss_change, feature_.cells.feature, static_cast<float>(threshold), missing_left, {},
                                   {}};
    if (draw.is_on) return drawn_.Add(candidate);
    best_ = candidate;
  }
  bool LimitsGroups() const { return Limits().group_hessian > 0.0; }
  bool IsGroup(Sums const& sums) const { return HessiansOf(sums) >= Limits().group_hessian; }
  float Weigh(Sums const& sums) const {
    if (HessiansOf(sums) < Limits().least_hessian) return 0.0F;
    double product = 0.0;
    for (std::int64_t output = 0; output < feature_.param.NumOutputs(); ++output) {
      product += SmoothWeightOf(sums, output) * node_weights_[output];
    }
    return static_cast<float>(product);
  }
  Sums const& Total() const { return total_; }
  Sums Nothing() const { return {std::vector<std::int64_t>(total_.values.size(), 0)}; }
  SplitCandidate Best() const {
    auto const& draw = feature_.node.draw;
    return draw.is_on ? drawn_.Best(draw, best_.loss_change) : best_;
  }

 private:
  /// Returns the loss change of a split; minus infinity if a child has too little hessian or too few rows.
  double LossChange(Sums const& right) const {
    auto const& param = feature_.param;
    auto const left = total_ - right;
    if (!param.HasEnough(SumHessians(left.values.data(), param))) return -kInfinity;
    if (!param.HasEnough(SumHessians(right.values.data(), param))) return -kInfinity;
    auto const limit = param.LimitOf(total_.values.data());
    if (limit.IsOn() && !limit.Allows(left.values[param.RowsPlace()])) return -kInfinity;
    double gain = 0.0;
    for (std::int64_t output = 0; output < param.NumOutputs(); ++output) {
      auto const& bounds = feature_.node.bounds;
      gain += OutputSplitGain(param.SumOf(left.values.data(), output), param.SumOf(right.values.data(), output),
                              OfCategories(param.Of(output)), bounds.empty() ? WeightBounds{} : bounds[output], 0);
    }
    return gain - feature_.node.GainToBeat(feature_.cells.feature);
  }
  double WeightOf(Sums const& sums, std::int64_t output) const {
    return LeafWeight(feature_.param.SumOf(sums.values.data(), output), feature_.param.Of(output));
  }

  double SmoothWeightOf(Sums const& sums, std::int64_t output) const {
    auto smoothed = feature_.param.Of(output);
    smoothed.lambda += Limits().smooth;
    return LeafWeight(feature_.param.SumOf(sums.values.data(), output), smoothed);
  }
  CategoryGain const& Limits() const { return feature_.param.categories; }
  double HessiansOf(Sums const& sums) const { return SumHessians(sums.values.data(), feature_.param); }

  VectorCategories const& feature_;
  Sums total_;
  std::vector<double> node_weights_;
  SplitCandidate best_;
  DrawnCandidates drawn_;
};

/// Returns the categories with rows.
std::vector<Entry> CollectEntries(VectorCategories const& feature) {
  std::vector<Entry> entries;
  for (std::uint32_t bin = 0; bin < feature.cuts.NumBins(feature.cells.feature); ++bin) {
    auto const* sums = feature.cells.Of(bin);
    auto const* end = sums + feature.cells.stride;
    if (std::all_of(sums, end, [](std::int64_t sum) { return sum == 0; })) continue;
    entries.push_back({static_cast<std::int32_t>(bin), {{sums, end}}, 0.0F});
  }
  return entries;
}

}  // namespace

void FindVectorCategories(VectorCategories const& feature, SplitCandidate* best) {
  auto entries = CollectEntries(feature);
  auto const n_categories = static_cast<std::int32_t>(feature.cuts.NumBins(feature.cells.feature));
  Search search(feature, best->loss_change);
  category_search::FindSplit(feature.rules, n_categories, &entries, &search);
  if (search.Best().IsValid()) *best = search.Best();
}

std::vector<std::int32_t> RightVectorCategories(VectorCategories const& feature, SplitCandidate const& split) {
  auto entries = CollectEntries(feature);
  Search const search(feature, 0.0);
  auto const& categories = feature.cuts.categories[feature.cells.feature];
  return category_search::RightOf(search, feature.rules, categories, static_cast<std::int64_t>(split.threshold),
                                  &entries);
}

void SumLeft(VectorCells const& cells, SplitCandidate const& split, Span<std::uint8_t const> goes_right,
             VectorTotal* node) {
  // Missing rows have no bin. If they go left, the left sum is the node's sum minus the rows that go right.
  node->left.assign(node->sums.size(), 0);
  if (split.default_left) node->left = node->sums;
  for (std::uint32_t bin = 0; bin < goes_right.size(); ++bin) {
    if (split.default_left && goes_right[bin] != 0) SubtractSums(cells.Of(bin), node->left.size(), node->left.data());
    if (!split.default_left && goes_right[bin] == 0) AddSums(cells.Of(bin), node->left.size(), node->left.data());
  }
}

void DescribeCategories(VectorCategories const& feature, SplitCandidate const& split, VectorTotal* node) {
  node->right_categories = RightVectorCategories(feature, split);
  SumLeft(feature.cells, split, MarkCategories(feature.cuts, split.feature, node->right_categories), node);
}

}  // namespace kauri
