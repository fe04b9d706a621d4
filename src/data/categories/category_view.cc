#include "data/categories/category_view.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "common/memory_size.h"
#include "data/categories/category_names.h"
#include "kauri/error.h"
#include "kauri/ordered_encoding.h"
#include "kauri/tree.h"

namespace kauri {

namespace {

constexpr std::int32_t kLeftOut = -2;  // stands for a value that counts as missing
static_assert(kLeftOut != kUnknownCategory, "both are told apart");

bool HasNames(Span<CategoryNames const> table, std::size_t feature) {
  return feature < table.size() && table[feature].Size() > 0;
}

/// Returns whether the rows number the categories differently from the model.
bool IsRenumbered(ModelCategories const& model, Span<CategoryNames const> names, std::size_t feature) {
  if (!HasNames(names, feature) || !HasNames(model.names, feature)) return false;
  auto const& known = model.names[feature];
  if (names[feature] == known) return false;
  return names[feature].Size() > known.Size() || !AgreeOnNames(names[feature], known);
}

/// Returns whether the rows name categories of a column that had none in training, so that every name is new.
bool AreAllNew(ModelCategories const& model, Span<CategoryNames const> names, std::size_t feature) {
  return HasNames(names, feature) && model.HadNone(feature);
}

bool HasCategories(Model const& model) {
  if (!model.categories.seen.empty() || !model.categories.names.empty()) return true;
  return std::any_of(model.trees.begin(), model.trees.end(), [](Tree const& tree) { return tree.HasCategorical(); });
}

bool NeedsTranslation(Model const& model, DataView const& rows) {
  if (rows.IsEncoded()) return false;
  if (model.categories.ordered != nullptr) return true;
  auto const names = rows.Categories();
  if (model.categories.unseen != UnseenCategory::kXGBoost && HasCategories(model)) return true;
  for (std::size_t feature = 0; feature < names.size(); ++feature) {
    if (IsRenumbered(model.categories, names, feature) || AreAllNew(model.categories, names, feature)) return true;
  }
  return false;
}

/// Returns the category that a value stands for, or kUnknownCategory.
std::int32_t CategoryOf(float value) {
  if (!(value >= 0.0F && value < static_cast<float>(kCategoryLimit)) || value != std::floor(value)) {
    return kUnknownCategory;
  }
  return static_cast<std::int32_t>(value);
}

}  // namespace

CategoryView::CategoryView(ModelCategories const& model, DataView const& rows) : model_(model), rows_(rows) {
  auto const filters = model.unseen != UnseenCategory::kXGBoost;
  auto const names = rows.Categories();
  if (filters && model.seen.empty()) {
    if (model.names.empty()) {
      Fail(ErrorKind::kModel, "unseen_category=", NameOfPolicy(model.unseen),
           " needs the categories that occurred in training, which the model does not list: it was made by another "
           "library. ",
           "Use unseen_category=xgboost, or continue its training with Kauri.");
    }
    for (auto const& of_feature : model.names) {
      named_.emplace_back(of_feature.Size());
      std::iota(named_.back().begin(), named_.back().end(), 0);
    }
  }
  auto const& seen = named_.empty() ? model.seen : named_;
  auto const n_encoded = model.ordered == nullptr ? 0 : model.ordered->columns.size();
  auto const n_features = std::max({names.size(), filters ? seen.size() : 0, n_encoded});
  for (std::size_t feature = 0; feature < n_features; ++feature) {
    Column column{feature, {}, {}, false, model.Encodes(feature)};
    if (IsRenumbered(model, names, feature)) {
      RequireSameKind(names[feature], model.names[feature], feature);
      column.codes = CategoryCodes(names[feature], model.names[feature]);
    } else if (AreAllNew(model, names, feature)) {
      column.codes.assign(names[feature].Size(), kUnknownCategory);
    }
    column.filters = filters && feature < seen.size() && !seen[feature].empty();
    if (column.filters) column.seen = seen[feature];
    if (column.filters || column.is_encoded || !column.codes.empty()) columns_.push_back(std::move(column));
  }
  if (model.NumAddedColumns() == 0) return;
  added_.emplace(*model.ordered);
  for (std::size_t place = 0; place < columns_.size(); ++place) {
    auto const& members = added_->Members();
    if (std::binary_search(members.begin(), members.end(), columns_[place].feature)) members_.push_back(place);
  }
}

std::int64_t CategoryView::NumCols() const {
  if (!added_.has_value()) return rows_.NumCols();
  return static_cast<std::int64_t>(model_.ordered->columns.size() + added_->Count());
}

/// Answers for a category that the model does not know or has not seen: kLeftOut if the policy makes it missing.
/// \throws Error(kData) under every other policy.
std::int32_t CategoryView::Unseen(Column const& column, float value, std::int64_t row) const {
  if (model_.unseen == UnseenCategory::kMissing) return kLeftOut;
  auto const names = rows_.Categories();
  auto const category = CategoryOf(value);
  auto const is_named = category != kUnknownCategory && HasNames(names, column.feature);
  auto const text =
      is_named ? NameOfCategory(names[column.feature], static_cast<std::size_t>(category)) : std::string();
  if (model_.unseen == UnseenCategory::kXGBoost) {
    Fail(ErrorKind::kData, "Found a category not in the training set: row ", row, " of column ", column.feature,
         " has the category ", text,
         ", whose name the model does not know; drop the row, or use unseen_category=missing.");
  }
  Fail(ErrorKind::kData, "row ", row, " of column ", column.feature, " has the category ",
       is_named ? text : std::to_string(value),
       ", which did not occur in training (unseen_category=error); drop the row, or use unseen_category=missing.");
}

bool CategoryView::IsSeen(Column const& column, std::int32_t category) const {
  return std::binary_search(column.seen.begin(), column.seen.end(), category);
}

/// Returns kUnknownCategory in two cases that no policy refuses: the column has neither codes nor a filter and the
/// value is no category, or the category's name is new and its number is the prior statistic. row: for the message
/// alone. \throws Error(kData) if the policy refuses the category.
std::int32_t CategoryView::Known(Column const& column, float value, std::int64_t row) const {
  if (std::isnan(value)) return kLeftOut;
  auto category = CategoryOf(value);
  if (!column.codes.empty()) {
    auto const is_coded = category >= 0 && static_cast<std::size_t>(category) < column.codes.size();
    category = is_coded ? column.codes[category] : kUnknownCategory;
    auto const has_number = column.is_encoded && model_.unseen == UnseenCategory::kXGBoost;  // the prior statistic
    if (category == kUnknownCategory && !has_number) return Unseen(column, value, row);
  }
  if (column.filters && !IsSeen(column, category)) return Unseen(column, value, row);
  return category;
}

float CategoryView::Translate(Column const& column, float value, std::int64_t row) const {
  auto const category = Known(column, value, row);
  if (category == kLeftOut) return std::numeric_limits<float>::quiet_NaN();
  if (column.is_encoded) {
    return model_.ordered->ValueAt({column.feature, 0}, model_.ordered->PositionOf(column.feature, category));
  }
  return category == kUnknownCategory ? value : static_cast<float>(category);
}

bool CategoryView::MayRefuse(Column const& column) const {
  if (model_.unseen == UnseenCategory::kMissing) return false;
  if (column.filters) return true;
  if (column.is_encoded && model_.unseen == UnseenCategory::kXGBoost) return false;
  return std::find(column.codes.begin(), column.codes.end(), kUnknownCategory) != column.codes.end();
}

void CategoryView::CheckValues() const {
  std::vector<Column const*> checked;
  std::vector<std::int32_t> slots;
  for (auto const& column : columns_) {
    if (!MayRefuse(column)) continue;
    slots.resize(column.feature + 1, -1);
    slots.back() = static_cast<std::int32_t>(checked.size());
    checked.push_back(&column);
  }
  if (checked.empty()) return;
  constexpr std::int64_t kRowsPerTile = 1 << 10;
  auto const n_slots = static_cast<std::int64_t>(checked.size());
  auto const n_cols = static_cast<std::int64_t>(slots.size());
  std::vector<float> tile(SizeInMemory(std::min(kRowsPerTile, rows_.NumRows()) * n_cols));
  for (std::int64_t begin = 0; begin < rows_.NumRows(); begin += kRowsPerTile) {
    auto const end = std::min(begin + kRowsPerTile, rows_.NumRows());
    auto const is_packed = rows_.CopyFeatures(begin, end, slots, n_slots, tile.data());
    if (!is_packed) rows_.CopyRows(begin, end, n_cols, tile.data());
    for (auto row = begin; row < end; ++row) {
      auto const* const values = tile.data() + (row - begin) * (is_packed ? n_slots : n_cols);
      for (std::int64_t slot = 0; slot < n_slots; ++slot) {
        auto const& column = *checked[slot];
        Known(column, values[is_packed ? slot : static_cast<std::int64_t>(column.feature)], row);
      }
    }
  }
}

void CategoryView::Add(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const {
  auto const n_features = static_cast<std::int64_t>(model_.ordered->columns.size());
  if (n_cols <= n_features) return;
  std::vector<std::int32_t> positions(added_->NumPositions());
  std::vector<float> numbers(added_->Count());
  auto const n_written = std::min(n_cols - n_features, static_cast<std::int64_t>(numbers.size()));
  for (auto row = begin; row < end; ++row, tile += n_cols) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      auto const& column = columns_[members_[i]];
      auto const category = Known(column, tile[column.feature], row);
      positions[i] = category == kLeftOut ? kMissingPosition : model_.ordered->PositionOf(column.feature, category);
    }
    added_->Fill(positions, numbers);
    std::copy_n(numbers.begin(), n_written, tile + n_features);
  }
}

