/// \file r2, the share of the labels' variance that predictions explain: 1 - sum w (y - p)^2 / sum w (y - mean y)^2.
///
/// With several columns of labels, the mean over the columns that have a known label. If all labels are equal, r2 is 1
/// for predictions equal to the labels, and 0 otherwise, as in scikit-learn. With several ranks, every rank gets the
/// predictions, labels and weights of all.
#include <memory>
#include <string>

#include "collective/all_rows.h"
#include "common/loss/label_elements.h"
#include "common/sums.h"
#include "kauri/error.h"
#include "kauri/metric.h"
#include "metric/inputs.h"
#include "metric/metric_table.h"

namespace kauri {
namespace {

/// The labels of one target.
struct LabelColumn {
  MetaInfo const& info;
  std::int64_t target;
  bool has_missing_labels;  ///< whether a label of some column is missing

  std::int64_t Element(std::int64_t row) const { return row * info.n_targets + target; }
  float Label(std::int64_t row) const { return info.labels[Element(row)]; }
};

class Determination : public Metric {
 public:
  std::string Name() const override { return "r2"; }
  bool HigherIsBetter() const override { return true; }

  void Validate(MetaInfo const& info, std::int64_t n_outputs) const override {
    CheckInputs(Name(), info);
    if (info.n_rows == 0 || n_outputs == info.n_targets) return;
    Fail(ErrorKind::kData, Name(), ": ", n_outputs, " predictions per row for ", info.n_targets,
         " label columns; for several classes use merror or mlogloss");
  }
  double Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const override {
    if (IsDistributed(ctx)) {
      auto const all = GatherLabels(ctx, info, predictions);
      return Evaluate(Alone(ctx), all.values, all.info);
    }
    Validate(info, OutputsPerRow(Name(), predictions, info));
    auto const has_missing_labels = HasMissingLabels(ctx, info);
    double sum = 0.0;
    double n_columns = 0.0;
    for (std::int64_t column = 0; column < info.n_targets; ++column) {
      if (IsMissingTarget(info, column)) continue;
      sum += OfColumn(ctx, predictions, {info, column, has_missing_labels});
      n_columns += 1.0;
    }
    if (n_columns == 0.0) RequireKnownLabels(ctx, Name(), info);
    return sum / n_columns;
  }

 private:
  /// Returns the weighted sum of value(row) over the rows with a known label.
  template <typename Fn>
  static WeightedSum SumOfRows(Context const& ctx, LabelColumn const& column, Fn&& value) {
    return SumBlocks<WeightedSum>(ctx, column.info.n_rows, kRowBlock, [&](std::int64_t begin, std::int64_t end) {
      WeightedSum block;
      for (auto row = begin; row < end; ++row) {
        if (column.has_missing_labels && IsMissingLabel(column.Label(row))) continue;
        auto const weight = static_cast<double>(column.info.Weight(row));
        block += WeightedSum{value(row) * weight, weight};
      }
      return block;
    });
  }
  static double OfColumn(Context const& ctx, Span<float const> predictions, LabelColumn const& column) {
    auto const label = [&](std::int64_t row) { return static_cast<double>(column.Label(row)); };
    auto const mean = SumOfRows(ctx, column, label).Mean();
    auto const square = [](double value) { return value * value; };
    auto const total = SumOfRows(ctx, column, [&](std::int64_t row) { return square(label(row) - mean); });
    auto const left = SumOfRows(ctx, column, [&](std::int64_t row) {
      return square(label(row) - static_cast<double>(predictions[column.Element(row)]));
    });
    if (total.loss == 0.0) return left.weight > 0.0 && left.loss == 0.0 ? 1.0 : 0.0;
    return 1.0 - left.loss / total.loss;
  }
};

}  // namespace

void RegisterDetermination(Registry<MetricFactory>* registry) {
  registry->Add({"r2", "Share of the variance of the labels that is explained.",
                 [](std::string const&, ParamMap const&) { return std::make_unique<Determination>(); }});
}

}  // namespace kauri
