/// \file Areas under the ROC and the precision-recall curve.
///
/// Vocabulary. A row of weight w and label y in [0, 1] is y w positive and (1 - y) w negative. tp and fp are the
/// positive and negative weight of the rows predicted above a threshold; P and N are the weights of all rows. Rows with
/// equal predictions form one step of the curve. auc: the trapezoids between the points (fp / N, tp / P). aucpr:
/// between two points fp grows linearly in tp, so precision is tp / (tp + fp(tp)) and its integral over recall has a
/// closed form (Davis and Goadrich, "The relationship between precision-recall and ROC curves", 2006, section 4).
///
/// Several columns of labels are several pairs of classes: both metrics are the mean over the columns that have a known
/// label, and are undefined if one of these has a single class.
///
/// With query groups both metrics are the mean over the groups in which they are defined. Group weights are ignored
/// unless they are 0, as in XGBoost. auc is then the share of pairs of rows that the predictions order like the labels.
///
/// Several ranks: each scores its groups. Without groups every rank gets the predictions, labels and weights of all
/// rows, 4 bytes each, and computes the same value as a single process.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "collective/all_rows.h"
#include "collective/row_ranges.h"
#include "common/loss/label_elements.h"
#include "common/sums.h"
#include "common/threads/parallel_for.h"
#include "kauri/error.h"
#include "kauri/metric.h"
#include "metric/area_under.h"
#include "metric/formula.h"
#include "metric/inputs.h"
#include "metric/metric_table.h"
#include "metric/ranked_rows.h"

namespace kauri {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kGroupBlock = 16;

/// \throws Error(kData) unless every label is a share of the positive class.
void CheckShares(std::string const& metric, MetaInfo const& info) {
  for (std::size_t row = 0; row < info.labels.size(); ++row) {
    auto const label = info.labels[row];
    if ((label >= 0.0F && label <= 1.0F) || (MayMissLabels(info) && IsMissingLabel(label))) continue;
    Fail(ErrorKind::kData, metric, ": label ", label, " of row ", GlobalRow(info, static_cast<std::int64_t>(row)),
         " is not in [0, 1]; give 0 and 1 for the two classes");
  }
}

/// Sets the rows to make(row) and sorts them.
template <typename Fn>
void FillRanked(Context const& ctx, std::vector<RankedRow>* rows, Fn&& make) {
  ParallelForBlocks(ctx, static_cast<std::int64_t>(rows->size()), kRowBlock,
                    [&](std::int64_t begin, std::int64_t end, std::int64_t) {
                      for (auto row = begin; row < end; ++row) (*rows)[row] = make(row);
                    });
  SortRankedRows(ctx, rows);
}

RankedRow Share(float prediction, float label, float weight) {
  return {DescendingFloatKey(prediction), label * weight, (1.0F - label) * weight};
}

/// Returns the rows with a known label in a column.
std::vector<std::int64_t> KnownRows(MetaInfo const& info, std::int64_t column) {
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < info.n_rows; ++row) {
    if (!IsMissingLabel(info.labels[row * info.n_targets + column])) rows.push_back(row);
  }
  return rows;
}

/// Returns the mean over the columns of labels, each of which separates two classes.
template <typename Curve>
double TwoClasses(Context const& ctx, Span<float const> predictions, MetaInfo const& info) {
  auto const has_missing_labels = HasMissingLabels(ctx, info);
  std::vector<RankedRow> rows;
  double sum = 0.0;
  double n_columns = 0.0;
  for (std::int64_t column = 0; column < info.n_targets; ++column) {
    if (IsMissingTarget(info, column)) continue;
    auto const share = [&](std::int64_t row) {
      auto const i = row * info.n_targets + column;
      return Share(predictions[i], info.labels[i], info.Weight(row));
    };
    if (has_missing_labels) {
      auto const known = KnownRows(info, column);
      rows.resize(known.size());
      FillRanked(ctx, &rows, [&](std::int64_t i) { return share(known[i]); });
    } else {
      rows.resize(ToSize(info.n_rows));
      FillRanked(ctx, &rows, share);
    }
    sum += Area<Curve>(ctx, rows, UnitsOfWeights(info));
    n_columns += 1.0;
  }
  if (n_columns == 0.0) RequireKnownLabels(ctx, Curve::kName, info);
  return sum / n_columns;
}

