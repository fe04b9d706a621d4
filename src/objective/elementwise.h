/// \file Objectives whose loss is a sum over elements: one margin and one label per row and target.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "kauri/objective.h"
#include "kauri/parameter.h"
#include "objective/element_losses.h"
#include "objective/formula.h"
#include "objective/gradient_kernels.h"
#include "objective/target_sums.h"

namespace kauri {

class ElementwiseObjective : public Objective {
 public:
  std::int64_t NumOutputs(MetaInfo const& info) const override { return info.n_targets; }
  void ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t iteration,
                        Span<GradientPair> out) const override;

 protected:
  virtual void Gradients(ElementBlock const& block) const = 0;
  /// Returns the margin after one Newton step from margin 0, -sum of gradients / sum of hessians: [n_targets] of the
  /// ranks that have rows. Returns 0 if there is no hessian. \throws Error(kData) for a target without known labels.
  std::vector<float> NewtonStep(Context const& ctx, MetaInfo const& info) const;
};

/// Throws Error(kData) for a mean label of 0 if boosting would start from its logarithm: for rows without a base
/// margin. All ranks pass the same means, [n_targets].
void RequireAboveZero(Context const& ctx, MetaInfo const& info, std::vector<float> const& means,
                      std::string const& objective);

/// The objective of a loss of element_losses.h.
template <typename Loss>
class LossObjective : public ElementwiseObjective {
 public:
  using Param = typename Loss::Param;
  using Link = typename Loss::Link;
  static constexpr bool kHasParam = !std::is_same_v<Param, NoParam>;

  explicit LossObjective(ParamMap const& params) : param_(ParamOf(params)), loss_(LossOf(param_)) {}

  void ValidateInfo(MetaInfo const& info) const override { CheckLabelsAre<typename Loss::Labels>(info, Loss::kName); }
  std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const override {
    if (loss_.StartsAtMean()) {
      auto means = MeanLabels(ctx, info, Loss::kName);
      if (Loss::kStartsAboveZero) RequireAboveZero(ctx, info, means, Loss::kName);
      return means;
    }
    auto scores = NewtonStep(ctx, info);
    for (auto& score : scores) score = Link{}(score);
    return scores;
  }
  float BaseScoreToMargin(float base_score) const override { return Link::BaseScoreToMargin(Loss::kName, base_score); }
  void TransformMargins(Context const& ctx, Span<float> values, std::int64_t) const override {
    ApplyLink(Link{}, ctx, values);
  }
  std::string DefaultMetric() const override { return loss_.DefaultMetric(); }
  std::map<std::string, std::string> ParameterDefaults() const override { return Loss::ParameterDefaults(); }
  std::string ParamKey() const override { return Param::kModelKey; }
  std::map<std::string, std::string> SaveParams() const override {
    if constexpr (kHasParam) return param_.__DICT__();
    return {};
  }
  std::string Name() const override { return Loss::kName; }
  ObjectiveFormula Formula() const override { return {loss_}; }

 private:
  static Param ParamOf([[maybe_unused]] ParamMap const& params) {
    if constexpr (kHasParam) return ParseParameters<Param>(params);
    return {};
  }
  static Loss LossOf([[maybe_unused]] Param const& param) {
    if constexpr (kHasParam) {
      return Loss(param);
    } else {
      return {};
    }
  }
  void Gradients(ElementBlock const& block) const override { ComputeElementGradients(loss_, block); }

  Param param_;
  Loss loss_;
};

}  // namespace kauri
