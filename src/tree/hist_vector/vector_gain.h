/// \file Leaf weights and split gains of trees with vector leaves: the formulas of split_gain.h per output, by the
/// rules of XGBoost 3.4.
///
/// 1. The gain of a node is the sum over the outputs of the gain of a leaf.
/// 2. A child has enough hessian if the mean over the outputs is at least min_child_weight. Weights do not depend on
///    it.
/// 3. With monotone constraints, if the children's weights of an output would violate the order, both get the weight
///    that is best for both together. An output that constraints leave free (TreePlace::free_outputs) has neither
///    bounds nor an order: its GainParam is not monotone.
/// Sums are laid out like rows of a GradientTableView: gradients, then hessians.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "kauri/tree_param.h"
#include "tree/split_gain.h"
#include "tree/split_rules.h"

namespace kauri {

/// Several sums, laid out like a row of a GradientTableView. Not owning.
using SumRow = std::int64_t const*;

struct VectorGainParam {
  std::vector<GainParam> outputs;  ///< [n_outputs], with min_child_weight 0
  double min_child_weight = 1.0;
  std::int64_t n_hessians = 0;
  std::int64_t least_rows = 0;  ///< min_data_in_leaf
  CategoryGain categories;      ///< limits on hessians summed over the outputs; `smooth` and `l2` apply per output

  std::int64_t NumOutputs() const { return static_cast<std::int64_t>(outputs.size()); }
  GainParam const& Of(std::int64_t output) const { return outputs[output]; }
  std::int64_t HessianPlace(std::int64_t output) const { return NumOutputs() + (n_hessians == 1 ? 0 : output); }
  FixedSum SumOf(SumRow sums, std::int64_t output) const { return {sums[output], sums[HessianPlace(output)]}; }
  /// Returns the row limit for a node's children. If it is active, sums include counts (vector_grower.cc).
  RowLimit LimitOf(SumRow node) const { return {least_rows, least_rows > 1 ? node[RowsPlace()] : 0}; }
  std::int64_t RowsPlace() const { return NumOutputs() + n_hessians; }
  bool HasEnough(double sum_of_hessians) const {
    return sum_of_hessians / static_cast<double>(NumOutputs()) >= min_child_weight;
  }
};

/// monotone: monotone constraints are given. free_outputs: as in TreePlace.
VectorGainParam MakeVectorGainParam(TreeParam const& param, GradientTableView const& table, bool monotone,
                                    Span<std::uint8_t const> free_outputs = {});

/// Returns the gain of a leaf with this weight for one output; 0 without a positive hessian.
KAURI_HD double OutputGainOfWeight(FixedSum sum, double weight, GainParam const& param) {
  return sum.hessian <= 0 ? 0.0 : GainOfWeight(sum, weight, param);
}

/// Returns the gain of one output as a leaf.
KAURI_HD double OutputGain(FixedSum sum, GainParam const& param, WeightBounds const& bounds) {
  if (GainIsQuotient(param)) return LeafGain(sum, param);
  return OutputGainOfWeight(sum, NodeWeight(sum, param, bounds), param);
}

/// The weights of both children for one output.
struct ChildWeights {
  double left = 0.0;
  double right = 0.0;
};

/// Returns the weights of both children. bounds: bounds of the node that is split. sign: the monotone constraint of the
/// feature.
KAURI_HD ChildWeights SplitWeights(FixedSum left, FixedSum right, GainParam const& param, WeightBounds const& bounds,
                                   int sign) {
  ChildWeights const weights{NodeWeight(left, param, bounds), NodeWeight(right, param, bounds)};
  if (!param.monotone || !((weights.left - weights.right) * sign > 0.0)) return weights;
  auto twice = param;  // both leaves are regularised
  twice.lambda *= 2.0;
  twice.alpha *= 2.0;
  auto const common = NodeWeight(left + right, twice, bounds);
  return {common, common};
}

/// Returns gain(left) + gain(right) of one output.
KAURI_HD double OutputSplitGain(FixedSum left, FixedSum right, GainParam const& param, WeightBounds const& bounds,
                                int sign) {
  if (GainIsQuotient(param)) return LeafGain(left, param) + LeafGain(right, param);
  auto const weights = SplitWeights(left, right, param, bounds, sign);
  return OutputGainOfWeight(left, weights.left, param) + OutputGainOfWeight(right, weights.right, param);
}

/// Returns the gain of a node as a leaf. bounds: [n_outputs], or empty without monotone constraints.
double VectorGain(SumRow sums, VectorGainParam const& param, Span<WeightBounds const> bounds);

/// Returns the sum of the hessians over the outputs; 1 / n_outputs of it must reach min_child_weight.
double SumHessians(SumRow sums, VectorGainParam const& param);

}  // namespace kauri
