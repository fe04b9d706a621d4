/// \file Checks of what a metric is given.
#pragma once

#include <cstdint>
#include <string>

#include "kauri/context.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

/// \throws Error(kData) unless there is a label for every row and target.
void CheckLabelCount(std::string const& metric, MetaInfo const& info);
/// As CheckLabelCount; also unless there are no or [n_rows] weights.
void CheckInputs(std::string const& metric, MetaInfo const& info);
/// For means of no weight. Ranks call it together. \throws Error(kData) where there are labels and all are silent.
void RequireKnownLabels(Context const& ctx, std::string const& metric, MetaInfo const& info);
/// Outputs per row; 1 without rows. \throws Error(kData) as CheckLabelCount, and unless all rows have as many.
std::int64_t OutputsPerRow(std::string const& metric, Span<float const> predictions, MetaInfo const& info);
/// \throws Error(kData) unless every label is a whole number in [0, n_classes).
void CheckClassLabels(std::string const& metric, MetaInfo const& info, std::int64_t n_classes);

}  // namespace kauri
