#include "booster/model_io/feature_labels.h"

#include <charconv>
#include <cmath>
#include <sstream>

#include "booster/model_io/dump.h"
#include "booster/model_io/json.h"
#include "booster/model_io/object_reader.h"
#include "common/files/read_file.h"
#include "common/text/quoted.h"
#include "data/categories/category_names.h"

namespace kauri::model_io {
namespace {

std::string Escaped(std::string const& name) {
  std::string escaped;
  AppendEscaped(name, &escaped);
  return escaped;
}

CategoryNames const& NamesOfFeature(CategoryNameTable const& table, std::uint32_t feature) {
  static CategoryNames const kNone;
  return feature < table.size() ? table[feature] : kNone;
}

struct ListStyle {
  char const* separator;
  char const* quote;  ///< quote around names that are texts
};

/// Returns the names of the categories as a list, with the numbers of categories that have no name.
template <typename Categories>
std::string JoinedNames(Categories const& categories, CategoryNames const& names, ListStyle const& style) {
  std::string text;
  for (auto const category : categories) {
    if (!text.empty()) text += style.separator;
    auto const place = static_cast<std::size_t>(category);
    if (place < names.texts.size()) {
      text += style.quote + Escaped(names.texts[place]) + style.quote;
    } else {
      text += place < names.numbers.size() ? NameOfCategory(names, place) : std::to_string(category);
    }
  }
  return text;
}

void CheckSize(char const* what, std::size_t size, std::int64_t n_features) {
  if (static_cast<std::int64_t>(size) != n_features) {
    Fail(ErrorKind::kParameter, "the feature map has ", size, " ", what, ", but the model has ", n_features,
         " features; list each feature once, or leave the feature map out.");
  }
}

}  // namespace

FeatureKind KindOfType(std::string const& type) {
  if (type == "i") return FeatureKind::kIndicator;
  if (type == "int") return FeatureKind::kInteger;
  if (type == "q" || type == "float") return FeatureKind::kQuantity;
  if (type == "c") return FeatureKind::kCategorical;
  Fail(ErrorKind::kParameter, "unknown feature type '", type,
       "', use i for indicator and q for quantity, or int, float or c (categorical)");
}

FeatureLabels::FeatureLabels(FeatureMap const& map, Model const& model) : categories_(map.categories) {
  if (!map.names.empty()) CheckSize("names", map.names.size(), model.n_features);
  if (!map.types.empty()) CheckSize("types", map.types.size(), model.n_features);
  ColumnNames const names(model, map.names);
  auto const n_columns = model.NumTreeFeatures();
  auto const first = map.names.empty() && n_columns == model.n_features ? n_columns : 0;  // f0, f1, ... need no list
  for (auto column = first; column < n_columns; ++column) names_.push_back(Escaped(names.Of(column)));
  for (auto const& type : map.types) kinds_.push_back(KindOfType(type));
}

void FeatureLabels::CheckKinds(Tree const& tree) const {
  for (std::int32_t id = 0; !kinds_.empty() && id < tree.NumNodes(); ++id) {
    if (tree.IsLeaf(id)) continue;
    auto const feature = tree.split_feature[id];
    bool const categorical = tree.is_categorical[id] != 0;
    if (categorical == (Kind(feature) == FeatureKind::kCategorical)) continue;
    Fail(ErrorKind::kParameter, "the feature map says that '", Name(feature), "' is ",
         categorical ? "numerical" : "categorical", ", but the model splits it ",
         categorical ? "by categories" : "at a threshold", "; correct its type in the feature map");
  }
}

std::string FeatureLabels::Name(std::uint32_t feature) const {
  return names_.empty() ? "f" + std::to_string(feature) : names_[feature];
}

std::string ThresholdText(float threshold, FeatureKind kind) {
  if (kind != FeatureKind::kInteger) return NineDigits(threshold);
  auto const rounded = std::ceil(threshold) + 0.0F;  // no negative zero
  char text[64];
  return {text, std::to_chars(text, text + sizeof(text), rounded, std::chars_format::fixed, 0).ptr};
}

std::string ThresholdTextSigned(float threshold, FeatureKind kind) {
  return NineDigits(kind == FeatureKind::kInteger ? std::ceil(threshold) : threshold);
}

std::string FeatureLabels::Categories(Tree const& tree, std::int32_t node) const {
  return JoinedNames(tree.CategoriesOf(node), NamesOfFeature(categories_, tree.split_feature[node]), {",", ""});
}

std::string FeatureLabels::CategoriesInJson(Tree const& tree, std::int32_t node) const {
  return JoinedNames(tree.CategoriesOf(node), NamesOfFeature(categories_, tree.split_feature[node]), {", ", "\""});
}

}  // namespace kauri::model_io

namespace kauri {
namespace {

constexpr std::size_t kMostMapBytes = std::size_t{256} << 20U;

void ReadLine(std::string const& line, FeatureMap* map) {
  std::istringstream words(line);
  std::string index;
  std::string name;
  std::string type;
  std::string rest;
  if (!(words >> index >> name >> type) || (words >> rest)) {
    Fail(ErrorKind::kData, "has ", Quoted(line), "; expected an index, a name and a type, separated by blanks");
  }
  std::int64_t number = 0;
  if (!model_io::ParseInteger(index, &number) || number != static_cast<std::int64_t>(map->names.size())) {
    Fail(ErrorKind::kData, "has the index ", Quoted(index), "; expected ", map->names.size(),
         ": indices ascend from 0");
  }
  model_io::KindOfType(type);
  map->names.push_back(name);
  map->types.push_back(type);
}

}  // namespace

FeatureMap ReadFeatureMap(std::string const& path) {
  std::istringstream lines(ReadFile(FileToRead{path, "feature map", kMostMapBytes}));
  FeatureMap map;
  std::int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    try {
      ReadLine(line, &map);
    } catch (Error const& error) {
      Fail(ErrorKind::kData, "the feature map ", Quoted(path), ", line ", number, ": ", error.what());
    }
  }
  return map;
}

}  // namespace kauri
