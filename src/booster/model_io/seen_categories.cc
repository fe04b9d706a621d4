#include "booster/model_io/seen_categories.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/categories/category_names.h"

namespace kauri::model_io {

bool KnowsSeenCategories(ModelCategories const& categories) {
  return !categories.seen.empty() || categories.unseen != UnseenCategory::kXGBoost;
}

void WriteSeenCategories(ModelCategories const& categories, JsonWriter* writer) {
  std::vector<std::int64_t> segments{0};
  std::vector<std::int32_t> values;
  for (auto const& of_feature : categories.seen) {
    values.insert(values.end(), of_feature.begin(), of_feature.end());
    segments.push_back(static_cast<std::int64_t>(values.size()));
  }
  writer->BeginObject();
  writer->Key("feature_segments");
  writer->Numbers(Span<std::int64_t const>(segments));
  writer->Key("unseen_category");
  writer->String(NameOfPolicy(categories.unseen));
  writer->Key("values");
  writer->Numbers(Span<std::int32_t const>(values));
  writer->EndObject();
}

void ReadSeenCategories(ObjectReader const& reader, Model* model) {
  auto const segments = reader.TakeInt64("feature_segments");
  auto const values = reader.TakeInt32("values");
  auto const n_values = static_cast<std::int64_t>(values.size());
  if (segments.empty() || segments.front() != 0 || segments.back() != n_values ||
      !std::is_sorted(segments.begin(), segments.end()) ||
      static_cast<std::int64_t>(segments.size()) > model->n_features + 1) {
    reader.FailAt("feature_segments", "does not ascend from 0 to ", n_values, ", the number of 'values', over ",
                  model->n_features, " features");
  }
  auto& categories = model->categories;
  categories.seen.clear();
  for (std::size_t feature = 0; feature + 1 < segments.size(); ++feature) {
    categories.seen.emplace_back(values.begin() + segments[feature], values.begin() + segments[feature + 1]);
    auto const& seen = categories.seen.back();
    auto const ascends = std::adjacent_find(seen.begin(), seen.end(), std::greater_equal<>()) == seen.end();
    if (!ascends || (!seen.empty() && (seen.front() < 0 || seen.back() >= kCategoryLimit))) {
      reader.FailAt("values", "of feature ", feature, " do not ascend from 0 to at most ", kCategoryLimit - 1);
    }
  }
  auto const policy = reader.String("unseen_category");
  if (!ParsePolicy(policy, &categories.unseen)) {
    reader.FailAt("unseen_category", "is '", Printable(policy), "'; expected xgboost, missing or error");
  }
}

}  // namespace kauri::model_io
