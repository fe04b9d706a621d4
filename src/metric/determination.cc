/// \file r2, the share of the labels' variance that predictions explain: 1 - sum w (y - p)^2 / sum w (y - mean y)^2.
///
/// Several columns of labels: the mean over the columns of which some label is known. Where all labels are equal it is 1 if the predictions are
/// they, and 0 otherwise, as in scikit-learn. Every one of several ranks gets the predictions, labels and weights of
/// all.
#include <memory>
#include <string>

#include "collective/all_rows.h"
#include "common/block_sum.h"
#include "common/loss/silent_cells.h"
#include "common/weighted_sum.h"
#include "kauri/error.h"
#include "kauri/metric.h"
#include "metric/inputs.h"
#include "metric/metric_table.h"

namespace kauri {
namespace {

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
    RequireKnownLabels(ctx, Name(), info);
    double sum = 0.0;
    double n_columns = 0.0;
    for (std::int64_t column = 0; column < info.n_targets; ++column) {
      if (IsSilentTarget(info, column)) continue;
      sum += OfColumn(ctx, predictions, info, column);
      n_columns += 1.0;
    }
    return sum / n_columns;
  }

 private:
  /// The weighted sum of value(row) over the rows whose label of a column is known.
  template <typename Fn>
  static WeightedSum SumOfRows(Context const& ctx, MetaInfo const& info, std::int64_t column, Fn&& value) {
    return SumBlocks<WeightedSum>(ctx, info.n_rows, kRowBlock, [&](std::int64_t begin, std::int64_t end) {
      WeightedSum block;
      for (auto row = begin; row < end; ++row) {
        if (MayBeSilent(info) && IsSilent(info.labels[row * info.n_targets + column])) continue;
        auto const weight = static_cast<double>(info.Weight(row));
        block += WeightedSum{value(row) * weight, weight};
      }
      return block;
    });
  }
  static double OfColumn(Context const& ctx, Span<float const> predictions, MetaInfo const& info, std::int64_t column) {
    auto const label = [&](std::int64_t row) {
      return static_cast<double>(info.labels[row * info.n_targets + column]);
    };
    auto const mean = SumOfRows(ctx, info, column, label).Mean();
    auto const square = [](double value) { return value * value; };
    auto const total = SumOfRows(ctx, info, column, [&](std::int64_t row) { return square(label(row) - mean); });
    auto const left = SumOfRows(ctx, info, column, [&](std::int64_t row) {
      return square(label(row) - static_cast<double>(predictions[row * info.n_targets + column]));
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
