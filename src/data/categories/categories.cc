#include "data/categories/categories.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include "collective/checked_collective.h"
#include "collective/reduce.h"
#include "common/memory_size.h"
#include "common/text/quoted.h"
#include "common/threads/parallel_for.h"
#include "kauri/error.h"
#include "kauri/tree.h"

namespace kauri {
namespace {

std::string NameOf(MetaInfo const& info, std::size_t feature) {
  return feature < info.feature_names.size() ? " (" + Quoted(info.feature_names[feature]) + ")" : std::string();
}

/// The set of categories of one column, as bits.
class CategoryBits {
 public:
  /// Returns false if the value is not a category.
  bool Add(float value) {
    if (!(value >= 0.0F && value < static_cast<float>(kCategoryLimit)) || value != std::floor(value)) return false;
    auto const category = static_cast<std::size_t>(value);
    if (category >= present_.size()) present_.resize(std::max(category + 1, 2 * present_.size()), false);
    present_[category] = true;
    return true;
  }
  std::vector<std::int32_t> List() const {
    std::vector<std::int32_t> list;
    for (std::size_t category = 0; category < present_.size(); ++category) {
      if (present_[category]) list.push_back(static_cast<std::int32_t>(category));
    }
    return list;
  }

 private:
  std::vector<bool> present_;
};

[[noreturn]] void FailCategory(MetaInfo const& info, std::int64_t row, std::size_t feature, float value) {
  Fail(ErrorKind::kData, "Invalid categorical value detected: row ", row, " of the categorical column ", feature,
       NameOf(info, feature), " is ", value, "; categories are integers from 0 to ", kCategoryLimit - 1,
       ". Number the categories from 0 on and use NaN for missing ones, or do not declare the column as 'c'.");
}

void FindInDense(Context const& ctx, DataMatrix const& data, std::vector<std::size_t> const& features,
                 CategoryLists* lists) {
  auto const& values = data.Dense().values;
  auto const n_cols = static_cast<std::size_t>(data.NumCols());
  ParallelFor(ctx, static_cast<std::int64_t>(features.size()), [&](std::int64_t i) {
    auto const feature = features[i];
    CategoryBits bits;
    for (std::int64_t row = 0; row < data.NumRows(); ++row) {
      auto const value = values[static_cast<std::size_t>(row) * n_cols + feature];
      if (!std::isnan(value) && !bits.Add(value)) FailCategory(data.Info(), row, feature, value);
    }
    (*lists)[feature] = bits.List();
  });
}

/// Finds the categories of rows in other storage by reading them as predictions do, where a category is its own value.
/// A value that is not a category comes from a bin of a column that was not categorical when the bins were made; tree
/// methods refuse such columns.
void FindInView(DataMatrix const& data, std::vector<std::size_t> const& features, CategoryLists* lists) {
  constexpr std::int64_t kRowsPerTile = 1 << 12;
  auto const view = data.View();
  auto const n_slots = static_cast<std::int64_t>(features.size());
  std::vector<std::int32_t> slots(lists->size(), -1);
  std::vector<CategoryBits> bits(features.size());
  for (std::size_t i = 0; i < features.size(); ++i) slots[features[i]] = static_cast<std::int32_t>(i);
  std::vector<float> tile;
  for (std::int64_t begin = 0; begin < data.NumRows(); begin += kRowsPerTile) {
    auto const end = std::min(data.NumRows(), begin + kRowsPerTile);
    tile.resize(SizeInMemory((end - begin) * n_slots));
    view->CopyFeatures(begin, end, slots, n_slots, tile.data());
    for (std::size_t cell = 0; cell < tile.size(); ++cell) {
      if (!std::isnan(tile[cell])) bits[cell % features.size()].Add(tile[cell]);
    }
  }
  for (std::size_t i = 0; i < features.size(); ++i) (*lists)[features[i]] = bits[i].List();
}

void FindInSparse(DataMatrix const& data, std::vector<std::size_t> const& features, CategoryLists* lists) {
  auto const& csr = data.Csr();
  std::vector<CategoryBits> bits(lists->size());
  std::vector<std::uint8_t> is_categorical(lists->size(), 0);
  for (auto const feature : features) is_categorical[feature] = 1;
  for (std::size_t row = 0; row + 1 < csr.row_ptr.size(); ++row) {
    for (auto i = csr.row_ptr[row]; i < csr.row_ptr[row + 1]; ++i) {
      auto const feature = csr.features[i];
      if (is_categorical[feature] == 0) continue;
      auto const value = csr.values[i];
      if (!bits[feature].Add(value)) FailCategory(data.Info(), static_cast<std::int64_t>(row), feature, value);
    }
  }
  for (auto const feature : features) (*lists)[feature] = bits[feature].List();
}

/// Removes the first list, which is preceded by its length, from `rest` and returns it. \throws Error(kCollective) for
/// data that no rank can have sent.
Span<std::int32_t const> TakeList(Span<std::int32_t const>* rest) {
  auto const length = rest->empty() ? -1 : std::int64_t{(*rest)[0]};
  auto const is_there = length >= 0 && static_cast<std::size_t>(length) < rest->size();
  auto const list = is_there ? rest->subspan(1, length) : *rest;
  auto const is_category = [](std::int32_t category) { return category >= 0 && category < kCategoryLimit; };
  auto const ascends = std::adjacent_find(list.begin(), list.end(), std::greater_equal<>()) == list.end();
  if (!is_there || !ascends || !std::all_of(list.begin(), list.end(), is_category)) {
    Fail(ErrorKind::kCollective,
         "a message from a rank is damaged: expected an ascending list of categories. Run the same version of Kauri on "
         "all ranks, and check that the transport delivers every byte unchanged.");
  }
  *rest = rest->subspan(1 + ToSize(length), rest->size() - 1 - ToSize(length));
  return list;
}

}  // namespace

bool HasCategorical(MetaInfo const& info) {
  return std::find(info.feature_types.begin(), info.feature_types.end(), "c") != info.feature_types.end();
}

CategoryLists FindCategories(Context const& ctx, DataMatrix const& data) {
  if (!HasCategorical(data.Info())) return {};
  CategoryLists lists(static_cast<std::size_t>(data.NumCols()));
  std::vector<std::size_t> features;
  for (std::size_t feature = 0; feature < lists.size(); ++feature) {
    if (IsCategorical(data.Info(), feature)) features.push_back(feature);
  }
  if (data.Store() != nullptr) {
    FindInView(data, features, &lists);
  } else if (data.IsDense()) {
    FindInDense(ctx, data, features, &lists);
  } else {
    FindInSparse(data, features, &lists);
  }
  return lists;
}

CategoryLists UnionOverRanks(Context const& ctx, CategoryLists mine) {
  if (!IsDistributed(ctx)) return mine;
  std::vector<std::int32_t> words;  // each list: its length, then its categories
  for (auto const& list : mine) {
    words.push_back(static_cast<std::int32_t>(list.size()));
    words.insert(words.end(), list.begin(), list.end());
  }
  RequireSameOnRanks(ctx, "the number of columns among which there are categorical ones", std::to_string(mine.size()));
  CategoryLists all(mine.size());
  for (auto const& rank : GatherOverRanks(ctx, words)) {
    Span<std::int32_t const> rest(rank);
    for (auto& list : all) {
      auto const theirs = TakeList(&rest);
      std::vector<std::int32_t> merged;
      std::set_union(list.begin(), list.end(), theirs.begin(), theirs.end(), std::back_inserter(merged));
      list = std::move(merged);
    }
  }
  return all;
}

CategoryLists FillGaps(CategoryLists lists) {
  for (auto& list : lists) {
    if (list.empty() || list.back() >= kMaxFilledCategory) continue;
    list.resize(static_cast<std::size_t>(list.back()) + 1);
    std::iota(list.begin(), list.end(), 0);
  }
  return lists;
}

}  // namespace kauri
