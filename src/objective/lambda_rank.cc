#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collective/query_order.h"
#include "collective/row_ranges.h"
#include "common/sums.h"
#include "common/threads/parallel_for.h"
#include "kauri/error.h"
#include "kauri/objective.h"
#include "kauri/parameter.h"
#include "objective/formula.h"
#include "objective/labels.h"
#include "objective/objective_table.h"
#include "objective/ranking/position_bias.h"
#include "objective/ranking/rank_group.h"
#include "objective/ranking/rank_param.h"

namespace kauri {

// rank:pairwise, rank:ndcg and rank:map: LambdaMART over query groups.
//
// Per group and round: (1) rows are sorted by score, ties in the order of the rows; (2) pairs are chosen: every row of
// the best places with all rows below it, or random partners with other labels; (3) each pair of different labels
// pulls its rows apart, depending on how much the target metric changes if the two swap places and on how wrong their
// scores are; (4) the sums of a row are normalised within the group and weighted. lambdarank_unbiased:
// position_bias.h.

DMLC_REGISTER_PARAMETER(LambdaRankParam);

namespace {

class LambdaRank : public Objective {
 public:
  LambdaRank(std::string name, RankTarget target, ParamMap const& params);

  std::int64_t NumOutputs(MetaInfo const&) const override { return 1; }
  void ValidateInfo(Context const& ctx, MetaInfo const& info) const override;
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
  void CheckLabels(Context const& ctx, MetaInfo const& info) const;

  std::string name_;
  RankTarget target_;
  LambdaRankParam param_;
};

constexpr float kLargestExponent = 31.0F;

/// \throws Error(kInternal) for wrong sizes.
void CheckSizes(MetaInfo const& info, Span<float const> margins, Span<GradientPair> out) {
  if (margins.size() == info.labels.size() && out.size() == info.labels.size()) return;
  Fail(ErrorKind::kInternal, "expected ", info.labels.size(), " margins and gradient pairs, one per label, got ",
       margins.size(), " margins and ", out.size(), " gradient pairs");
}

/// Learns the position bias and keeps it in a state. The costs of pairs are added up pair by pair over all groups: with
/// several ranks, every rank computes them from the rows of all ranks, see GatherGroups.
class LearningRank : public LambdaRank {
 public:
  LearningRank(LambdaRank const& rank, ObjectiveState* state) : LambdaRank(rank), state_(state) {}

  void ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t iteration,
                        Span<GradientPair> out) const override {
    if (!IsDistributed(ctx)) return Learn(ctx, margins, info, iteration, out);
    CheckSizes(info, margins, out);
    auto const all = GatherGroups(ctx, info, margins);
    ValidateInfo(ctx, all.info);
    std::vector<GradientPair> pairs(all.values.size());
    Learn(Alone(ctx), all.values, all.info, iteration, pairs);
    auto* next = out.data();
    for (auto const& range : RangesOf(info)) next = std::copy_n(pairs.begin() + range.first, range.count, next);
  }
  ObjectiveFormula Formula() const override { return {UnbiasedRule{Rule(), BiasNorm(), state_}}; }

 private:
  void Learn(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t iteration,
             Span<GradientPair> out) const {
    PositionBias bias(*state_, Rule().NumPositions(LargestGroup(info.group_ptr)));
    bias.Learn(Gradients(ctx, margins, info, iteration, &bias, out), BiasNorm());
    bias.Store(state_);
  }

  ObjectiveState* state_;
};

}  // namespace

LambdaRank::LambdaRank(std::string name, RankTarget target, ParamMap const& params)
    : name_(std::move(name)), target_(target), param_(ParseParameters<LambdaRankParam>(params)) {}

void LambdaRank::ValidateInfo(Context const& ctx, MetaInfo const& info) const {
  CheckGroups(info);
  CheckLabels(ctx, info);
}

void LambdaRank::CheckGroups(MetaInfo const& info) const {
  if (info.n_rows == 0) return;
  if (info.group_ptr.empty()) {
    Fail(ErrorKind::kData, name_, ": the data set has no query groups; set qid of its ", info.n_rows,
         " rows or the sizes of the groups, group=[", info.n_rows, "] if they all answer one query");
  }
  if (info.group_ptr.back() != info.n_rows) {
    Fail(ErrorKind::kData, name_, ": the query groups have ", info.group_ptr.back(), " rows, the data set ",
         info.n_rows, "; their sizes must add up to it");
  }
  auto const n_groups = static_cast<std::int64_t>(info.group_ptr.size()) - 1;
  if (info.weights.empty()) return;
  if (static_cast<std::int64_t>(info.weights.size()) != n_groups) {
    Fail(ErrorKind::kData, name_, ": ", info.weights.size(), " weights for ", n_groups,
         " query groups; set exactly one weight per group, or none");
  }
  // With several ranks, some ranks may have only groups without weight; the first round checks all ranks.
  auto const has_weight = [](float weight) { return weight > 0.0F; };
  if (info.global_rows.empty() && std::none_of(info.weights.begin(), info.weights.end(), has_weight)) {
    FailNoGroupWeight(name_, n_groups);
  }
}

