#include "booster/model/column_fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "booster/model/trained_model.h"
#include "common/memory_size.h"
#include "data/categories/categories.h"
#include "data/categories/category_names.h"
#include "kauri/data_matrix.h"
#include "kauri/error.h"

namespace kauri {
namespace {

enum class ColumnKind { kUnknown, kNumber, kCategory };

ColumnKind KindOfType(std::string const& type) { return type == "c" ? ColumnKind::kCategory : ColumnKind::kNumber; }

bool HasNames(Span<CategoryNames const> table, std::size_t feature) {
  return feature < table.size() && table[feature].Size() > 0;
}

ColumnKind KindIn(Model const& model, SplitKinds const& splits, std::size_t feature) {
  if (model.IsLinear()) return ColumnKind::kNumber;
  if (model.categories.Encodes(feature)) return ColumnKind::kCategory;
  if (splits.HasNumeric(feature) != splits.HasCategorical(feature)) {
    return splits.HasNumeric(feature) ? ColumnKind::kNumber : ColumnKind::kCategory;
  }
  if (splits.HasNumeric(feature)) return ColumnKind::kUnknown;  // both kinds: no data can fit the model
  auto const& seen = model.categories.seen;
  auto const has_seen = feature < seen.size() && !seen[feature].empty();
  if (has_seen || HasNames(model.categories.names, feature)) return ColumnKind::kCategory;
  return feature < model.feature_types.size() ? KindOfType(model.feature_types[feature]) : ColumnKind::kUnknown;
}

ColumnKind KindIn(DeclaredColumns const& data, std::size_t feature) {
  if (feature < data.types.size()) return KindOfType(data.types[feature]);
  return HasNames(data.categories, feature) ? ColumnKind::kCategory : ColumnKind::kUnknown;
}

/// Returns whether any row has a value of the feature.
bool HasValue(DataView const& rows, std::size_t feature) {
  constexpr std::int64_t kRowsPerTile = 1 << 10;
  auto const n_cols = static_cast<std::int64_t>(feature) + 1;
  std::vector<std::int32_t> slots(feature + 1, -1);
  slots[feature] = 0;
  std::vector<float> tile;
  for (std::int64_t begin = 0; begin < rows.NumRows(); begin += kRowsPerTile) {
    auto const n_rows = std::min(kRowsPerTile, rows.NumRows() - begin);
    tile.resize(SizeInMemory(n_rows * n_cols));
    auto const is_alone = rows.CopyFeatures(begin, begin + n_rows, slots, 1, tile.data());
    if (!is_alone) rows.CopyRows(begin, begin + n_rows, n_cols, tile.data());
    auto const width = is_alone ? 1 : n_cols;
    for (auto row = std::int64_t{0}; row < n_rows; ++row) {
      if (!std::isnan(tile[row * width + width - 1])) return true;
    }
  }
  return false;
}

/// Returns a column's text for messages: "column 3 ('city')".
std::string NameOf(Model const& model, std::size_t feature) {
  auto const& names = model.feature_names;
  return "column " + std::to_string(feature) + (feature < names.size() ? " ('" + names[feature] + "')" : "");
}

/// Returns whether every category's name equals its code, so that codes may replace names.
bool AreNamedByNumber(CategoryNames const& names) {
  for (std::size_t category = 0; category < names.numbers.size(); ++category) {
    if (names.numbers[category] != static_cast<std::int64_t>(category)) return false;
  }
  return names.texts.empty();
}

/// Refuses a text column of numbers only if the model knows the categories by names: "10" may be a name in the model,
/// and would be read as the code of another category. \throws Error(kData).
void RefuseNumbersForNames(Model const& model, DeclaredColumns const& data, std::size_t feature,
                           std::string const& what) {
  auto const is_number = feature < data.types.size() && KindOfType(data.types[feature]) == ColumnKind::kNumber;
  if (is_number || HasNames(data.categories, feature) || !HasNames(model.categories.names, feature)) return;
  auto const& names = model.categories.names[feature];
  if (AreNamedByNumber(names) || (data.rows != nullptr && !HasValue(*data.rows, feature))) return;
  auto const* const program =
      names.texts.empty()
          ? "."
          : ", or use the program, which compares the texts of categorical_columns with the model's names.";
  Fail(ErrorKind::kData, NameOf(model, feature), " holds only numbers in ", what,
       ", but the model knows its categories by names, such as ", NameOfCategory(names, 0),
       ", and the file does not say which number stands for which name; read the file as a frame whose column is ",
       "categorical, as pandas.read_csv and .astype('category') do", program);
}

/// Refuses texts in a column whose categories the model knows by their numbers alone: the texts of other rows would get
/// other numbers. \throws Error(kData).
void RefuseTextsForNumbers(Model const& model, DeclaredColumns const& data, std::size_t feature,
                           std::string const& what) {
  if (feature >= data.categories.size() || OriginOf(data.categories[feature]) == NameOrigin::kDeclared) return;
  if (model.NumIterations() == 0 || HasNames(model.categories.names, feature) || model.categories.HadNone(feature))
    return;
  Fail(ErrorKind::kData, NameOf(model, feature), " holds text in ", what, ", such as ",
       NameOfCategory(data.categories[feature], 0), ", but the model knows its categories by their numbers; ",
       "give these numbers, with the feature type 'c'.");
}

}  // namespace

void SplitKinds::Update(Model const& model) {
  if (n_trees_ > model.trees.size()) *this = {};
  bits_.resize(model.NumTreeFeatures(), 0);
  for (; n_trees_ < model.trees.size(); ++n_trees_) {
    auto const& tree = model.trees[n_trees_];
    for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
      if (tree.IsLeaf(node)) continue;
      auto const index = static_cast<std::size_t>(node);
      bits_[tree.split_feature[index]] |= tree.is_categorical[index] != 0 ? kCategorical : kNumeric;
    }
  }
}

