/// \file The intercept in all the forms that model files have had.
#pragma once

#include <string>
#include <vector>

#include "booster/model_io/object_reader.h"

namespace kauri::model_io {

/// Reads the member "base_score" of learner_model_param: the text of a number (until 3.0) or of an array (since 3.1),
/// or the number or the array itself. \throws Error(kModel) unless it is one or more finite numbers.
std::vector<float> ReadBaseScore(ObjectReader const& learner_model_param);

/// Returns the array form, such as "[5E-1]", with one number per output. A single number is repeated.
std::string BaseScoreText(std::vector<float> const& base_score, std::size_t n_outputs);

}  // namespace kauri::model_io
