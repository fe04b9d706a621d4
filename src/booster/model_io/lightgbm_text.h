/// \file Models in LightGBM's text format, converted to the document of a model file, which is read and checked like
/// any other.
///
/// The text is a header, then the trees, each from a line "Tree=" to an empty line, then texts that no prediction
/// depends on, and at the end the names of categories as JSON. All fields are lines NAME=VALUE; the values of nodes are
/// separated by blanks. Inner nodes are numbered without leaves, and a child below 0 is the leaf ~child. Bit 0 of
/// decision_type marks a split on categories, bit 1 sends missing values to the left, and bits 2 and 3 define what is
/// missing: nothing (NaN is compared as 0), zeros, or NaN. A node's categories go to its left, all others and NaN to
/// its right.
///
/// LightGBM compares 64-bit numbers, of which a value equal to the threshold goes to the left. Rows are rounded to the
/// nearest 32-bit number here, so a threshold is rounded in the same way and becomes the 32-bit number above that.
#pragma once

#include <string_view>

#include "booster/model_io/document.h"

namespace kauri::model_io {

/// Returns whether the bytes begin as LightGBM's models do, with a line "tree".
bool IsLightGbm(std::string_view bytes);

/// Returns the document of a model that predicts the same as the text's model, up to the rounding of 32-bit sums. Time
/// and memory are proportional to the length of the text, with at most 400 MB for splits on ordered categories. \throws
/// Error(kModel) for a damaged text, and for a model that Kauri cannot represent: linear leaves, zeros that count as
/// missing, an objective whose link function Kauri lacks, and categories whose columns the text does not name.
Value ParseLightGbm(std::string_view bytes);

}  // namespace kauri::model_io