void CheckColumnKinds(Model const& model, SplitKinds const& splits, DeclaredColumns const& data,
                      std::string const& what) {
  auto const n_features = static_cast<std::size_t>(std::max<std::int64_t>(model.n_features, 0));
  auto const n_columns = data.is_frame || data.may_name_categories
                             ? n_features
                             : std::min(std::max(data.types.size(), data.categories.size()), n_features);
  for (std::size_t feature = 0; feature < n_columns; ++feature) {
    if (data.may_name_categories) RefuseNumbersForNames(model, data, feature, what);
    auto const known = KindIn(model, splits, feature);
    auto given = KindIn(data, feature);
    if (data.is_frame && given == ColumnKind::kUnknown && HasNames(model.categories.names, feature)) {
      given = ColumnKind::kNumber;
    }
    if (given == known && known == ColumnKind::kCategory) RefuseTextsForNumbers(model, data, feature, what);
    if (given == known || given == ColumnKind::kUnknown || known == ColumnKind::kUnknown) continue;
    if (data.rows != nullptr && !HasValue(*data.rows, feature)) continue;
    auto const type = feature < data.types.size() ? " (type '" + data.types[feature] + "')" : std::string();
    if (known == ColumnKind::kCategory) {
      Fail(ErrorKind::kData, "The data type doesn't match the one used in training: ", NameOf(model, feature),
           " holds categories in the model, but numbers", type, " in ", what,
           "; give it as a categorical column, or numbers of categories with the feature type 'c'.");
    }
    Fail(ErrorKind::kData, "The data type doesn't match the one used in training: ", NameOf(model, feature),
         " holds numbers in the model, but categories", type, " in ", what,
         "; give the numbers that the model was trained on.");
  }
}

void CheckTrainingKinds(Model const& model, SplitKinds const& splits, DataMatrix const& data) {
  auto const& train = data.Info();
  CheckColumnKinds(model, splits, DeclaredColumns::Of(train).With(*data.View()), "the training data");
  if (!train.feature_types.empty()) return;
  for (std::size_t feature = 0; feature < static_cast<std::size_t>(train.n_cols); ++feature) {
    if (HasNames(train.category_names, feature) || KindIn(model, splits, feature) != ColumnKind::kCategory) continue;
    Fail(ErrorKind::kData, NameOf(model, feature), " holds categories in the model, but the training data have no ",
         "feature types, and without the type 'c' its values would be taken for numbers; give feature_types.");
  }
}

namespace {

void CheckNames(Model const& model, Span<std::string const> names, DataInWords const& words) {
  if (names.empty() || model.feature_names.empty()) return;
  RequireColumnNames(names, {model.feature_names}, words);
}

[[noreturn]] void FailCount(Model const& model, std::int64_t n_cols, DataInWords const& words, char const* cure) {
  Fail(ErrorKind::kData, "Number of columns: ", words.noun, " ", words.has, " ", n_cols, " features, the model ",
       model.n_features, "; ", cure, ".");
}

bool HasXgboostsHabits(Client const& client) { return client.habits == Habits::kXgboost; }

}  // namespace

void CheckColumnFit(Model const& model, DeclaredColumns const& data, std::int64_t n_cols, DataInWords const& words) {
  CheckNames(model, data.names, words);
  if (n_cols > model.n_features) FailCount(model, n_cols, words, "drop the features that the model does not know");
  if (n_cols == model.n_features || data.may_lack_columns) return;
  FailCount(model, n_cols, words, "give all that it was trained on, NaN where a value is missing");
}

void CheckTrainingNames(Model const& model, MetaInfo const& train) {
  auto const n_names = static_cast<std::int64_t>(model.feature_names.size());
  CheckNames(model, train.feature_names, {"the training data"});
  if (model.NumIterations() > 0 || n_names == 0 || n_names == train.n_cols) return;
  Fail(ErrorKind::kData, "Incorrect number of feature names: the booster was given ", n_names,
       ", and the training data have ", train.n_cols, " features; set one for each.");
}

DeclaredColumns ToEvaluate(DeclaredColumns data, Client const& client) {
  if (HasXgboostsHabits(client)) data.may_lack_columns = true;
  return data;
}

DeclaredColumns ToPredict(DeclaredColumns data, Client const& client) {
  return HasXgboostsHabits(client) ? Unchecked(data) : data;
}

DeclaredColumns Unchecked(DeclaredColumns data) {
  data.names = {};
  data.may_lack_columns = true;
  return data;
}

void AdoptColumnLabels(MetaInfo const& train, ModelDraft* draft) {
  auto const& model = draft->Get();
  auto const lacks_names = model.feature_names.empty() && !train.feature_names.empty();
  auto const lacks_types = model.feature_types.empty() && !train.feature_types.empty();
  if (lacks_names) draft->Edit()->feature_names = train.feature_names;
  if (lacks_types) draft->Edit()->feature_types = train.feature_types;
}

void CheckColumnLabels(Model const& model, std::string const& field, Span<std::string const> labels) {
  auto const is_name = field == "feature_name";
  auto const n_labels = static_cast<std::int64_t>(labels.size());
  if (n_labels > 0 && model.NumIterations() > 0 && n_labels != model.n_features) {
    Fail(ErrorKind::kParameter, "Incorrect number of feature ", is_name ? "names" : "types", ": ", n_labels,
         " for a booster of ", model.n_features, " features; set one for each.");
  }
  if (is_name) RequireUniqueNames(labels);
}

}  // namespace kauri
