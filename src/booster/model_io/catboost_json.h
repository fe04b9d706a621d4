/// \file Models in CatBoost's JSON format, converted to the document of a model file, which is read and checked like
/// any other.
///
/// The object has features_info, with the columns and the kind of each; trees, as oblivious_trees (a list of splits,
/// the first of which is the lowest bit of a leaf's number) or as trees (nested nodes, for other grow policies); and
/// scale_and_bias. A raw prediction is scale * (sum of leaf values) + bias for each output. A value goes to the right
/// of a float split if it is greater than the border, as a 32-bit number; nan_value_treatment says where missing values
/// go. A category goes to the right of a one-hot split if its hash is the split's value.
///
/// The loss is in model_info, as params.loss_function or loss_function, and decides the link function. A file without a
/// loss predicts raw values: CatBoost writes such files for sums of models with different losses, which predict raw
/// values there, too. A loss that cannot be read is an error.
///
/// The file has hashes of the names of categories, not the names. They are found again if all are whole numbers up to
/// kMostFound, or if an entry of features_info.categorical_features has the member `names`, which CatBoost does not
/// write: the names of the column's categories, as texts or whole numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "booster/model_io/document.h"

namespace kauri::model_io {

/// Greatest whole number that is tried as the name of a category.
constexpr std::int32_t kMostFound = 9999;
/// Greatest number of names that are found in all columns together. A column's numbers count from 0 to its greatest.
constexpr std::size_t kMostFoundInAll = std::size_t{1} << 21;

/// Returns whether the bytes are a JSON object whose first key is one of CatBoost's models.
bool IsCatBoost(std::string_view bytes);

/// Returns the document of a model that predicts the same as the file's model, up to the rounding of 32-bit sums. Time
/// and memory are proportional to the length of the text. \throws Error(kModel) for a damaged text, and for a model
/// that Kauri cannot represent: more than kMaxJsonDepth levels (CatBoost's trees need up to 20), splits on statistics
/// of the target (CTR), columns of texts or embeddings, categories whose names are not known, and losses whose link
/// function Kauri lacks.
Value ParseCatBoost(std::string_view bytes);

}  // namespace kauri::model_io