void CategoryView::CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const {
  rows_.CopyRows(begin, end, n_cols, tile);
  if (added_.has_value()) Add(begin, end, n_cols, tile);
  for (auto const& column : columns_) {
    if (static_cast<std::int64_t>(column.feature) >= n_cols) continue;
    for (auto row = begin; row < end; ++row) {
      auto& value = tile[(row - begin) * n_cols + static_cast<std::int64_t>(column.feature)];
      value = Translate(column, value, row);
    }
  }
}

bool CategoryView::CopyFeatures(std::int64_t begin, std::int64_t end, Span<std::int32_t const> slot_of_feature,
                                std::int64_t n_slots, float* tile) const {
  // The members of a column that only the model has may have no slot.
  if (added_.has_value() && slot_of_feature.size() > model_.ordered->columns.size()) return false;
  if (!rows_.CopyFeatures(begin, end, slot_of_feature, n_slots, tile)) return false;
  for (auto const& column : columns_) {
    auto const slot = column.feature < slot_of_feature.size() ? slot_of_feature[column.feature] : -1;
    if (slot < 0) continue;
    for (auto row = begin; row < end; ++row) {
      auto& value = tile[(row - begin) * n_slots + slot];
      value = Translate(column, value, row);
    }
  }
  return true;
}

ModelRows::ModelRows(Model const& model, DataView const& rows, bool are_checked) : rows_(rows) {
  if (!NeedsTranslation(model, rows)) return;
  view_.emplace(model.categories, rows);
  if (!are_checked) view_->CheckValues();
}

