#include <algorithm>
#include <memory>

#include "common/loss/label_elements.h"
#include "kauri/error.h"
#include "kauri/metric.h"
#include "metric/formula.h"
#include "metric/inputs.h"
#include "metric/loss_kernels.h"
#include "metric/metric_table.h"
#include "metric/row_losses.h"

namespace kauri {
namespace {

/// Returns the value that a loss reads from a row's probabilities, [n_classes].
float Pick(ClassError, float const* row, std::int64_t n_classes, std::int64_t) {
  return static_cast<float>(std::max_element(row, row + n_classes) - row);  // the first of equal probabilities
}
float Pick(ClassLogLoss, float const* row, std::int64_t, std::int64_t label) { return row[label]; }

/// Weighted mean of a loss over the rows.
template <typename Loss>
class ClassMetric : public Metric {
 public:
  explicit ClassMetric(std::string name) : name_(std::move(name)) {}

  std::string Name() const override { return name_; }

  void Validate(MetaInfo const& info, std::int64_t n_classes) const override {
    CheckInputs(name_, info);
    if (info.n_rows > 0 && n_classes < 2) {
      Fail(ErrorKind::kData, Name(),
           ": one prediction per row; it needs the probabilities of two classes or more, as of ",
           "multi:softprob. For two classes use error or logloss");
    }
    CheckClassLabels(name_, info, n_classes);
  }
  double Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const override {
    auto const n_classes = OutputsPerRow(name_, predictions, info);
    Validate(info, n_classes);
    auto const sum_of = [&](std::int64_t begin, std::int64_t end) {
      return BlockSum(predictions.data(), n_classes, info, begin, end);
    };
    auto const loss_of = [&](std::int64_t row) {
      auto const label = info.labels[row];
      auto const picked =
          Pick(Loss{}, predictions.data() + row * n_classes, n_classes, static_cast<std::int64_t>(label));
      return WeightedLoss{Loss{}(picked, label) * info.Weight(row), info.Weight(row)};
    };
    return SumLossesOfRows(ctx, info, 1, sum_of, loss_of).Mean();
  }
  MetricFormula Formula() const override { return {Loss{}}; }

 private:
  static WeightedSum BlockSum(float const* predictions, std::int64_t n_classes, MetaInfo const& info,
                              std::int64_t begin, std::int64_t end) {
    ElementBuffer buffer;
    ElementBuffer picked;
    auto const* labels = info.labels.data() + begin;
    for (auto row = begin; row < end; ++row) {
      auto const label = static_cast<std::int64_t>(labels[row - begin]);
      picked[row - begin] = Pick(Loss{}, predictions + row * n_classes, n_classes, label);
    }
    return SumLosses(Loss{}, {picked.data(), labels, ElementWeights(info, begin, end, &buffer), end - begin});
  }

  std::string name_;
};

template <typename Loss>
MetricFactory MakeClassFactory(char const* name) {
  return [name](std::string const&, ParamMap const&) { return std::make_unique<ClassMetric<Loss>>(name); };
}

}  // namespace

void RegisterClassMetrics(Registry<MetricFactory>* registry) {
  registry->Add(
      {"merror", "Share of rows whose likeliest class is not theirs.", MakeClassFactory<ClassError>("merror")});
  registry->Add(
      {"mlogloss", "Mean negative log-likelihood of several classes.", MakeClassFactory<ClassLogLoss>("mlogloss")});
}

}  // namespace kauri