void LambdaRank::CheckLabels(Context const& ctx, MetaInfo const& info) const {
  if (info.n_targets != 1) {
    Fail(ErrorKind::kData, name_, ": ", info.n_targets,
         " label columns; give one column with the relevance of each row");
  }
  LabelRule const relevance{name_, "a relevance of 0 or more", "give irrelevant rows the label 0"};
  LabelRule const degree{
      name_, "a whole number from 0 to 31",
      "number the degrees of relevance from 0. Set `ndcg_exp_gain` to 0 for gains that are the labels"};
  LabelRule const binary{name_, "0 or 1", "rank:map takes binary labels, rank:ndcg several degrees"};
  LabelRule const finite{name_, "finite", "give every row a finite relevance"};
  if (target_ == RankTarget::kPairwise) {
    CheckLabelDomain(ctx, info, finite, [](float label) { return std::isfinite(label); });
  } else if (target_ == RankTarget::kMap) {
    CheckLabelDomain(ctx, info, binary, [](float label) { return label == 0.0F || label == 1.0F; });
  } else if (!param_.ndcg_exp_gain) {
    CheckLabelDomain(ctx, info, relevance, [](float label) { return label >= 0.0F && std::isfinite(label); });
  } else {
    CheckLabelDomain(ctx, info, degree, [](float label) {
      return label >= 0.0F && label <= kLargestExponent && std::floor(label) == label;
    });
  }
}

LambdaRule LambdaRank::Rule() const {
  LambdaRule rule;
  rule.target = target_;
  rule.method = static_cast<PairMethod>(param_.lambdarank_pair_method);
  rule.n_pairs = param_.NumPairs();
  rule.normalize = param_.lambdarank_normalization;
  rule.normalize_scores = param_.lambdarank_score_normalization;
  rule.exponential_gain = param_.ndcg_exp_gain;
  return rule;
}

ObjectiveFormula LambdaRank::Formula() const { return {Rule()}; }

void LambdaRank::ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info,
                                  std::int64_t iteration, Span<GradientPair> out) const {
  Gradients(ctx, margins, info, iteration, nullptr, out);
}

PositionCosts LambdaRank::Gradients(Context const& ctx, Span<float const> margins, MetaInfo const& info,
                                    std::int64_t iteration, PositionBias const* bias, Span<GradientPair> out) const {
  CheckSizes(info, margins, out);
  QueryOrder const order(ctx, info);
  auto const n_groups = order.NumMine();
  auto rule = Rule();
  rule.key = PairKey(ctx.seed, iteration);
  auto const weight_scale = WeightScale(ctx, name_, info.weights, n_groups, order.NumGroups());
  auto const discounts = RankDiscounts(ctx, target_ == RankTarget::kNdcg ? LargestGroup(info.group_ptr) : 0);
  auto const block_size = GroupsPerBlock(n_groups, info.n_rows);
  return SumBlocks<PositionCosts>(ctx, n_groups, block_size, [&](std::int64_t first, std::int64_t last) {
    GroupGradients worker(rule, discounts, bias);
    for (auto group = first; group < last; ++group) {
      auto const begin = info.group_ptr[group];
      auto const end = info.group_ptr[group + 1];
      auto const weight = static_cast<double>(info.Weight(group)) * weight_scale;
      worker.Compute({order.Number(group), end - begin, margins.data() + begin, info.labels.data() + begin, weight},
                     out.data() + begin);
    }
    return worker.Costs();
  });
}

std::unique_ptr<Objective> LambdaRank::Learning(ObjectiveState* state) const {
  return LearnsPositionBias() ? std::make_unique<LearningRank>(*this, state) : nullptr;
}

void LambdaRank::PrepareState(ObjectiveState* state) const {
  if (!LearnsPositionBias()) return state->clear();
  for (auto const* key : {PositionBias::kRelevantKey, PositionBias::kOtherKey}) (*state)[key];
}

std::string LambdaRank::DefaultMetric() const {
  std::string const name = target_ == RankTarget::kMap ? "map" : "ndcg";
  if (param_.lambdarank_pair_method == static_cast<int>(PairMethod::kMean)) return name;
  return name + "@" + std::to_string(param_.NumPairs());
}

void RegisterLambdaRank(Registry<ObjectiveFactory>* registry) {
  struct Line {
    char const* name;
    RankTarget target;
    char const* description;
  };
  for (auto const& line :
       {Line{"rank:pairwise", RankTarget::kPairwise, "Ranking within query groups: pairs in the right order."},
        Line{"rank:ndcg", RankTarget::kNdcg, "Ranking within query groups: discounted gain, LambdaMART."},
        Line{"rank:map", RankTarget::kMap, "Ranking within query groups: average precision of labels 0 and 1."}}) {
    registry->Add(
        {line.name, line.description,
         [line](ParamMap const& params) { return std::make_unique<LambdaRank>(line.name, line.target, params); },
         DescribeParameters<LambdaRankParam>});
  }
}

}  // namespace kauri
