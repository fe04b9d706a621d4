/// \file Rows with their margins and values, which an exported model carries to prove that it computes the same.
///
/// The values of a column are its thresholds, the floats next below and above each, NaN, the infinities and both zeros;
/// of a categorical column its listed categories, a new one, a negative number, a number with a fraction and one that
/// is too large. Every value occurs in some row as long as that needs at most kMaxTestRows rows and kMaxTestFloats
/// numbers; beyond that, thresholds and categories at equal distances are taken. A column that the policy
/// unseen_category=error protects has accepted categories and NaN alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "booster/export/exported_model.h"

namespace kauri::model_export {

constexpr std::int64_t kMaxTestRows = 512;
constexpr std::int64_t kMaxTestFloats = 8192;

struct TestVector {
  std::int64_t n_rows = 0;
  bool is_complete = true;     ///< whether every value occurs
  std::vector<float> rows;     ///< [n_rows, n_features]
  std::vector<float> margins;  ///< [n_rows, n_outputs]
  std::vector<float> values;   ///< [n_rows, n_values]
};

/// Makes the rows and predicts them. The same model gives the same rows.
TestVector MakeTestVector(ReadyModel const& ready, ExportedModel const& model);

/// Returns a number of JSON, or a string for NaN and the infinities: "NaN".
std::string TestNumber(float value);
/// Returns a column of a test as JSON, [name, kind]; the kind is number, text, or integer for categories named by one.
std::string TestColumn(Column const& column);
/// Returns a cell as users' tables hold it, as JSON: null for a missing value, a category by its name. A number that is
/// no category of a column with names becomes a name that the model does not know.
std::string TestCell(Column const& column, float value);

}  // namespace kauri::model_export