AddedColumns::AddedColumns(OrderedEncoding const& encoding) : encoding_(encoding), columns_(encoding.AddedColumns()) {
  std::set<std::size_t> members;
  for (auto const& added : columns_) {
    if (added.number > 1) continue;  // the members of this column are in the set already
    for (auto const feature : encoding.MembersOf(added.column)) members.insert(static_cast<std::size_t>(feature));
  }
  members_.assign(members.begin(), members.end());
  for (auto const& combination : encoding.combinations) {
    parts_.push_back(
        {PlaceOf(static_cast<std::size_t>(combination.base)), PlaceOf(static_cast<std::size_t>(combination.feature))});
  }
  for (auto const& added : columns_) places_.push_back(PlaceOf(added.column));
}

std::size_t AddedColumns::PlaceOf(std::size_t column) const {
  auto const n_features = encoding_.columns.size();
  if (column >= n_features) return members_.size() + column - n_features;
  return static_cast<std::size_t>(std::lower_bound(members_.begin(), members_.end(), column) - members_.begin());
}

void AddedColumns::Fill(Span<std::int32_t> positions, Span<float> numbers) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    positions[members_.size() + i] =
        encoding_.combinations[i].PositionOf(positions[parts_[i].base], positions[parts_[i].feature]);
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    numbers[i] = encoding_.ValueAt(columns_[i], positions[places_[i]]);
  }
}

}  // namespace kauri
