/// \file Checks of a metric's inputs.
#pragma once

#include <cstdint>
#include <string>

#include "kauri/context.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

/// \throws Error(kData) unless there is a label for every row and target.
void CheckLabelCount(std::string const& metric, MetaInfo const& info);
/// Checks as CheckLabelCount does, and that there are [n_rows] weights or none.
void CheckInputs(std::string const& metric, MetaInfo const& info);
/// Checks a mean whose weight is 0. Ranks call it together. \throws Error(kData) if there are labels and all are
/// missing.
void RequireKnownLabels(Context const& ctx, std::string const& metric, MetaInfo const& info);
/// Returns the number of outputs per row; 1 without rows. \throws Error(kData) as CheckLabelCount, and unless all rows
/// have the same number.
std::int64_t OutputsPerRow(std::string const& metric, Span<float const> predictions, MetaInfo const& info);
/// \throws Error(kData) unless every label is an integer in [0, n_classes).
void CheckClassLabels(std::string const& metric, MetaInfo const& info, std::int64_t n_classes);

}  // namespace kauri
