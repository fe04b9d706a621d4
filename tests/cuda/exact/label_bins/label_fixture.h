/// \file Split finding by label bins on a level: the host's results (tree/exact/label_bin_scan.h), node by node.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "exact/split/exact_split_fixture.h"
#include "tree/exact/label_bin_scan.h"

namespace kauri::testing {

enum class Residuals { kNormal, kSkewed, kFew, kEqual, kOutlier };

inline constexpr Residuals kAllResiduals[] = {Residuals::kNormal, Residuals::kSkewed, Residuals::kFew,
                                              Residuals::kEqual, Residuals::kOutlier};

/// Residuals of rows, and their weights.
struct Labels {
  std::vector<float> residuals;
  std::vector<float> weights;         ///< [n_rows], or empty
  std::vector<std::uint8_t> sampled;  ///< [n_rows], or empty
  double alpha = 0.5;
  std::int64_t least_rows = 0;  ///< min_data_in_leaf

  LineErrors Errors() const { return {residuals, weights, 2.0 * alpha, 2.0 * (1.0 - alpha)}; }
  bool IsUsed(std::size_t row) const { return sampled.empty() || sampled[row] != 0; }
};

inline float DrawResidual(Residuals kind, Random* random) {
  auto const normal = random->Normal();
  switch (kind) {
    case Residuals::kNormal:
      return normal;
    case Residuals::kSkewed:
      return std::exp(3.0F * normal) - 1.0F;
    case Residuals::kFew: {
      float const values[] = {-1.0F, -0.0F, 0.0F, 2.0F, 1e-30F};
      return values[random->Below(5)];
    }
    case Residuals::kEqual:
      return -1.5F;
    default:
      return random->Below(300) == 0 ? 1e9F * normal : normal;
  }
}

/// Returns labels. weighed: weights of 0 to 3 sixths and others, some rows without weight, and a residual that is NaN.
inline Labels MakeLabels(std::size_t n_rows, Residuals kind, bool weighed, std::uint64_t seed) {
  Random random(seed);
  Labels labels;
  for (std::size_t row = 0; row < n_rows; ++row) {
    labels.residuals.push_back(DrawResidual(kind, &random));
    if (!weighed) continue;
    labels.weights.push_back(static_cast<float>(random.Below(4)) / 6.0F);
    if (random.Below(50) == 0) labels.residuals.back() = std::nanf("");
  }
  return labels;
}

/// The best split of every node, found by the host among all columns, node by node.
class LabelOracle {
 public:
  /// Referenced objects must outlive it.
  LabelOracle(Level const& level, Labels const& labels)
      : level_(level), labels_(labels), scan_(Context{}, TaskOf(labels)), positions_(level.pairs.size()) {}

  /// Sets the node for later calls: its rows, and their label bins.
  void Enter(std::int32_t node) {
    std::vector<std::uint8_t> in_node;
    std::uint32_t n_rows = 0;
    for (std::size_t row = 0; row < level_.pairs.size(); ++row) {
      in_node.push_back(level_.node_of_row[row] == node ? 1 : 0);
      positions_[row] = n_rows;
      n_rows += in_node.back();
    }
    rows_.Start(Context{}, level_.pairs, in_node);
    node_ = {{0, level_.SumOf(node)}, {0, n_rows}};
    scan_.Prepare(Context{}, {&node_, 1}, rows_);
  }

  SplitCandidate Scan(std::size_t feature, std::int32_t node, std::uint32_t id, double floor) const {
    auto entries = level_.EntriesOf(feature, node);
    if (entries.empty()) return {};
    for (auto& entry : entries) entry.row = positions_[entry.row];
    SegmentView segment;
    segment.entries = entries.data();
    segment.count = static_cast<std::int64_t>(entries.size());
    segment.pairs = rows_.Pairs();
    segment.total = node_.sum;
    segment.limits.rows = {labels_.least_rows, node_.range.Size()};
    segment.has_missing = segment.count < node_.range.Size();
    segment.feature = id;
    segment.mode = level_.both_ways[feature] != 0 ? ScanMode::kBoth : ScanMode::kDownwards;
    return scan_.Scan(level_.param, segment, 0, floor);
  }

 private:
  static TreeTask TaskOf(Labels const& labels) {
    TreeTask task;
    task.errors = labels.Errors();
    task.sampled_rows = labels.sampled;
    return task;
  }

  Level const& level_;
  Labels const& labels_;
  LabelBinScan scan_;
  RowOrder rows_;
  ExactNode node_;
  std::vector<std::uint32_t> positions_;  ///< place of each row in the node
};

inline std::vector<SplitCandidate> OracleSplits(Level const& level, Labels const& labels, Condition const& condition) {
  LabelOracle oracle(level, labels);
  std::vector<SplitCandidate> best(level.n_nodes);
  for (std::int32_t node = 0; node < level.n_nodes; ++node) {
    oracle.Enter(node);
    for (std::size_t feature = 0; feature < level.NumFeatures(); ++feature) {
      auto const place = static_cast<std::size_t>(node) * NumIds(level) + IdOf(feature);
      if (!condition.allowed.empty() && condition.allowed[place] == 0) continue;
      auto const id = static_cast<std::uint32_t>(IdOf(feature));
      auto const found = oracle.Scan(feature, node, id, FloorOf(condition, static_cast<std::size_t>(node)));
      if (IsBetter(found, best[node])) best[node] = found;
    }
  }
  return best;
}

}  // namespace kauri::testing
