#include "booster/export/test_vector.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "booster/predict/prediction.h"
#include "common/random/random.h"
#include "common/text/json_text.h"
#include "data/matrix_view.h"

namespace kauri::model_export {
namespace {

constexpr auto kInfinity = std::numeric_limits<float>::infinity();
constexpr auto kNaN = std::numeric_limits<float>::quiet_NaN();

/// Numbers and categories that conditions and policy compare one column with.
struct Questions {
  std::set<float> thresholds;
  std::set<std::int32_t> categories;

  bool AreNone() const { return thresholds.empty() && categories.empty(); }
};

std::vector<Questions> QuestionsOf(ExportedModel const& model) {
  std::vector<Questions> questions(model.columns.size());
  for (auto const& condition : model.conditions) {
    auto& of_column = questions[condition.feature];
    if (condition.is_categorical) {
      of_column.categories.insert(condition.categories.begin(), condition.categories.end());
    } else {
      of_column.thresholds.insert(condition.threshold);
    }
  }
  for (std::size_t feature = 0; feature < questions.size(); ++feature) {
    auto const& accepted = model.columns[feature].accepted;
    if (accepted.empty()) continue;
    questions[feature] = {{}, {accepted.begin(), accepted.end()}};
  }
  return questions;
}

/// Returns at most `most` elements at equal distances, the first and the last among them.
template <typename T>
std::vector<T> Thinned(std::set<T> const& set, std::size_t most) {
  std::vector<T> const all(set.begin(), set.end());
  if (all.size() <= most) return all;
  std::vector<T> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * (all.size() - 1) / std::max<std::size_t>(most - 1, 1)]);
  return some;
}

constexpr std::uint64_t kKey = 0x6578706F7274;  // any number, so that a model always gets the same rows
constexpr std::size_t kMostSpecials = 8;

/// Returns the values that a column takes, at most `most` where that is possible.
std::vector<float> ValuesFor(Column const& column, Questions const& questions, std::size_t most) {
  std::vector<float> values{kNaN};
  auto const room = most > kMostSpecials ? most - kMostSpecials : 1;
  if (!column.accepted.empty()) {
    for (auto const category : Thinned(questions.categories, room)) values.push_back(static_cast<float>(category));
    return values;
  }
  for (auto const special : {kInfinity, -kInfinity, 0.0F, -0.0F}) values.push_back(special);
  for (auto const threshold : Thinned(questions.thresholds, std::max<std::size_t>(room / 3, 1))) {
    values.push_back(std::nextafter(threshold, -kInfinity));
    values.push_back(threshold);
    values.push_back(std::nextafter(threshold, kInfinity));
  }
  if (questions.categories.empty()) return values;
  for (auto const category : Thinned(questions.categories, room)) values.push_back(static_cast<float>(category));
  auto const next = static_cast<float>(*questions.categories.rbegin()) + 1.0F;
  for (auto const special : {next, -1.0F, static_cast<float>(*questions.categories.begin()) + 0.5F}) {
    values.push_back(special);
  }
  values.push_back(static_cast<float>(kCategoryLimit));
  return values;
}

std::size_t SizeOf(Questions const& questions) {
  return 3 * questions.thresholds.size() + questions.categories.size() + kMostSpecials;
}

}  // namespace

TestVector MakeTestVector(ReadyModel const& ready, ExportedModel const& model) {
  auto const questions = QuestionsOf(model);
  std::size_t largest = 1;
  std::int64_t n_used = 0;
  for (auto const& of_column : questions) {
    if (of_column.AreNone()) continue;
    largest = std::max(largest, SizeOf(of_column));
    ++n_used;
  }
  auto const limit = std::clamp<std::int64_t>(kMaxTestFloats / std::max<std::int64_t>(n_used, 1), 32, kMaxTestRows);
  TestVector test;
  test.n_rows = std::min(limit, static_cast<std::int64_t>(largest));
  test.is_complete = static_cast<std::int64_t>(largest) <= limit;
  auto const n_columns = model.columns.size();
  test.rows.assign(ToSize(test.n_rows) * n_columns, kNaN);
  for (std::size_t feature = 0; feature < n_columns; ++feature) {
    if (questions[feature].AreNone()) continue;
    auto values = ValuesFor(model.columns[feature], questions[feature], ToSize(test.n_rows));
    std::uint64_t counter = 0;
    auto const below = [&](std::size_t bound) {
      return std::size_t{RandomBelow(CombineKeys(kKey, feature), counter++, static_cast<std::uint32_t>(bound))};
    };
    for (auto i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
    for (std::size_t row = 0; row < ToSize(test.n_rows); ++row) {
      auto const place = row < values.size() ? row : below(values.size());
      test.rows[row * n_columns + feature] = values[place];
    }
  }
  auto const view = MakeRowsView(test.rows.data(), test.n_rows, static_cast<std::int64_t>(n_columns));
  GivenRows const rows{*view, {}};
  PredictOptions options;
  test.values = Predict(ready, rows, options).values;
  options.kind = PredictKind::kMargin;
  test.margins = Predict(ready, rows, options).values;
  return test;
}

std::string TestNumber(float value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0.0F ? "\"Infinity\"" : "\"-Infinity\"";
  char text[64];
  return {text, std::to_chars(text, text + sizeof(text), static_cast<double>(value)).ptr};
}

std::string TestColumn(Column const& column) {
  auto const* const kind = column.names.Size() == 0 ? "number" : column.names.texts.empty() ? "integer" : "text";
  return JsonArray({JsonQuoted(column.name), JsonQuoted(kind)});
}

std::string TestCell(Column const& column, float value) {
  if (std::isnan(value)) return "null";
  if (column.names.Size() == 0) return TestNumber(value);
  auto const is_number = value >= 0.0F && value < static_cast<float>(kCategoryLimit);
  auto const category = is_number ? static_cast<std::size_t>(value) : std::size_t{kCategoryLimit};
  auto const is_whole = is_number && static_cast<float>(category) == value;
  auto const names = CategoryTexts(column);
  if (category < names.size() && (is_whole || !column.needs_whole)) {
    return column.names.texts.empty() ? names[category] : JsonQuoted(names[category]);
  }
  std::string unknown = "kauri";
  while (std::find(names.begin(), names.end(), unknown) != names.end()) unknown += '!';
  if (!column.names.texts.empty()) return JsonQuoted(unknown);
  std::int64_t number = 0;
  auto const& numbers = column.names.numbers;
  while (std::find(numbers.begin(), numbers.end(), number) != numbers.end()) ++number;
  return std::to_string(number);
}

}  // namespace kauri::model_export
