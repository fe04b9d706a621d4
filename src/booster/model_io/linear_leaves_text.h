/// \file Linear leaves (kauri/linear_leaves.h) as the attribute kauri_linear_leaves has them. The trees of the file
/// hold the leaves' constants, which is what other readers predict.
///
/// {"base": of each tree a number per linear leaf, "centre", "feature", "slope": of each tree a number per term, leaf
/// by leaf, "node": of each tree its linear leaves, ascending, "size": the terms of each, "trees": of each tree a
/// checksum of its splits and leaves}. Where trees are not those of the checksums, another library has changed the
/// model, and slopes would be added to what they do not belong to: such a file is refused.
#pragma once

#include <string>

#include "booster/model_io/object_reader.h"
#include "kauri/model.h"

namespace kauri::model_io {

std::string LinearLeavesText(Model const& model);

/// \throws Error(kModel) for a text that the library does not write, or of other trees.
void ReadLinearLeaves(ObjectReader const& attribute, Model* model);

}  // namespace kauri::model_io
