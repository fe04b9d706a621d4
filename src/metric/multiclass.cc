#include <algorithm>
#include <memory>

#include "common/block_sum.h"
#include "common/element_weights.h"
#include "kauri/error.h"
#include "kauri/metric.h"
#include "metric/element_losses.h"
#include "metric/entries.h"
#include "metric/inputs.h"

namespace kauri {
namespace {

/// Both read the probabilities of one row, [n_classes], and its class.
struct ClassError {
  static constexpr char const* kName = "merror";
  /// What is kept of a row, and the loss it stands for: 0 when the first of the likeliest classes is the label's.
  static float Pick(float const* row, std::int64_t n_classes, std::int64_t label) {
    return std::max_element(row, row + n_classes) - row == label ? 0.0F : 1.0F;
  }
  static float Loss(float picked) { return picked; }
};

struct ClassLogLoss {
  static constexpr char const* kName = "mlogloss";
  static float Pick(float const* row, std::int64_t, std::int64_t label) { return row[label]; }
  static float Loss(float picked) { return -LogFloat(ClampProbability(picked)); }
};

/// Weighted mean over the rows.
template <typename Formula>
class ClassMetric : public Metric {
 public:
  std::string Name() const override { return Formula::kName; }

  double Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const override {
    auto const n_classes = CheckInputs(Name(), predictions, info);
    if (info.n_rows > 0 && n_classes < 2) {
      Fail(ErrorKind::kData, Name(),
           ": one prediction per row; it needs the probabilities of two classes or more, as of ",
           "multi:softprob. For two classes use error or logloss");
    }
    CheckClassLabels(Name(), info, n_classes);
    auto const sum = SumBlocks<WeightedSum>(ctx, info.n_rows, kRowBlock, [&](std::int64_t begin, std::int64_t end) {
      return BlockSum(predictions.data(), n_classes, info, begin, end);
    });
    return sum.Mean();
  }

 private:
  static WeightedSum BlockSum(float const* predictions, std::int64_t n_classes, MetaInfo const& info,
                              std::int64_t begin, std::int64_t end) {
    ElementBuffer buffer;
    ElementBuffer losses;
    auto const* weights = ElementWeights(info, begin, end, &buffer);
    auto const n = static_cast<std::size_t>(end - begin);
    for (std::size_t i = 0; i < n; ++i) {
      auto const row = begin + static_cast<std::int64_t>(i);
      auto const label = static_cast<std::int64_t>(info.labels[static_cast<std::size_t>(row)]);
      losses[i] = Formula::Pick(predictions + row * n_classes, n_classes, label);
    }
    for (std::size_t i = 0; i < n; ++i) losses[i] = Formula::Loss(losses[i]) * weights[i];
    WeightedSum sum;
    for (std::size_t i = 0; i < n; ++i) {
      sum += WeightedSum{static_cast<double>(losses[i]), static_cast<double>(weights[i])};
    }
    return sum;
  }
};

template <typename Formula>
std::unique_ptr<Metric> Make(std::string const&, ParamMap const&) {
  return std::make_unique<ClassMetric<Formula>>();
}

}  // namespace

void RegisterClassMetrics(Registry<MetricFactory>* registry) {
  registry->Add({"merror", "Share of rows whose likeliest class is not theirs.", Make<ClassError>});
  registry->Add({"mlogloss", "Mean negative log-likelihood of several classes.", Make<ClassLogLoss>});
}

}  // namespace kauri
