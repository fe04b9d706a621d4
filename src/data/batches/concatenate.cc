#include "data/batches/concatenate.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>
#include <utility>

#include "collective/row_ranges.h"
#include "common/memory_size.h"
#include "data/batches/chain.h"
#include "data/categories/category_names.h"
#include "data/categories/category_view.h"
#include "data/matrix_view.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerTile = 1 << 10;

/// Marks the columns that have a value in a tile, [n_rows, flags->size()].
void MarkValues(std::vector<float> const& tile, std::int64_t n_rows, ColumnFlags* flags) {
  auto const n_cols = flags->size();
  for (std::size_t row = 0; row < static_cast<std::size_t>(n_rows); ++row) {
    for (std::size_t col = 0; col < n_cols; ++col) {
      if (!std::isnan(tile[row * n_cols + col])) (*flags)[col] = 1;
    }
  }
}

bool AreAllSet(ColumnFlags const& flags) {
  return std::all_of(flags.begin(), flags.end(), [](auto const flag) { return flag != 0; });
}

/// Returns the type that the batches agree on for a column; empty if none of them has types.
std::string TypeOf(std::vector<MetaInfo*> const& infos, std::vector<ColumnFlags> const& has_value, std::size_t col) {
  std::string type;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    auto const& types = infos[i]->feature_types;
    if (col >= types.size()) continue;
    if (has_value[i][col] != 0) return types[col];
    if (type.empty() || types[col] == "c") type = types[col];
  }
  return type;
}

}  // namespace

ColumnFlags ColumnsWithValues(DataView const& rows) {
  auto const n_cols = rows.NumCols();
  auto const is_skipped = rows.OnDevice() != nullptr || dynamic_cast<SparseView const*>(&rows) != nullptr;
  ColumnFlags flags(static_cast<std::size_t>(n_cols), is_skipped ? 1 : 0);
  std::vector<float> tile;
  for (std::int64_t begin = 0; begin < rows.NumRows() && !AreAllSet(flags); begin += kRowsPerTile) {
    auto const end = std::min(begin + kRowsPerTile, rows.NumRows());
    tile.resize(SizeInMemory((end - begin) * n_cols));
    rows.CopyRows(begin, end, n_cols, tile.data());
    MarkValues(tile, end - begin, &flags);
  }
  return flags;
}

void SettleTypes(std::vector<MetaInfo*> const& infos, std::vector<ColumnFlags> const& has_value) {
  std::size_t n_cols = 0;
  for (auto const* const info : infos) n_cols = std::max(n_cols, info->feature_types.size());
  for (std::size_t col = 0; col < n_cols; ++col) {
    auto const type = TypeOf(infos, has_value, col);
    for (std::size_t i = 0; i < infos.size(); ++i) {
      auto& types = infos[i]->feature_types;
      if (col < types.size() && has_value[i][col] == 0) types[col] = type;
    }
  }
}

namespace {

using Matrices = std::vector<std::unique_ptr<DataMatrix>>;
using Infos = std::vector<MetaInfo const*>;

[[noreturn]] void FailDisagree(char const* field, std::size_t batch, char const* how) {
  Fail(ErrorKind::kData, field, ": batch ", batch, " ", how, "; give it in the same form with every batch.");
}

/// Joins a field of all batches. Every batch must have the same number of elements per row.
std::vector<float> JoinRows(Infos const& parts, char const* field, std::vector<float> MetaInfo::*member) {
  std::vector<float> all;
  auto const width = [&](MetaInfo const& info) {
    return static_cast<std::int64_t>((info.*member).size()) / info.n_rows;
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto const& info = *parts[i];
    auto const is_whole = width(info) * info.n_rows == static_cast<std::int64_t>((info.*member).size());
    if (!is_whole || width(info) != width(*parts[0])) FailDisagree(field, i, "has another number of values per row");
    all.insert(all.end(), (info.*member).begin(), (info.*member).end());
  }
  return all;
}

std::vector<std::int64_t> JoinGroups(Infos const& parts) {
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto const& groups = parts[i]->group_ptr;
    if (groups.empty() != parts[0]->group_ptr.empty())
      FailDisagree("group", i, "has queries and batch 0 has none, or the reverse");
    if (groups.empty()) continue;
    if (all.empty()) all.push_back(0);
    auto const first = all.back();
    for (std::size_t group = 1; group < groups.size(); ++group) all.push_back(first + groups[group]);
  }
  return all;
}

/// Joins weights, which are one per row in every batch, or one per query in every batch.
std::vector<float> JoinWeights(Infos const& parts) {
  auto const fits = [&](auto&& count) {
    return std::all_of(parts.begin(), parts.end(),
                       [&](auto const& part) { return part->weights.size() == count(*part); });
  };
  auto const per_group = [](MetaInfo const& info) { return std::max<std::size_t>(info.group_ptr.size(), 1) - 1; };
  if (!fits(per_group)) return JoinRows(parts, "weight", &MetaInfo::weights);
  std::vector<float> all;
  for (auto const& part : parts) all.insert(all.end(), part->weights.begin(), part->weights.end());
  return all;
}

std::vector<RowRange> JoinGlobalRows(Infos const& parts) {
  std::vector<RowRange> all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto const& ranges = parts[i]->global_rows;
    if (ranges.empty() != parts[0]->global_rows.empty()) FailDisagree("global_rows", i, "differs in having them");
    all.insert(all.end(), ranges.begin(), ranges.end());
  }
  return CheckedRanges(all);
}

/// Returns a field on which all batches that have it must agree.
template <typename T>
T JoinShared(Infos const& parts, char const* field, T MetaInfo::*member) {
  T const* shared = &(parts[0]->*member);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    auto const& value = parts[i]->*member;
    if (shared->empty()) shared = &value;
    if (!value.empty() && value != *shared) FailDisagree(field, i, "differs from those before");
  }
  return *shared;
}

