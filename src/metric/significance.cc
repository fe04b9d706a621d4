/// \file ams@k: the approximate median significance of the selected rows, which have the highest predictions
/// (Adam-Bourdarios et al., "Learning to discover: the Higgs boson machine learning challenge", 2014, equation 7).
///
/// s and b are the weights of the selected rows with labels above 0.5, and of the other selected rows:
/// sqrt(2 ((s + b + 10) ln(1 + s / (b + 10)) - s)). The share k of all rows is selected, equal predictions in the order
/// of the rows. ams@0 and ams@1 select the number of rows with the largest value, keeping equal predictions together
/// and leaving out the last row. All of this is as in XGBoost. With several ranks, every rank gets the predictions,
/// labels and weights of all rows.
/// out: all as in XGBoost. Every one of several ranks gets the predictions, labels and weights of all rows.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "collective/all_rows.h"
#include "common/math.h"
#include "kauri/error.h"
#include "kauri/metric.h"
#include "metric/area_under.h"
#include "metric/inputs.h"
#include "metric/metric_table.h"
#include "metric/ranked_rows.h"

namespace kauri {
namespace {

/// Weights of the selected rows.
struct Selected {
  double signal = 0.0;
  double background = 0.0;

  void Add(RankedRow const& row) {
    signal += static_cast<double>(row.positive);
    background += static_cast<double>(row.negative);
  }
  double Significance() const {
    auto const noise = background + kRegularisation;
    return std::sqrt(2.0 * ((signal + noise) * Log(1.0 + signal / noise) - signal));
  }

 private:
  static constexpr double kRegularisation = 10.0;  ///< from the paper; it dampens the effect of few selected rows
};

class MedianSignificance : public Metric {
 public:
  /// argument: a share in [0, 1]. \throws Error(kParameter) for any other text.
  explicit MedianSignificance(std::string const& argument) : share_(0.0F) {
    if (ParseNumber(argument, &share_) && share_ >= 0.0F && share_ <= 1.0F) return;
    Fail(ErrorKind::kParameter, "metric ams@", argument, ": '", argument,
         "' is not a share of the rows in [0, 1]; expected one as in ams@0.15");
  }
  std::string Name() const override { return "ams@" + SixDigits(share_); }
  std::string Argument() const override { return Digits(share_); }
  bool HigherIsBetter() const override { return true; }

  void Validate(MetaInfo const& info, std::int64_t n_outputs) const override {
    CheckInputs(Name(), info);
    if (info.n_rows == 0 || (n_outputs == 1 && info.n_targets == 1)) return;
    Fail(ErrorKind::kData, Name(), ": ", n_outputs, " predictions per row and ", info.n_targets,
         " label columns; it needs one of each");
  }
  double Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const override {
    if (IsDistributed(ctx)) {
      auto const all = GatherLabels(ctx, info, predictions);
      return Evaluate(Alone(ctx), all.values, all.info);
    }
    Validate(info, OutputsPerRow(Name(), predictions, info));
    std::vector<RankedRow> rows(info.labels.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      auto const weight = info.Weight(static_cast<std::int64_t>(row));
      auto const is_signal = info.labels[row] > 0.5F;
      rows[row] = {DescendingFloatKey(predictions[row]), is_signal ? weight : 0.0F, is_signal ? 0.0F : weight};
    }
    SortRankedRows(ctx, &rows);
    if (HasNaN(rows)) return std::numeric_limits<double>::quiet_NaN();
    auto const n_top = static_cast<std::size_t>(share_ * static_cast<float>(rows.size()));
    return n_top == 0 || n_top >= rows.size() ? Largest(rows) : OfTop(rows, n_top);
  }

 private:
  static double OfTop(std::vector<RankedRow> const& rows, std::size_t n_top) {
    Selected top;
    for (std::size_t place = 0; place < n_top; ++place) top.Add(rows[place]);
    return top.Significance();
  }
  static double Largest(std::vector<RankedRow> const& rows) {
    double largest = 0.0;
    Selected top;
    for (std::size_t place = 0; place + 1 < rows.size(); ++place) {
      top.Add(rows[place]);
      if (rows[place].key != rows[place + 1].key) largest = std::max(largest, top.Significance());
    }
    return largest;
  }

  float share_;
};

}  // namespace

void RegisterMedianSignificance(Registry<MetricFactory>* registry) {
  registry->Add(
      {"ams", "Approximate median significance of the share k of rows with the highest predictions, as ams@k.",
       [](std::string const& argument, ParamMap const&) { return std::make_unique<MedianSignificance>(argument); }});
}

}  // namespace kauri