/// Returns the mean over the classes of the area of each class against the rest.
template <typename Curve>
double SeveralClasses(Context const& ctx, Span<float const> predictions, MetaInfo const& info, std::int64_t n_classes) {
  WeightedSum mean;
  auto const units = UnitsOfWeights(info);
  std::vector<RankedRow> rows(info.n_rows);
  for (std::int64_t k = 0; k < n_classes; ++k) {
    FillRanked(ctx, &rows, [&](std::int64_t row) {
      auto const is_class = info.labels[row] == static_cast<float>(k);
      return Share(predictions[row * n_classes + k], is_class ? 1.0F : 0.0F, info.Weight(row));
    });
    mean += ClassShare<Curve>(Area<Curve>(ctx, rows, units), TotalWeight(ctx, rows, units));
  }
  return mean.Mean();
}

/// One query group.
struct Group {
  float const* predictions;  ///< [n]
  float const* labels;       ///< [n]
  std::int64_t n;
  float weight;
};

/// Returns a group's term in the mean over groups: the area with weight 1, or nothing if it is undefined.
WeightedSum GroupScore(Roc, Context const& ctx, Group const& group, double) {
  if (group.n < kMinRocGroup) return {};
  if (group.weight == 0.0F) return {0.0, 1.0};
  if (std::any_of(group.predictions, group.predictions + group.n, [](float value) { return std::isnan(value); })) {
    return {kNaN, 1.0};
  }
  return {RocOfPairs(TwiceWins(ctx, group.predictions, group.labels, group.n), group.n), 1.0};
}

WeightedSum GroupScore(PrecisionRecall, Context const& ctx, Group const& group, double units) {
  if (group.weight == 0.0F) return {};
  std::vector<RankedRow> rows(group.n);
  FillRanked(ctx, &rows, [&](std::int64_t row) { return Share(group.predictions[row], group.labels[row], 1.0F); });
  if (HasNaN(rows)) return {kNaN, 1.0};
  auto const area = AreaUnder<PrecisionRecall>(ctx, rows, units);
  return std::isnan(area) ? WeightedSum{} : WeightedSum{area, 1.0};
}

template <typename Curve>
double Grouped(Context const& ctx, Span<float const> predictions, MetaInfo const& info) {
  QueryGroups const groups(info);
  QueryOrder const order(ctx, info);
  auto const n_groups = order.NumMine();
  auto const units = UnitsPerWeight(1.0F, order.NumRows());
  std::vector<WeightedSum> scores(n_groups);
  Context within = ctx;
  if (n_groups > 1) within.threads = 1;
  ParallelForBlocks(ctx, n_groups, kGroupBlock, [&](std::int64_t first, std::int64_t last, std::int64_t) {
    for (auto index = first; index < last; ++index) {
      auto const begin = groups.Begin(index);
      Group const group{predictions.data() + begin, info.labels.data() + begin, groups.Size(index),
                        groups.Weight(index)};
      scores[index] = GroupScore(Curve{}, within, group, units);
    }
  });
  return MeanOfDefined(SumGroupScores(ctx, order, scores));
}

/// Returns whether the outputs are classes, instead of one output for each column of labels.
bool IsOfClasses(MetaInfo const& info, std::int64_t n_outputs) { return n_outputs > 1 && n_outputs != info.n_targets; }

template <typename Curve>
class AreaMetric : public Metric {
 public:
  std::string Name() const override { return Curve::kName; }
  bool HigherIsBetter() const override { return true; }

  void Validate(MetaInfo const& info, std::int64_t n_outputs) const override {
    if (!info.group_ptr.empty()) {
      QueryGroups(info).Validate(Name(), n_outputs);
      if (!Curve::kTakesDegrees) CheckShares(Name(), info);
      return;
    }
    CheckInputs(Name(), info);
    if (IsOfClasses(info, n_outputs)) {
      CheckClassLabels(Name(), info, n_outputs);
    } else if (info.n_rows > 0 && n_outputs != info.n_targets) {
      Fail(ErrorKind::kData, Name(), ": ", n_outputs, " predictions per row for ", info.n_targets,
           " label columns; it needs a prediction for each column");
    } else {
      CheckShares(Name(), info);
    }
  }
  double Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const override {
    auto const grouped = HaveQueryGroups(ctx, info);
    if (!grouped && IsDistributed(ctx)) {
      auto const all = GatherLabels(ctx, info, predictions);
      return Evaluate(Alone(ctx), all.values, all.info);
    }
    auto const n_outputs = OutputsPerRow(Name(), predictions, info);
    Validate(info, n_outputs);
    auto const area = grouped ? Grouped<Curve>(ctx, predictions, info) : AreaOf(ctx, predictions, info, n_outputs);
    WarnIfUndefined(Name(), area);
    return area;
  }
  MetricFormula Formula() const override { return {Curve{}}; }