/// Returns what differing types are called in messages. Clients of XGBoost's package match on the words for categories.
char const* CallTypes(Infos const& parts) {
  auto const n_categorical = [](MetaInfo const* part) {
    return std::count(part->feature_types.begin(), part->feature_types.end(), "c");
  };
  auto const is_same = [&](MetaInfo const* part) {
    return part->feature_types.empty() || n_categorical(part) == n_categorical(parts[0]);
  };
  return std::all_of(parts.begin(), parts.end(), is_same)
             ? "Inconsistent feature types between batches, feature_type"
             : "Inconsistent feature types: Inconsistent number of categories between batches, feature_type";
}

/// Joins the names of the categories of each column. A batch without names for a column, whose values are all missing
/// there, takes the names of the other batches.
CategoryNameTable JoinCategoryNames(Infos const& parts) {
  auto all = parts[0]->category_names;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    auto const& names = parts[i]->category_names;
    all.resize(std::max(all.size(), names.size()));
    for (std::size_t column = 0; column < names.size(); ++column) {
      if (names[column].Size() == 0) continue;
      if (all[column].Size() == 0) all[column] = names[column];
      if (names[column] == all[column]) continue;
      FailDisagree("Inconsistent number of categories between batches, or of their names", i,
                   "differs from those before");
    }
  }
  return all;
}

/// The rows of all parts, with the categories of text columns numbered by the sorted texts of all parts.
class JoinedRows {
 public:
  explicit JoinedRows(Matrices const& parts) {
    CollectedTexts texts;
    for (auto const& part : parts) texts.Add(part->Info().category_names, part->NumRows());
    auto const joined = texts.Names();
    for (auto const& part : parts) {
      names_.push_back(part->Info().category_names);
      TakeTexts(joined, &names_.back());
      views_.push_back(part->View());
      if (names_.back() == part->Info().category_names) continue;
      targets_.push_back({names_.back(), {}, UnseenCategory::kXGBoost});
      given_.push_back(std::move(views_.back()));
      views_.back() = std::make_unique<CategoryView>(targets_.back(), *given_.back());
    }
  }
  std::unique_ptr<DataMatrix> Copy(Context const& ctx) {
    return DataMatrix::FromView(ctx, *MakeChain(std::move(views_)));
  }
  /// Gives the parts the joined names, once their rows are copied.
  void Rename(Matrices const& parts) const {
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i]->MutableInfo()->category_names = names_[i];
  }

 private:
  std::vector<CategoryNameTable> names_;
  std::deque<ModelCategories> targets_;
  std::vector<std::unique_ptr<DataView>> given_;
  std::vector<std::unique_ptr<DataView>> views_;
};

/// Gives columns without a value the type of the other parts.
void SettleTypesOf(Matrices const& parts) {
  if (parts.empty()) return;
  auto const& first = parts.front()->Info().feature_types;
  auto const is_same = [&](auto const& part) { return part->Info().feature_types == first; };
  if (std::all_of(parts.begin(), parts.end(), is_same)) return;
  std::vector<MetaInfo*> infos;
  std::vector<ColumnFlags> has_value;
  for (auto const& part : parts) {
    has_value.push_back(ColumnsWithValues(*part->View()));
    infos.push_back(part->MutableInfo());
  }
  SettleTypes(infos, has_value);
}

}  // namespace

MetaInfo JoinInfo(Infos const& parts) {
  MetaInfo all;
  all.n_cols = parts[0]->n_cols;
  for (auto const& part : parts) all.n_rows += part->n_rows;
  all.n_targets = parts[0]->n_targets;
  all.may_lack_columns =
      std::any_of(parts.begin(), parts.end(), [](MetaInfo const* part) { return part->may_lack_columns; });
  all.may_name_categories =
      std::any_of(parts.begin(), parts.end(), [](MetaInfo const* part) { return part->may_name_categories; });
  all.labels = JoinRows(parts, "label", &MetaInfo::labels);
  all.group_ptr = JoinGroups(parts);
  all.weights = JoinWeights(parts);
  all.base_margin = JoinRows(parts, "base_margin", &MetaInfo::base_margin);
  all.label_lower_bound = JoinRows(parts, "label_lower_bound", &MetaInfo::label_lower_bound);
  all.label_upper_bound = JoinRows(parts, "label_upper_bound", &MetaInfo::label_upper_bound);
  all.global_rows = JoinGlobalRows(parts);
  all.feature_weights = JoinShared(parts, "feature_weights", &MetaInfo::feature_weights);
  all.feature_names = JoinShared(parts, "feature_name", &MetaInfo::feature_names);
  all.feature_types = JoinShared(parts, CallTypes(parts), &MetaInfo::feature_types);
  all.category_names = JoinCategoryNames(parts);
  return all;
}

std::unique_ptr<DataMatrix> Concatenate(Context const& ctx, Matrices parts) {
  auto const is_empty = [](auto const& part) { return part->NumRows() == 0; };
  if (!std::all_of(parts.begin(), parts.end(), is_empty)) {
    parts.erase(std::remove_if(parts.begin(), parts.end(), is_empty), parts.end());
  } else if (!parts.empty()) {
    parts.resize(1);
  }
  if (parts.size() == 1) return std::move(parts.front());
  SettleTypesOf(parts);
  JoinedRows rows(parts);
  auto all = rows.Copy(ctx);
  rows.Rename(parts);
  Infos infos;
  for (auto const& part : parts) infos.push_back(&part->Info());
  auto info = JoinInfo(infos);
  *all->MutableInfo() = std::move(info);
  return all;
}

}  // namespace kauri
