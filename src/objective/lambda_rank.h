/// \file rank:pairwise, rank:ndcg and rank:map: LambdaMART over query groups.
///
/// Per group and round: (1) rows are sorted by score, ties in the order of the rows; (2) pairs are chosen: every row of
/// the best places with all rows below it, or random partners with other labels; (3) each pair of different labels
/// pulls its rows apart, depending on how much the target metric changes if the two swap places and on how wrong their
/// scores are; (4) the sums of a row are normalised within the group and weighted. lambdarank_unbiased:
/// position_bias.h.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kauri/objective.h"
#include "kauri/parameter.h"
#include "objective/ranking/position_bias.h"
#include "objective/ranking/rank_param.h"

namespace kauri {

class LambdaRank : public Objective {
 public:
  LambdaRank(std::string name, RankTarget target, ParamMap const& params);

  std::int64_t NumOutputs(MetaInfo const&) const override { return 1; }
  void ValidateInfo(MetaInfo const& info) const override;
  void ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t iteration,
                        Span<GradientPair> out) const override;
  /// Returns 0: pairs pull with equal force, so no common score is better than another.
  std::vector<float> EstimateBaseScore(Context const&, MetaInfo const&) const override { return {0.0F}; }
  void TransformMargins(Context const&, Span<float>, std::int64_t) const override {}
  std::string Name() const override { return name_; }
  std::string DefaultMetric() const override;
  std::string ParamKey() const override { return "lambdarank_param"; }
  std::map<std::string, std::string> SaveParams() const override { return param_.__DICT__(); }

  std::unique_ptr<Objective> Learning(ObjectiveState* state) const override;
  void PrepareState(ObjectiveState* state) const override;

  ObjectiveFormula Formula() const override;

 protected:
  /// bias: the bias of positions, or nullptr for none. Returns the costs of the pairs by position.
  PositionCosts Gradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t iteration,
                          PositionBias const* bias, Span<GradientPair> out) const;
  double BiasNorm() const { return param_.lambdarank_bias_norm; }
  /// Returns the rule without the key of a round.
  LambdaRule Rule() const;

 private:
  bool LearnsPositionBias() const { return param_.lambdarank_unbiased; }
  void CheckGroups(MetaInfo const& info) const;
  void CheckLabels(MetaInfo const& info) const;

  std::string name_;
  RankTarget target_;
  LambdaRankParam param_;
};

}  // namespace kauri
