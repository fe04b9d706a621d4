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

/// Memory for a prediction of the calling thread. A large prediction is in the memory of explanations, so that it can
/// be taken (KauriBoosterTakeExplanation), and its pages are reused.
class PredictionMemory {
 public:
  explicit PredictionMemory(LearnerHandle* booster) : booster_(booster) {}

  /// Returns the provider of the memory, which refers to this object.
  ResultMemory Provider() {
    return [this](std::size_t size) {
      constexpr std::size_t kLarge = std::size_t{1} << 16U;
      auto& floats = booster_->Buffers().floats;
      if (size < kLarge) floats.resize(size);
      values_ = size < kLarge ? Span<float>(floats) : ExplanationMemory(booster_)(size);
      return values_;
    };
  }
  /// Returns `shape` and the prediction in that memory to the caller.
  void Return(std::vector<std::uint64_t> const& shape, PredictionOut const& out) const {
    ReturnShape(shape, values_.data(), &booster_->Buffers(), out);
  }

 private:
  LearnerHandle* booster_;
  Span<float> values_;
};

}  // namespace kauri::c_api
