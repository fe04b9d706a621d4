/// ndcg, map and pre on the host. Per group: rows are sorted by prediction, and the values of the first places are
/// added up in lanes; ndcg does the same again in the order of the labels. Groups are independent; their scores are
/// added in lanes, too.
/// Several ranks: each scores its groups. Without groups all rows are one group, and every rank gets them, 8 bytes
/// each.
#include <dmlc/parameter.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "collective/all_rows.h"
#include "collective/row_ranges.h"
#include "common/sums.h"
#include "common/threads/parallel_for.h"
#include "kauri/error.h"
#include "kauri/metric.h"
#include "kauri/parameter.h"
#include "metric/formula.h"
#include "metric/inputs.h"
#include "metric/metric_table.h"
#include "metric/ranked_rows.h"

namespace kauri {

// Metrics of the order within query groups: ndcg, map, pre.

struct RankMetricParam : public dmlc::Parameter<RankMetricParam> {
  bool ndcg_exp_gain;

  DMLC_DECLARE_PARAMETER(RankMetricParam) {
    DMLC_DECLARE_FIELD(ndcg_exp_gain)
        .set_default(true)
        .describe("ndcg: a row of relevance y gains 2^y - 1; off: it gains y.");
  }

  void Validate() const {}
};

DMLC_REGISTER_PARAMETER(RankMetricParam);

namespace {

/// The weighted mean over groups of the scores of `rule`. Rows with equal predictions rank in their order in the data.
/// If a prediction is NaN, the value is NaN.
class RankMetric : public Metric {
 public:
  /// argument: the text after '@', or '-' alone.
  RankMetric(std::string name, std::string argument, RankRule const& rule)
      : name_(std::move(name)), argument_(std::move(argument)), rule_(rule) {}

  std::string Name() const override;
  std::string Argument() const override { return argument_; }
  bool HigherIsBetter() const override { return true; }
  void Validate(MetaInfo const& info, std::int64_t n_outputs) const override;
  double Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const override;
  MetricFormula Formula() const override;

 private:
  std::string name_;  ///< ndcg, map or pre
  std::string argument_;
  RankRule rule_;
};

using Kind = RankRule::Kind;

constexpr std::int64_t kGroupBlock = 16;

/// Scores one group after another, reusing its memory.
class GroupScorer {
 public:
  GroupScorer(Context const& ctx, RankRule const& rule, std::vector<double> const& discounts)
      : ctx_(ctx), rule_(rule), discounts_(discounts) {}

  WeightedSum Score(float const* predictions, float const* labels, std::int64_t n, double weight) {
    rows_.resize(n);
    for (std::int64_t row = 0; row < n; ++row) {
      At(row) = {DescendingFloatKey(predictions[row]), labels[row], 0.0F};
    }
    SortRankedRows(ctx_, &rows_);
    if (n > 0 && (IsNaNKey(At(0).key) || IsNaNKey(At(n - 1).key))) {
      return {std::numeric_limits<double>::quiet_NaN(), weight};
    }
    if (rule_.kind == Kind::kNdcg) return Ndcg(n, weight);
    if (rule_.kind == Kind::kMap) return Map(n, weight);
    auto const found =
        SumInLanes<double>(rule_.Top(n), [&](std::int64_t place) { return static_cast<double>(At(place).positive); });
    return rule_.PreScore(found, n, weight);
  }

 private:
  RankedRow& At(std::int64_t place) { return rows_[place]; }

  double DiscountedGain(std::int64_t n) {
    return SumInLanes<double>(rule_.Top(n),
                              [&](std::int64_t place) { return rule_.Gain(At(place).positive) * discounts_[place]; });
  }

  WeightedSum Ndcg(std::int64_t n, double weight) {
    auto const dcg = DiscountedGain(n);
    for (auto& row : rows_) row.key = DescendingFloatKey(row.positive);
    SortRankedRows(ctx_, &rows_);
    return rule_.NdcgScore(dcg, DiscountedGain(n), weight);
  }

  WeightedSum Map(std::int64_t n, double weight) {
    std::int64_t n_relevant = 0;
    auto const precisions = SumInLanes<double>(rule_.Top(n), [&](std::int64_t place) {
      n_relevant += At(place).positive > 0.0F ? 1 : 0;
      return MapValue(At(place).positive, n_relevant, place);
    });
    for (auto place = rule_.Top(n); place < n; ++place) n_relevant += At(place).positive > 0.0F ? 1 : 0;
    return rule_.MapScore(precisions, n_relevant, weight);
  }