 private:
  static double AreaOf(Context const& ctx, Span<float const> predictions, MetaInfo const& info,
                       std::int64_t n_outputs) {
    if (IsOfClasses(info, n_outputs)) return SeveralClasses<Curve>(ctx, predictions, info, n_outputs);
    return TwoClasses<Curve>(ctx, predictions, info);
  }
};

template <typename Curve>
std::unique_ptr<Metric> Make(std::string const&, ParamMap const&) {
  return std::make_unique<AreaMetric<Curve>>();
}

}  // namespace

void RegisterAreaMetrics(Registry<MetricFactory>* registry) {
  registry->Add({"auc", "Area under the ROC curve; the mean over query groups if there are any.", Make<Roc>});
  registry->Add({"aucpr", "Area under the precision-recall curve; the mean over query groups if there are any.",
                 Make<PrecisionRecall>});
}

// auc_mu: the mean over the pairs of classes i, j of the area under the ROC curve that separates the rows of
// class i from the rows of class j by the difference of their probabilities, p_i - p_j (Kleiman and Page, "AUCmu: a
// performance metric for multi-class machine learning models", 2019, equation 7, for rows that go to the likeliest
// class).
//
// Undefined if a class has no rows. With several ranks, every rank gets the predictions, labels and weights of all.

namespace {

/// The rows of one evaluation, grouped by class.
class ClassRows {
 public:
  ClassRows(Span<float const> predictions, MetaInfo const& info, std::int64_t n_classes)
      : predictions_(predictions), info_(info), n_classes_(n_classes), rows_(ToSize(n_classes)) {
    for (std::int64_t row = 0; row < info.n_rows; ++row)
      rows_[static_cast<std::size_t>(info.labels[row])].push_back(row);
  }

  /// Returns the area of the rows of class `left` against the rows of class `right`.
  double PairArea(Context const& ctx, std::int64_t left, std::int64_t right, double units) const {
    std::vector<RankedRow> ranked;
    ranked.reserve(rows_[left].size() + rows_[right].size());
    auto const key = [&](std::int64_t row) {
      auto const* of_row = predictions_.data() + row * n_classes_;
      return DescendingFloatKey(of_row[left] - of_row[right]);
    };
    for (auto const row : rows_[left]) ranked.push_back({key(row), info_.Weight(row), 0.0F});
    for (auto const row : rows_[right]) ranked.push_back({key(row), 0.0F, info_.Weight(row)});
    SortRankedRows(ctx, &ranked);
    return Area<Roc>(ctx, ranked, units);
  }

 private:
  Span<float const> predictions_;  ///< [n_rows, n_classes]
  MetaInfo const& info_;
  std::int64_t n_classes_;
  std::vector<std::vector<std::int64_t>> rows_;  ///< [n_classes], each ascending
};

class AucMu : public Metric {
 public:
  std::string Name() const override { return "auc_mu"; }
  bool HigherIsBetter() const override { return true; }

  void Validate(MetaInfo const& info, std::int64_t n_classes) const override {
    CheckInputs(Name(), info);
    if (info.n_rows > 0 && n_classes < 2) {
      Fail(ErrorKind::kData, Name(),
           ": one prediction per row; it needs the probabilities of two classes or more, as of ",
           "multi:softprob. For two classes use auc");
    }
    CheckClassLabels(Name(), info, n_classes);
  }
  double Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const override {
    if (IsDistributed(ctx)) {
      auto const all = GatherLabels(ctx, info, predictions);
      return Evaluate(Alone(ctx), all.values, all.info);
    }
    auto const n_classes = OutputsPerRow(Name(), predictions, info);
    Validate(info, n_classes);
    ClassRows const rows(predictions, info, n_classes);
    auto const units = UnitsOfWeights(info);
    double sum = 0.0;
    for (std::int64_t left = 0; left < n_classes; ++left) {
      for (auto right = left + 1; right < n_classes; ++right) sum += rows.PairArea(ctx, left, right, units);
    }
    auto const n_pairs = n_classes * (n_classes - 1) / 2;
    auto const mean = n_pairs > 0 ? sum / static_cast<double>(n_pairs) : std::numeric_limits<double>::quiet_NaN();
    WarnIfUndefined(Name(), mean);
    return mean;
  }
};

}  // namespace

void RegisterAucMu(Registry<MetricFactory>* registry) {
  registry->Add({"auc_mu", "Mean over the pairs of classes of the area under the ROC curve between the two.",
                 [](std::string const&, ParamMap const&) { return std::make_unique<AucMu>(); }});
}

}  // namespace kauri
