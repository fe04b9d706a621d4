#include "metric/row_losses.h"

#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "common/loss/label_elements.h"
#include "common/sums.h"
#include "kauri/error.h"

namespace kauri {
namespace {

template <typename Loss>
constexpr bool kIsOfEachOutput =
    std::is_same_v<Loss, std::vector<PinballLoss>> || std::is_same_v<Loss, std::vector<ExpectileDifference>>;

template <typename Loss>
constexpr bool kIsOfElements = std::is_invocable_r_v<float, Loss, float, float> &&
                               !std::is_same_v<Loss, ClassLogLoss> && !std::is_same_v<Loss, ClassError>;

template <typename Loss>
constexpr bool kIsOfRows = kIsOfElements<Loss> || kIsOfEachOutput<Loss> || std::is_same_v<Loss, ClassLogLoss>;

/// Returns the loss of a row. labels: [n_targets].
template <typename Loss>
double LossOf(Loss const& loss, float const* predictions, std::int64_t n_outputs, float const* labels) {
  if constexpr (std::is_same_v<Loss, ClassLogLoss>) {
    return static_cast<double>(loss(predictions[static_cast<std::int64_t>(labels[0])], labels[0]));
  } else {
    WeightedSum sum;
    for (std::int64_t output = 0; output < n_outputs; ++output) {
      if constexpr (kIsOfEachOutput<Loss>) {
        sum += {static_cast<double>(loss[ToSize(output)](predictions[output], labels[0])), 1.0};
      } else if (!IsMissingLabel(labels[output])) {
        sum += {static_cast<double>(loss(predictions[output], labels[output])), 1.0};
      }
    }
    return sum.Mean();
  }
}

}  // namespace

RowLoss::RowLoss(Metric const& metric, MetaInfo const& info, std::int64_t n_outputs)
    : formula_(metric.Formula()), info_(info), n_outputs_(n_outputs) {
  auto const is_of_rows =
      std::visit([](auto const& loss) { return kIsOfRows<std::decay_t<decltype(loss)>>; }, formula_.value);
  if (!is_of_rows) {
    Fail(ErrorKind::kParameter, "output=loss needs a metric that is a mean over rows, and ", metric.Name(),
         " is none; use output=value or output=margin.");
  }
  metric.Validate(info, n_outputs);
}

double RowLoss::Of(std::int64_t row, float const* predictions) const {
  return std::visit(
      [&](auto const& loss) {
        if constexpr (kIsOfRows<std::decay_t<decltype(loss)>>) {
          return LossOf(loss, predictions, n_outputs_, info_.labels.data() + row * info_.n_targets);
        } else {
          return 0.0;  // refused by the constructor
        }
      },
      formula_.value);
}

}  // namespace kauri
