/// \file What the calls for predictions share: their configuration and where the result goes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "booster/learner.h"
#include "c_api/handles.h"
#include "c_api/json_config.h"

namespace kauri::c_api {

/// Where a prediction goes.
struct PredictionOut {
  bst_ulong const** shape;
  bst_ulong* dim;
  float const** values;
};

/// \throws Error(kParameter) for null.
PredictionOut CheckedOut(bst_ulong const** shape, bst_ulong* dim, float const** values);

/// type, iteration_begin, iteration_end and strict_shape; validate_features, which may be left out.
PredictOptions OptionsOf(JsonConfig const& config);

/// The strings of `key`, which may be left out: what `config` says of the columns of rows in place, [n_cols] or empty.
std::vector<std::string> TextsIfGiven(JsonConfig const& config, char const* key);

/// The matrix or proxy that brings the base margin of rows in place, held; the handle may be null.
class GivenMargin {
 public:
  explicit GivenMargin(DMatrixHandle handle);
  /// Empty without one.
  Span<float const> Values() const;

 private:
  std::optional<DataOrProxyRead> matrix_;
};

/// Shows `shape` and `values`; the former is kept in `buffers`.
void ReturnShape(std::vector<std::uint64_t> const& shape, float const* values, ReturnBuffers* buffers,
                 PredictionOut const& out);

/// Where an explanation of the booster goes: the memory of one that has ended, of the calling thread or of one whose
/// owner has freed it, if it fits. The last one of the thread ends with this.
ResultMemory ExplanationMemory(LearnerHandle* booster);

/// Shows `shape` and the explanation that lies in the memory.
void ReturnExplanation(std::vector<std::uint64_t> const& shape, LearnerHandle* booster, PredictionOut const& out);

}  // namespace kauri::c_api
