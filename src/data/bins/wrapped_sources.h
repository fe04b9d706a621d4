/// \file Batches of another source, renumbered or checked on their way.
///
/// The categories of batches are renumbered to match the names of other data, or the texts of all batches.
///
/// Labels, weights, margins, bounds, queries, names and types must be the same in every pass. data/bins/row_digest.h
/// compares the values of the rows.
#pragma once

#include <memory>

#include "data/batches/row_source.h"
#include "kauri/categories.h"

namespace kauri {

/// Returns `source` with its categories in the numbering of `known`, [n_cols]; names that `known` lacks follow its
/// names. Returns null if `known` is empty. Both arguments must outlive the result. Next \throws Error(kData) for a
/// column named by texts in one and by integers in the other.
std::unique_ptr<RowSource> InCategoriesOf(CategoryNameTable const& known, RowSource* source);

/// Returns `source`, which must outlive the result, with the categories of its text columns numbered by the sorted
/// texts of all batches. The first batch with text costs a further pass over the source; batches without text cost
/// nothing.
std::unique_ptr<RowSource> WithJoinedTexts(RowSource* source);

/// Returns the batches of `source`, which must outlive the result. Passes that do not reach the end are not compared,
/// and the rows may be divided into other batches. The Next that ends a further pass \throws Error(kData), naming the
/// field, if the pass differs from the first. Cost: a pass over the labels and other metadata.
std::unique_ptr<RowSource> SayingTheSame(RowSource* source);

}  // namespace kauri
