/// \file Batches that say the same of their rows and columns in every pass: labels, weights, margins, bounds, queries,
/// names and types. Whether the values of the rows are the same is for data/bins/row_digest.h to tell.
#pragma once

#include <memory>

#include "data/row_source.h"

namespace kauri {

/// The batches of `source`, which must outlive the result. Passes that do not reach the end are not compared, and rows
/// may come in other batches. The Next that ends a further pass \throws Error(kData), naming the field, for a pass that
/// said something else than the first. Cost: a pass over the labels and their kin.
std::unique_ptr<RowSource> SayingTheSame(RowSource* source);

}  // namespace kauri
