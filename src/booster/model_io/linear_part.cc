#include "booster/model_io/linear_part.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "booster/model_io/number_text.h"
#include "kauri/error.h"

namespace kauri::model_io {
namespace {

std::size_t NumWeights(Model const& model) {
  return static_cast<std::size_t>((model.n_features + 1) * model.NumOutputs());
}

/// Returns the numbers as text, each preceded by `before`, with `between` in between.
std::string Joined(float const* numbers, std::size_t count, std::string const& before, std::string const& between) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? before : between + before) + SixDigits(numbers[i]);
  return text;
}

}  // namespace

void ReadLinearPart(ObjectReader const& booster, Model* model) {
  constexpr char const* kKey = "weights";
  auto const part = booster.Child("model");
  auto weights = part.TakeFloats(kKey);
  if (!weights.empty() && weights.size() != NumWeights(*model)) {
    part.FailAt(kKey, "has ", weights.size(), " numbers; expected ", NumWeights(*model),
                ", one per output for each feature and the bias");
  }
  auto const wrong = std::find_if(weights.begin(), weights.end(), [](float weight) { return !std::isfinite(weight); });
  if (wrong != weights.end()) {
    part.FailAt(kKey, "holds ", *wrong, " at index ", wrong - weights.begin(), "; expected finite numbers");
  }
  model->booster = "gblinear";
  auto const is_zero = std::all_of(weights.begin(), weights.end(), [](float weight) { return weight == 0.0F; });
  auto const n_rounds =
      part.Has("boosted_rounds") ? part.IntegerIn("boosted_rounds", 0, std::numeric_limits<std::int32_t>::max()) : 0;
  if (n_rounds == 0 && is_zero) return;                          // not trained
  model->linear.n_rounds = std::max<std::int64_t>(n_rounds, 1);  // XGBoost before 1.6 did not count
  model->linear.weights = std::move(weights);
}

std::vector<float> LinearWeights(Model const& model) {
  return model.IsLinear() ? model.linear.weights : std::vector<float>(NumWeights(model), 0.0F);
}

std::string DumpLinear(Model const& model, std::string const& format) {
  auto const weights = LinearWeights(model);
  auto const n_biases = static_cast<std::size_t>(model.NumOutputs());
  auto const n_weights = weights.size() - n_biases;
  auto const* const biases = weights.data() + n_weights;
  if (format == "text") {
    return "bias:\n" + Joined(biases, n_biases, "", "\n") + "\nweight:\n" +
           Joined(weights.data(), n_weights, "", "\n") + "\n";
  }
  if (format == "json") {
    std::string const indent(6, ' ');
    return "  { \"bias\": [\n" + Joined(biases, n_biases, indent, ",\n") + "\n    ],\n    \"weight\": [\n" +
           Joined(weights.data(), n_weights, indent, ",\n") + "\n    ]\n  }";
  }
  Fail(ErrorKind::kParameter, "a linear booster has no dump in the format '", format, "'; use text or json");
}

}  // namespace kauri::model_io
