/// \file Areas under the ROC and the precision-recall curve.
///
/// Vocabulary. A row of weight w and label y in [0, 1] is y w positive and (1 - y) w negative; tp and fp are the
/// positive and negative weight of the rows predicted above a threshold, P and N those of all rows. Rows with equal
/// predictions are one step of the curve. auc: the trapezoids between the points (fp / N, tp / P). aucpr: between two
/// points tp and fp grow linearly in tp, so precision is tp / (tp + fp(tp)) and its integral over recall has a closed
/// form (Davis and Goadrich, "The relationship between precision-recall and ROC curves", 2006, section 4).
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "common/block_sum.h"
#include "common/log.h"
#include "common/math.h"
#include "common/parallel_for.h"
#include "kauri/error.h"
#include "kauri/metric.h"
#include "metric/entries.h"
#include "metric/inputs.h"
#include "metric/ranked_rows.h"
#include "metric/weighted_sum.h"

namespace kauri {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A point of a curve before scaling.
struct Point {
  double tp = 0.0;
  double fp = 0.0;

  Point& operator+=(Point other) {
    tp += other.tp;
    fp += other.fp;
    return *this;
  }
};

/// Sums of the weights of all rows.
Point Total(Context const& ctx, std::vector<RankedRow> const& rows) {
  return SumBlocks<Point>(ctx, static_cast<std::int64_t>(rows.size()), kRowBlock,
                          [&](std::int64_t begin, std::int64_t end) {
                            Point sum;
                            for (auto i = begin; i < end; ++i) {
                              auto const& row = rows[static_cast<std::size_t>(i)];
                              sum += Point{static_cast<double>(row.positive), static_cast<double>(row.negative)};
                            }
                            return sum;
                          });
}

struct Roc {
  static constexpr char const* kName = "auc";
  static constexpr bool kByPrevalence = true;  ///< several classes: mean weighted by their positives

  static double StepArea(Point from, Point to) { return (to.fp - from.fp) * (from.tp + to.tp) * 0.5; }
  static double Scale(double area, Point total) { return area / (total.tp * total.fp); }
};

struct PrecisionRecall {
  static constexpr char const* kName = "aucpr";
  static constexpr bool kByPrevalence = false;

  static double StepArea(Point from, Point to) {
    auto const gained = to.tp - from.tp;
    if (!(gained > 0.0)) return 0.0;
    auto const slope = (to.fp - from.fp) / gained;
    auto const intercept = from.fp - slope * from.tp;  // fp(tp) = slope tp + intercept
    auto const steepness = 1.0 + slope;
    if (intercept == 0.0) return gained / steepness;
    auto const growth = Log((to.tp + to.fp) / (from.tp + from.fp));
    return (gained - intercept / steepness * growth) / steepness;
  }
  static double Scale(double area, Point total) { return area / total.tp; }
};

/// Area of one class against the rest; NaN when a class is empty or a prediction is NaN. `rows` gets sorted.
template <typename Curve>
double Area(Context const& ctx, std::vector<RankedRow>* rows) {
  auto const total = Total(ctx, *rows);
  if (!(total.tp > 0.0 && total.fp > 0.0)) return kNaN;
  SortRankedRows(ctx, rows);
  if (IsNaNKey(rows->front().key) || IsNaNKey(rows->back().key)) return kNaN;
  double area = 0.0;
  Point from;
  Point to;
  for (std::size_t i = 0; i < rows->size(); ++i) {
    auto const& row = (*rows)[i];
    to += Point{static_cast<double>(row.positive), static_cast<double>(row.negative)};
    if (i + 1 < rows->size() && (*rows)[i + 1].key == row.key) continue;
    area += Curve::StepArea(from, to);
    from = to;
  }
  return Curve::Scale(area, total);
}

/// make(row) for every row.
template <typename Fn>
void FillRows(Context const& ctx, std::vector<RankedRow>* rows, Fn&& make) {
  ParallelForBlocks(ctx, static_cast<std::int64_t>(rows->size()), kRowBlock,
                    [&](std::int64_t begin, std::int64_t end, std::int64_t) {
                      for (auto row = begin; row < end; ++row) (*rows)[static_cast<std::size_t>(row)] = make(row);
                    });
}

template <typename Curve>
class AreaMetric : public Metric {
 public:
  std::string Name() const override { return Curve::kName; }
  bool HigherIsBetter() const override { return true; }

  double Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const override {
    if (!info.group_ptr.empty()) {
      Fail(ErrorKind::kData, Name(), ": rows in ", info.group_ptr.size() - 1,
           " query groups; it ranks all rows together, so remove the groups");
    }
    auto const n_outputs = CheckInputs(Name(), predictions, info);
    auto const area =
        n_outputs == 1 ? TwoClasses(ctx, predictions, info) : SeveralClasses(ctx, predictions, info, n_outputs);
    if (std::isnan(area)) {
      Log(LogLevel::kWarning, Name(),
          " is not defined where a class has no rows or a prediction is nan; its value is nan");
    }
    return area;
  }

 private:
  static double TwoClasses(Context const& ctx, Span<float const> predictions, MetaInfo const& info) {
    for (std::size_t row = 0; row < info.labels.size(); ++row) {
      auto const label = info.labels[row];
      if (label >= 0.0F && label <= 1.0F) continue;
      Fail(ErrorKind::kData, Curve::kName, ": label ", label, " of row ", row,
           " is not in [0, 1]; give 0 and 1 for the ", "two classes");
    }
    std::vector<RankedRow> rows(static_cast<std::size_t>(info.n_rows));
    FillRows(ctx, &rows, [&](std::int64_t row) {
      auto const label = info.labels[static_cast<std::size_t>(row)];
      auto const weight = info.Weight(row);
      return RankedRow{DescendingKey(predictions[static_cast<std::size_t>(row)]), label * weight,
                       (1.0F - label) * weight};
    });
    return Area<Curve>(ctx, &rows);
  }

  /// Mean over the classes of the area of each against the rest.
  static double SeveralClasses(Context const& ctx, Span<float const> predictions, MetaInfo const& info,
                               std::int64_t n_classes) {
    CheckClassLabels(Curve::kName, info, n_classes);
    WeightedSum mean;
    std::vector<RankedRow> rows(static_cast<std::size_t>(info.n_rows));
    for (std::int64_t k = 0; k < n_classes; ++k) {
      FillRows(ctx, &rows, [&](std::int64_t row) {
        auto const weight = info.Weight(row);
        auto const is_class = info.labels[static_cast<std::size_t>(row)] == static_cast<float>(k);
        auto const prediction = predictions[static_cast<std::size_t>(row * n_classes + k)];
        return RankedRow{DescendingKey(prediction), is_class ? weight : 0.0F, is_class ? 0.0F : weight};
      });
      auto const share = Curve::kByPrevalence ? Total(ctx, rows).tp : 1.0;
      mean += WeightedSum{Area<Curve>(ctx, &rows) * share, share};
    }
    return mean.Mean();
  }
};

template <typename Curve>
std::unique_ptr<Metric> Make(std::string const&, ParamMap const&) {
  return std::make_unique<AreaMetric<Curve>>();
}

}  // namespace

void RegisterAreaMetrics(Registry<MetricFactory>* registry) {
  registry->Add({"auc", "Area under the ROC curve.", Make<Roc>});
  registry->Add({"aucpr", "Area under the precision-recall curve.", Make<PrecisionRecall>});
}

}  // namespace kauri
