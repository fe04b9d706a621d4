/// \file Checks of what a metric is given.
#pragma once

#include <cstdint>
#include <string>

#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

/// Outputs per row. \throws Error(kData) unless there are labels and predictions for every row.
std::int64_t CheckPredictions(std::string const& metric, Span<float const> predictions, MetaInfo const& info);
/// As CheckPredictions; also unless there are no or [n_rows] weights.
std::int64_t CheckInputs(std::string const& metric, Span<float const> predictions, MetaInfo const& info);
/// \throws Error(kData) unless every label is a whole number in [0, n_classes).
void CheckClassLabels(std::string const& metric, MetaInfo const& info, std::int64_t n_classes);

}  // namespace kauri
