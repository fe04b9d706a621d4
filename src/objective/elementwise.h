/// \file Objectives whose loss is a sum over elements: one margin and one label per row and target.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/objective.h"
#include "objective/gradient_kernels.h"

namespace kauri {

class ElementwiseObjective : public Objective {
 public:
  std::int64_t NumOutputs(MetaInfo const& info) const override { return info.n_targets; }
  void ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t iteration,
                        Span<GradientPair> out) const override;
  /// The weighted mean of the labels of each target.
  std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const override;

 protected:
  virtual void Gradients(ElementBlock const& block) const = 0;
  /// -sum of gradients / sum of hessians at margin 0, [n_targets]: the margin that one Newton step gives. 0 without
  /// hessian.
  std::vector<float> NewtonStep(Context const& ctx, MetaInfo const& info) const;
};

}  // namespace kauri
