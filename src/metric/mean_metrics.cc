#include <cmath>
#include <memory>
#include <string>
#include <type_traits>

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

// A block of cells with missing labels, prepared for loops that do not check for them.

/// A copy of a block in which cells with missing labels (`IsMissingLabel`) have weight 0, and a prediction and label
/// that every loss of element_losses.h accepts, so that they add 0.
class KnownCells {
 public:
  explicit KnownCells(LossBlock const& cells) : n_(cells.n) {
    for (std::int64_t i = 0; i < n_; ++i) {
      auto const is_missing_label = IsMissingLabel(cells.labels[i]);
      predictions_[i] = is_missing_label ? 0.5F : cells.predictions[i];
      labels_[i] = is_missing_label ? 1.0F : cells.labels[i];
      weights_[i] = is_missing_label ? 0.0F : cells.weights[i];
    }
  }
  /// Returns the block, which must not outlive this object.
  LossBlock Block() const { return {predictions_.data(), labels_.data(), weights_.data(), n_}; }

 private:
  ElementBuffer predictions_;
  ElementBuffer labels_;
  ElementBuffer weights_;
  std::int64_t n_;
};

// Means over elements: one prediction and one label each.

/// The weighted mean of loss(prediction, label) over rows and targets with known labels, or its root.
template <typename Loss>
class ElementMetric : public Metric {
 public:
  explicit ElementMetric(Loss const& loss) : loss_(loss) {}

  std::string Name() const override { return Loss::kName + loss_.Suffix(); }
  std::string Argument() const override { return loss_.Number(); }

  void Validate(MetaInfo const& info, std::int64_t n_outputs) const override {
    CheckInputs(Name(), info);
    if (info.n_rows > 0 && n_outputs != info.n_targets) {
      Fail(ErrorKind::kData, Name(), ": ", n_outputs, " predictions per row for ", info.n_targets,
           " label columns; for several classes use merror or mlogloss");
    }
  }
  double Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const override {
    Validate(info, OutputsPerRow(Name(), predictions, info));
    auto const sum_of = [&](std::int64_t begin, std::int64_t end) {
      return BlockSum(predictions.data() + begin, info, begin, end);
    };
    auto const loss_of = [&](std::int64_t element) {
      if (MayMissLabels(info) && IsMissingLabel(info.labels[element])) return WeightedLoss{0.0F, 0.0F};
      auto const weight = info.Weight(element / info.n_targets);
      return WeightedLoss{loss_(predictions[element], info.labels[element]) * weight, weight};
    };
    auto const sum = SumLossesOfRows(ctx, info, info.n_targets, sum_of, loss_of);
    if (sum.weight == 0.0) RequireKnownLabels(ctx, Name(), info);
    return Loss::kTakesRoot ? std::sqrt(sum.Mean()) : sum.Mean();
  }
  MetricFormula Formula() const override { return {loss_}; }

 private:
  WeightedSum BlockSum(float const* predictions, MetaInfo const& info, std::int64_t begin, std::int64_t end) const {
    ElementBuffer buffer;
    auto const* weights = ElementWeights(info, begin, end, &buffer);
    LossBlock const block{predictions, info.labels.data() + begin, weights, end - begin};
    if (MayMissLabels(info) && HasMissingLabels(block.labels, block.n))
      return SumLosses(loss_, KnownCells(block).Block());
    return SumLosses(loss_, block);
  }

  Loss loss_;
};

/// Constructs a loss from the text after '@', from parameters, or from nothing, whichever it accepts.
template <typename Loss>
Loss MakeLoss([[maybe_unused]] std::string const& argument, [[maybe_unused]] ParamMap const& params) {
  if constexpr (std::is_constructible_v<Loss, std::string const&>) {
    return Loss(argument);
  } else if constexpr (std::is_void_v<typename Loss::Param>) {
    return Loss();
  } else {
    return Loss(ParseParameters<typename Loss::Param>(params));
  }
}

template <typename Loss>
void RegisterElement(Registry<MetricFactory>* registry) {
  Registry<MetricFactory>::Entry entry{Loss::kName, Loss::kDescription,
                                       [](std::string const& argument, ParamMap const& params) {
                                         return std::make_unique<ElementMetric<Loss>>(MakeLoss<Loss>(argument, params));
                                       }};
  if constexpr (!std::is_void_v<typename Loss::Param>) entry.parameters = DescribeParameters<typename Loss::Param>;
  registry->Add(entry);
}

}  // namespace

MetricFormula Metric::Formula() const { return {}; }

void RegisterMetrics(Registry<MetricFactory>* registry) {
#define KAURI_ADD_ELEMENT(Loss) RegisterElement<Loss>(registry);
#define KAURI_ADD_OTHER(Name) Register##Name(registry);
  KAURI_METRICS(KAURI_ADD_ELEMENT, KAURI_ADD_OTHER)
#undef KAURI_ADD_ELEMENT
#undef KAURI_ADD_OTHER
}

}  // namespace kauri
