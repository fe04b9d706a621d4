/// \file Batches whose labels, weights, margins, bounds, queries, names and types must be the same in every pass.
/// data/bins/row_digest.h compares the values of the rows.
#pragma once

#include <memory>

#include "data/row_source.h"

namespace kauri {

/// Returns the batches of `source`, which must outlive the result. Passes that do not reach the end are not compared,
/// and the rows may be divided into other batches. The Next that ends a further pass \throws Error(kData), naming the
/// field, if the pass differs from the first. Cost: a pass over the labels and other metadata.
std::unique_ptr<RowSource> SayingTheSame(RowSource* source);

}  // namespace kauri
