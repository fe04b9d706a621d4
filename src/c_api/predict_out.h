/// \file Code shared by the prediction calls: their configuration and the return of results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "booster/learner.h"
#include "c_api/handles.h"
#include "c_api/json_config.h"

namespace kauri::c_api {

/// The caller's pointers for a prediction.
struct PredictionOut {
  bst_ulong const** shape;
  bst_ulong* dim;
  float const** values;
};

/// Checks the pointers. \throws Error(kParameter) for null.
PredictionOut CheckedOut(bst_ulong const** shape, bst_ulong* dim, float const** values);

/// Reads type, iteration_begin, iteration_end, strict_shape and the optional validate_features.
PredictOptions OptionsOf(JsonConfig const& config);

/// Returns the strings of the optional `key` of `config`, which describes the columns of rows in place: [n_cols] or
/// empty.
std::vector<std::string> TextsIfGiven(JsonConfig const& config, char const* key);

/// The matrix or proxy with the base margin of rows in place, held; the handle may be null.
class GivenMargin {
 public:
  explicit GivenMargin(DMatrixHandle handle);
  /// Returns the base margin, empty without one.
  Span<float const> Values() const;

 private:
  std::optional<DataOrProxyRead> matrix_;
};

/// Returns `shape` and `values` to the caller; the shape is kept in `buffers`.
void ReturnShape(std::vector<std::uint64_t> const& shape, float const* values, ReturnBuffers* buffers,
                 PredictionOut const& out);

/// Returns memory for an explanation of the booster. It reuses the memory of the calling thread's previous explanation,
/// which ends with this call, or of one that its owner has freed, if the size fits.
ResultMemory ExplanationMemory(LearnerHandle* booster);

/// Returns `shape` and the explanation in that memory to the caller.
void ReturnExplanation(std::vector<std::uint64_t> const& shape, LearnerHandle* booster, PredictionOut const& out);

/// Runs predict(memory), which returns a shape, with memory of the calling thread's results, and returns the prediction
/// to the caller. A large prediction is in the memory of explanations, so that it can be taken
/// (KauriBoosterTakeExplanation), and its pages are reused.
template <typename Predict>
void ReturnPredictionOf(LearnerHandle* booster, PredictionOut const& out, Predict&& predict) {
  constexpr std::size_t kLarge = std::size_t{1} << 16U;
  auto& buffers = booster->Buffers();
  Span<float> values;
  auto const shape = predict(ResultMemory([&](std::size_t size) {
    if (size < kLarge) buffers.floats.resize(size);
    values = size < kLarge ? Span<float>(buffers.floats) : ExplanationMemory(booster)(size);
    return values;
  }));
  ReturnShape(shape, values.data(), &buffers, out);
}

}  // namespace kauri::c_api