  Context const& ctx_;
  RankRule const& rule_;
  std::vector<double> const& discounts_;
  std::vector<RankedRow> rows_;
};

/// Returns RankDiscount of every place that some group has and the rule counts.
std::vector<double> Discounts(Context const& ctx, RankRule const& rule, QueryGroups const& groups,
                              std::int64_t n_groups) {
  std::int64_t n_places = 0;
  if (rule.kind == Kind::kNdcg) {
    for (std::int64_t group = 0; group < n_groups; ++group) {
      n_places = std::max(n_places, rule.Top(groups.Size(group)));
    }
  }
  return RankDiscounts(ctx, n_places);
}

/// Parses the argument, which is a number of rows, '-', or both.
std::unique_ptr<Metric> MakeRankMetric(std::string const& name, std::string const& argument, RankRule rule) {
  auto const* end = argument.data() + argument.size();
  auto const* cursor = argument.data();
  std::string canonical;
  if (cursor != end && *cursor != '-') {
    auto const parsed = std::from_chars(cursor, end, rule.top);
    if (parsed.ec != std::errc() || rule.top < 1) {
      Fail(ErrorKind::kParameter, "metric ", name, "@", argument, ": '", argument,
           "' is not a number of rows of at least 1; expected it as in ", name, "@10");
    }
    canonical = std::to_string(rule.top);
    cursor = parsed.ptr;
  }
  if (cursor != end && *cursor == '-') {
    rule.without_relevant = 0.0;
    canonical += '-';
    ++cursor;
  }
  if (cursor != end) {
    Fail(ErrorKind::kParameter, "metric ", name, "@", argument, ": '", std::string(cursor, end),
         "' is one too many; expected a number of rows, a '-', or both as in ", name, "@10-");
  }
  return std::make_unique<RankMetric>(name, canonical, rule);
}

/// suffix: '-' if it is part of the registered name.
MetricFactory MakeFactory(std::string const& name, Kind kind, std::string const& suffix) {
  return [=](std::string const& argument, ParamMap const& params) {
    RankRule rule;
    rule.kind = kind;
    rule.exponential = ParseParameters<RankMetricParam>(params).ndcg_exp_gain;
    return MakeRankMetric(name, argument + suffix, rule);
  };
}

}  // namespace

std::string RankMetric::Name() const { return name_ + (argument_.empty() || argument_ == "-" ? "" : "@") + argument_; }

void RankMetric::Validate(MetaInfo const& info, std::int64_t n_outputs) const {
  QueryGroups(info).Validate(Name(), n_outputs);
  for (std::size_t row = 0; row < info.labels.size(); ++row) {
    auto const label = info.labels[row];
    if (rule_.Takes(label)) continue;
    auto const* needed = rule_.kind != Kind::kNdcg
                             ? "not 0 or 1; map takes binary labels, ndcg several degrees"
                             : "not a whole number from 0 to 31; set ndcg_exp_gain=0 for gains that are the labels";
    Fail(ErrorKind::kData, Name(), ": label ", label, " of row ", GlobalRow(info, static_cast<std::int64_t>(row)),
         " is ", needed);
  }
}

MetricFormula RankMetric::Formula() const { return {rule_}; }

double RankMetric::Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const {
  auto const grouped = HaveQueryGroups(ctx, info);
  if (!grouped && IsDistributed(ctx)) {
    auto const all = GatherLabels(ctx, info, predictions);
    return Evaluate(Alone(ctx), all.values, all.info);
  }
  Validate(info, OutputsPerRow(Name(), predictions, info));
  QueryGroups const groups(info);
  QueryOrder const order(ctx, info);
  auto const n_groups = grouped ? order.NumMine() : groups.Count();
  auto const discounts = Discounts(ctx, rule_, groups, n_groups);
  std::vector<WeightedSum> scores(n_groups);
  Context within = ctx;
  if (n_groups > 1) within.threads = 1;
  ParallelForBlocks(ctx, n_groups, kGroupBlock, [&](std::int64_t first, std::int64_t last, std::int64_t) {
    GroupScorer scorer(within, rule_, discounts);
    for (auto group = first; group < last; ++group) {
      auto const begin = groups.Begin(group);
      scores[group] = scorer.Score(predictions.data() + begin, info.labels.data() + begin, groups.Size(group),
                                   groups.Weight(group));
    }
  });
  return RankMean(SumGroupScores(ctx, order, scores));
}

void RegisterRankMetrics(Registry<MetricFactory>* registry) {
  // Parameters are listed once, with ndcg.
  auto const add = [&](std::string const& name, Kind kind, std::string const& description, std::string const& dashed) {
    auto const parameters = kind == Kind::kNdcg ? DescribeParameters<RankMetricParam> : nullptr;
    registry->Add({name, description, MakeFactory(name, kind, ""), parameters});
    registry->Add({name + "-", dashed, MakeFactory(name, kind, "-")});
  };
  std::string const zero = "; a query group without a relevant row scores 0 instead of 1.";
  add("ndcg", Kind::kNdcg,
      "Discounted gain of the first 32 rows of a query group, or n as ndcg@n, over the best order's.",
      "As ndcg, or ndcg@n-" + zero);
  add("map", Kind::kMap, "Average precision of the first 32 rows of a query group, or n as map@n.",
      "As map, or map@n-" + zero);
  add("pre", Kind::kPre, "Share of relevant rows among the first 32 of a query group, or n as pre@n.",
      "The same as pre.");
}

}  // namespace kauri
