/// \file Linear leaves (kauri/linear_leaves.h) as the attribute kauri_linear_leaves stores them. The trees of the file
/// hold the leaves' constants, which other readers predict.
///
/// The attribute is an object of arrays, each with one element per tree:
/// - "base": a number per linear leaf
/// - "centre", "feature", "slope": a number per term, leaf by leaf
/// - "node": the tree's linear leaves, ascending
/// - "size": the number of terms of each linear leaf
/// - "trees": a checksum of the tree's splits and leaves
///
/// If a tree does not match its checksum, another library has changed the model, and slopes would be added to the wrong
/// leaves. Such a file is refused.
#pragma once

#include <string>

#include "booster/model_io/object_reader.h"
#include "kauri/model.h"

namespace kauri::model_io {

std::string LinearLeavesText(Model const& model);

/// \throws Error(kModel) for a text that the library does not write, or that belongs to other trees.
void ReadLinearLeaves(ObjectReader const& attribute, Model* model);

}  // namespace kauri::model_io
