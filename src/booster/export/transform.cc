#include "booster/export/transform.h"

#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "kauri/error.h"
#include "objective/formula.h"

namespace kauri::model_export {
namespace {

constexpr Transform OfLink(IdentityLink) { return Transform::kIdentity; }
constexpr Transform OfLink(LogitLink) { return Transform::kLogistic; }
constexpr Transform OfLink(HalfLogitLink) { return Transform::kHalfLogistic; }
constexpr Transform OfLink(LogLink) { return Transform::kExponential; }
constexpr Transform OfLink(ClassLink) { return Transform::kClass; }

/// Returns the mapping of each formula. A loss over elements names its link, so a new one needs no line here.
struct TransformOfFormula {
  std::int64_t n_outputs;
  bool picks_class;
  std::string objective;

  template <typename Loss>
  Transform operator()(Loss const&) const {
    return OfLink(typename Loss::Link{});
  }
  Transform operator()(SoftmaxLoss const&) const { return picks_class ? Transform::kLikeliest : Transform::kSoftmax; }
  Transform operator()(std::vector<QuantileLoss> const&) const {
    return n_outputs > 1 ? Transform::kSorted : Transform::kIdentity;
  }
  Transform operator()(std::vector<ExpectileLoss> const&) const {
    return n_outputs > 1 ? Transform::kSoftplusSteps : Transform::kIdentity;
  }
  Transform operator()(AftLoss const&) const { return Transform::kExponential; }
  Transform operator()(CoxLoss const&) const { return Transform::kExponential; }
  Transform operator()(AbsoluteLoss const&) const { return Transform::kIdentity; }
  Transform operator()(LambdaRule const&) const { return Transform::kIdentity; }
  Transform operator()(UnbiasedRule const&) const { return Transform::kIdentity; }
  Transform operator()(std::monostate) const {
    Fail(ErrorKind::kParameter, "the mapping of ", objective,
         " from margins to predictions cannot be exported: it is a plug-in's, or that of a distribution; set "
         "objective=reg:squarederror to export margins.");
  }
};

}  // namespace

Transform TransformOf(Objective const& objective, std::int64_t n_outputs) {
  auto const picks_class = objective.ValueWidth(n_outputs) < n_outputs;
  // Distributions and this objective have no formula for devices; this one's mapping is known.
  if (objective.Name() == "reg:mape") return Transform::kIdentity;
  return std::visit(TransformOfFormula{n_outputs, picks_class, objective.Name()}, objective.Formula().value);
}

}  // namespace kauri::model_export
