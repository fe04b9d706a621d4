#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "collective/reduce.h"
#include "common/loss/label_elements.h"
#include "common/sums.h"
#include "common/threads/parallel_for.h"
#include "kauri/error.h"
#include "kauri/objective.h"
#include "kauri/parameter.h"
#include "objective/element_losses.h"
#include "objective/formula.h"
#include "objective/gradient_kernels.h"
#include "objective/labels.h"
#include "objective/links.h"
#include "objective/objective_table.h"
#include "objective/target_sums.h"

namespace kauri {
namespace {

// Objectives whose loss is a sum over elements: one margin and one label per row and target.

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

  void ValidateInfo(Context const& ctx, MetaInfo const& info) const override {
    CheckLabelsAre<typename Loss::Labels>(ctx, info, Loss::kName);
  }
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

void RequireAboveZero(Context const& ctx, MetaInfo const& info, std::vector<float> const& means,
                      std::string const& objective) {
  auto const zero = std::find(means.begin(), means.end(), 0.0F);
  if (zero == means.end()) return;
  auto const starts_there = info.n_rows > 0 && info.base_margin.empty();
  if (MaxOverRanks(ctx, starts_there ? 1 : 0) == 0) return;
  auto const of_target = means.size() == 1 ? std::string() : " of target " + std::to_string(zero - means.begin());
  Fail(ErrorKind::kData, objective, ": every label", of_target, " is 0, and so is the mean, whose logarithm boosting ",
       "starts from. Check the labels, or set base_score to a mean above 0 that you expect.");
}

void ElementwiseObjective::ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info,
                                            std::int64_t, Span<GradientPair> out) const {
  CheckGradientSizes(info.labels.size(), margins, out);
  ParallelForBlocks(ctx, static_cast<std::int64_t>(info.labels.size()), kRowBlock,
                    [&](std::int64_t begin, std::int64_t end, std::int64_t) {
                      ElementBuffer buffer;
                      auto const* weights = ElementWeights(info, begin, end, &buffer);
                      auto const* labels = info.labels.data() + begin;
                      Gradients({margins.data() + begin, labels, weights, out.data() + begin, end - begin});
                      if (MayMissLabels(info)) ClearMissingPairs(labels, end - begin, out.data() + begin);
                    });
}

std::vector<float> ElementwiseObjective::NewtonStep(Context const& ctx, MetaInfo const& info) const {
  auto const sum_of = [&](std::int64_t begin, std::int64_t end) {
    ElementBuffer buffer;
    ElementBuffer margins{};
    std::array<GradientPair, kRowBlock> pairs;
    auto const* weights = ElementWeights(info, begin, end, &buffer);
    auto const* labels = info.labels.data() + begin;
    Gradients({margins.data(), labels, weights, pairs.data(), end - begin});
    if (MayMissLabels(info)) ClearMissingPairs(labels, end - begin, pairs.data());
    TargetSums block(info.n_targets);
    for (auto element = begin; element < end; ++element) {
      auto const pair = pairs[element - begin];
      block.Add(element % info.n_targets, static_cast<double>(pair.gradient), static_cast<double>(pair.hessian));
    }
    return block;
  };
  auto const term_of = [&](std::int64_t element) {
    float const margin = 0.0F;
    float const weight = info.Weight(element / info.n_targets);
    GradientPair pair;
    Gradients({&margin, info.labels.data() + element, &weight, &pair, 1});
    if (MayMissLabels(info)) ClearMissingPairs(info.labels.data() + element, 1, &pair);
    return TargetTerm{static_cast<double>(pair.gradient), static_cast<double>(pair.hessian)};
  };
  auto const sums = SumTargets(ctx, info, {info.n_targets}, sum_of, term_of);
  if (sums.numerator.empty()) return std::vector<float>(ToSize(info.n_targets), 0.0F);
  std::vector<float> margins;
  for (std::int64_t target = 0; target < sums.NumTargets(); ++target) {
    if (sums.denominator[target] == 0.0) RequireKnownTarget(ctx, info, target, Name());
    margins.push_back(sums.NewtonStep(target));
  }
  return margins;
}

template <typename Loss>
void RegisterElement(Registry<ObjectiveFactory>* registry) {
  Registry<ObjectiveFactory>::Entry entry{Loss::kName, Loss::kDescription, [](ParamMap const& params) {
                                            return std::make_unique<LossObjective<Loss>>(params);
                                          }};
  if constexpr (LossObjective<Loss>::kHasParam) entry.parameters = DescribeParameters<typename Loss::Param>;
  registry->Add(entry);
}

}  // namespace

void RegisterObjectives(Registry<ObjectiveFactory>* registry) {
#define KAURI_ADD_ELEMENT(Loss) RegisterElement<Loss>(registry);
#define KAURI_ADD_OTHER(Name) Register##Name(registry);
  KAURI_OBJECTIVES(KAURI_ADD_ELEMENT, KAURI_ADD_OTHER)
#undef KAURI_ADD_ELEMENT
#undef KAURI_ADD_OTHER
}

std::vector<float> Objective::StartMargins(std::vector<float> const& base_scores) const {
  std::vector<float> margins;
  for (auto const score : base_scores) margins.push_back(BaseScoreToMargin(score));
  return margins;
}

void Objective::PickValues(Context const&, Span<float const> transformed, std::int64_t, Span<float> out) const {
  if (transformed.size() != out.size()) {
    Fail(ErrorKind::kInternal, "PickValues got an output array of size ", out.size(), "; expected ", transformed.size(),
         ", one element per value");
  }
  std::copy(transformed.begin(), transformed.end(), out.begin());
}

ObjectiveFormula Objective::Formula() const { return {}; }

float LogitLink::BaseScoreToMargin(std::string const& objective, float base_score) {
  if (!(base_score >= 0.0F && base_score <= 1.0F)) {
    Fail(ErrorKind::kParameter, "parameter base_score='", base_score, "' is not a probability; ", objective,
         " expects a value in (0, 1)");
  }
  auto const probability = std::clamp(base_score, 1e-6F, 1.0F - 1e-6F);
  return -LogFloat(1.0F / probability - 1.0F);
}

float LogLink::BaseScoreToMargin(std::string const& objective, float base_score) {
  if (!(base_score >= 0.0F)) {
    Fail(ErrorKind::kParameter, "parameter base_score='", base_score, "' is not in the range of e^margin; ", objective,
         " expects a value above 0");
  }
  return LogFloat(base_score);
}

#define KAURI_DEFINE_LINK(Link)                                                     \
  void ApplyLink(Link link, Context const& ctx, Span<float> values) {               \
    ParallelForBlocks(ctx, static_cast<std::int64_t>(values.size()), kRowBlock,     \
                      [&](std::int64_t begin, std::int64_t end, std::int64_t) {     \
                        ApplyLinkToBlock(link, values.data() + begin, end - begin); \
                      });                                                           \
  }
KAURI_FOR_EACH_LINK(KAURI_DEFINE_LINK)
#undef KAURI_DEFINE_LINK

}  // namespace kauri
