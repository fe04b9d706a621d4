/// \file Checked access to the JSON of CatBoost's models, and the columns that it describes.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/text/quoted.h"
#include "kauri/categories.h"
#include "kauri/error.h"

namespace kauri::model_io {

using CatBoostJson = nlohmann::json;

/// \throws Error(kModel): a model of CatBoost has ... The file is damaged.
template <typename... Parts>
[[noreturn]] void FailCatBoost(Parts const&... parts) {
  Fail(ErrorKind::kModel, "a model of CatBoost has ", parts..., ". The file is damaged.");
}

/// Returns a member of an object. where: the object's place, for messages. \throws Error(kModel) if there is none.
CatBoostJson const& MemberOf(CatBoostJson const& object, char const* key, std::string const& where);

/// Returns a member that is an array. \throws Error(kModel) if there is none.
CatBoostJson const& ArrayIn(CatBoostJson const& object, char const* key, std::string const& where);

/// Returns a member that is a whole number within [lowest, highest]. \throws Error(kModel) if there is none.
std::int64_t WholeIn(CatBoostJson const& object, char const* key, std::string const& where, std::int64_t lowest,
                     std::int64_t highest);

/// Returns a value that is a whole number within [lowest, highest]. key, where: the value's name and place, for
/// messages. \throws Error(kModel) for any other value.
std::int64_t WholeOf(CatBoostJson const& member, char const* key, std::string const& where, std::int64_t lowest,
                     std::int64_t highest);

/// Returns a finite 64-bit number. \throws Error(kModel) for any other value.
double NumberOf(CatBoostJson const& value, std::string const& where);

/// Returns a value as a 32-bit number. \throws Error(kModel) if it is not finite.
float FloatOf(double value, std::string const& where);

/// A column of numbers.
struct CatBoostNumbers {
  std::int32_t column = -1;
  bool missing_left = true;
};

/// A column of categories.
struct CatBoostCategories {
  std::int32_t column = -1;
  std::string name;                              ///< for messages
  std::map<std::int32_t, std::int32_t> code_of;  ///< the codes of the hashes in the file
};

/// The columns of a model.
struct CatBoostColumns {
  std::int64_t n_features = 0;
  std::vector<CatBoostNumbers> numbers;        ///< by feature_index
  std::vector<CatBoostCategories> categories;  ///< by feature_index
  std::vector<std::string> names;              ///< [n_features], or empty
  CategoryNameTable category_names;            ///< [n_features], or empty
  std::string with_statistics;                 ///< the columns whose target statistics the model uses, for messages
};

/// Reads features_info. \throws Error(kModel) for damage, columns of texts or embeddings, and unknown categories.
CatBoostColumns ReadCatBoostColumns(CatBoostJson const& features);

}  // namespace kauri::model_io
