/// \file Samples rows and columns for trees.
///
/// Every draw is a pure function of the seed and of its position (iteration, tree, depth, node), so it does not depend
/// on threads, devices or the order of calls. The drawn numbers differ from XGBoost's; their distribution is the same.
#pragma once

#include <cstdint>
#include <vector>

#include "common/random/random.h"
#include "kauri/context.h"
#include "kauri/host_device.h"
#include "kauri/meta_info.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"
#include "tree/sampling/row_numbers.h"

namespace kauri {

/// Returns the key of a tree's draws of rows. `tree_in_iteration` as in TreePlace.
std::uint64_t RowSamplingKey(std::uint64_t seed, std::int64_t iteration, std::int64_t tree_in_iteration);

/// Returns the key of a tree's weights of rows.
std::uint64_t RowWeightKey(std::uint64_t seed, std::int64_t iteration, std::int64_t tree_in_iteration);

KAURI_HD bool IsRowSampled(std::uint64_t key, std::int64_t row, float rate) {
  return RandomUniform(key, static_cast<std::uint64_t>(row)) < static_cast<double>(rate);
}

/// Samples each row independently with probability `rate` (Bernoulli), or exactly NumChosenRows of all rows, as
/// `numbers` specifies. Returns [n_rows], 1 = used; empty (all are used) when rate >= 1. The seed is ctx.seed;
/// `tree_in_iteration` as in TreePlace. The result for a row depends on its global number, not on its rank.
std::vector<std::uint8_t> SampleRows(Context const& ctx, std::int64_t iteration, std::int64_t tree_in_iteration,
                                     float rate, std::int64_t n_rows, RowNumbers const& numbers = RowNumbers({}));

/// Returns the number of columns drawn from n: max(1, floor(rate * n)), with the product in float64; 0 when n is 0.
std::int64_t SampledColumnCount(float rate, std::int64_t n);

/// The columns of one tree in nested sets: each level's set is drawn from the tree's, each node's from its level's. All
/// lists are ascending. Cheap to construct when every rate is 1. With place.feature_weights, which must outlive this
/// object, columns are drawn one after the other, each with a probability proportional to its weight among the
/// remaining columns.
class ColumnSampler {
 public:
  ColumnSampler(TreeParam const& param, std::uint64_t seed, TreePlace const& place, std::int64_t n_features);

  bool SamplesLevels() const { return level_rate_ < 1.0F; }
  bool SamplesNodes() const { return node_rate_ < 1.0F; }
  std::vector<std::uint32_t> const& TreeSet() const { return tree_set_; }
  std::vector<std::uint32_t> LevelSet(std::int32_t depth) const;
  /// Returns the columns of a node. `node` is the id within the growing tree, before any pruning.
  std::vector<std::uint32_t> NodeSet(std::int32_t depth, std::int32_t node) const;
  /// Returns the key of a node's random thresholds.
  std::uint64_t ThresholdKey(std::int32_t node) const;
  /// Returns the key of a node's noise on gains (gain_noise.h).
  std::uint64_t NoiseKey(std::int32_t node) const;

 private:
  std::uint64_t tree_key_;
  float level_rate_;
  float node_rate_;
  Span<float const> weights_;
  std::vector<std::uint32_t> tree_set_;
};

}  // namespace kauri
