/// \file auc_mu: the mean over the pairs of classes i, j of the area under the ROC curve that separates the rows of
/// class i from the rows of class j by the difference of their probabilities, p_i - p_j (Kleiman and Page, "AUCmu: a
/// performance metric for multi-class machine learning models", 2019, equation 7, for rows that go to the likeliest
/// class).
///
/// Undefined if a class has no rows. With several ranks, every rank gets the predictions, labels and weights of all.
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "collective/all_rows.h"
#include "kauri/error.h"
#include "kauri/metric.h"
#include "metric/area_under.h"
#include "metric/inputs.h"
#include "metric/metric_table.h"
#include "metric/ranked_rows.h"

namespace kauri {
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
