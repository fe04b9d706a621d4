#include <algorithm>
#include <numeric>
#include <utility>

#include "cuda/common/launch.h"
#include "cuda/exact/categories/category_columns.h"
#include "cuda/exact/categories/category_sums.h"
#include "cuda/exact/entries/exact_types.h"
#include "kauri/tree.h"
#include "tree/categories/category_search.h"

namespace kauri::cuda {
namespace {

/// Facts about the values of a column in ascending order.
struct ColumnFacts {
  float largest;
  std::uint32_t has_others;  ///< whether there are values that are no category
};

/// facts: zero before the launch.
__global__ void __launch_bounds__(kBlockThreads)
    FactsKernel(float const* values, std::int64_t n_entries, ColumnFacts* facts) {
  std::int64_t const entry = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (entry >= n_entries) return;
  float const value = values[entry];
  bool const is_category = value >= 0.0F && value < static_cast<float>(kCategoryLimit) && value == floorf(value);
  if (!is_category) atomicOr(&facts->has_others, 1U);
  if (entry == n_entries - 1) facts->largest = value;
}

/// Returns the categories of a column. All of its values must be categories.
std::vector<std::int32_t> ListOf(CudaContext const& cuda, float const* values, std::int64_t n_entries, float largest) {
  if (n_entries == 0) return {};
  if (largest < static_cast<float>(kMaxFilledCategory)) {
    std::vector<std::int32_t> list(static_cast<std::size_t>(largest) + 1);
    std::iota(list.begin(), list.end(), 0);
    return list;
  }
  auto sorted = ToHost(cuda, values, static_cast<std::size_t>(n_entries));
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return {sorted.begin(), sorted.end()};
}

/// Writes the codes of one column. rows and values: [n_entries]; categories: ascending, contains every value; codes:
/// [n_rows].
__global__ void __launch_bounds__(kBlockThreads)
    CodesKernel(std::uint32_t const* rows, float const* values, std::int64_t n_entries,
                Span<std::int32_t const> categories, std::uint32_t* codes) {
  std::int64_t const entry = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (entry >= n_entries) return;
  auto const category = static_cast<std::int32_t>(values[entry]);
  std::uint32_t low = 0;
  for (auto high = static_cast<std::uint32_t>(categories.size()); high - low > 1;) {
    std::uint32_t const middle = low + (high - low) / 2;
    if (categories.data()[middle] <= category) {
      low = middle;
    } else {
      high = middle;
    }
  }
  codes[rows[entry]] = low + 1;
}

std::size_t NumCategorical(CategoryLists const& lists) {
  auto const is_filled = [](std::vector<std::int32_t> const& list) { return !list.empty(); };
  return static_cast<std::size_t>(std::count_if(lists.begin(), lists.end(), is_filled));
}

}  // namespace

CategoryLists ListCategories(CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                             DeviceColumns const& columns) {
  if (!HasCategorical(data.Info())) return {};
  auto const n_cols = static_cast<std::size_t>(columns.NumCols());
  Buffer<ColumnFacts> const facts(cuda, n_cols);
  FillZero(cuda, facts.data(), n_cols);
  for (std::size_t feature = 0; feature < n_cols; ++feature) {
    if (!IsCategorical(data.Info(), feature)) continue;
    auto const begin = columns.column_ptr[feature];
    auto const n_entries = columns.column_ptr[feature + 1] - begin;
    Launch(cuda, GridFor(n_entries, kBlockThreads), kBlockThreads, FactsKernel, columns.values.data() + begin,
           n_entries, facts.data() + feature);
  }
  auto const of_column = ToHost(cuda, facts.data(), n_cols);
  CategoryLists lists(n_cols);
  for (std::size_t feature = 0; feature < n_cols; ++feature) {
    if (!IsCategorical(data.Info(), feature)) continue;
    if (of_column[feature].has_others != 0) return FillGaps(FindCategories(ctx, data));  // throws, naming the row
    auto const begin = columns.column_ptr[feature];
    lists[feature] = ListOf(cuda, columns.values.data() + begin, columns.column_ptr[feature + 1] - begin,
                            of_column[feature].largest);
  }
  return lists;
}

std::size_t BytesOfCodes(CategoryLists const& lists, std::int64_t n_rows) {
  return NumCategorical(lists) * static_cast<std::size_t>(n_rows) * sizeof(std::uint32_t);
}

DeviceCategories MakeDeviceCategories(CudaContext const& cuda, DeviceColumns const& columns, CategoryLists lists) {
  DeviceCategories categories;
  categories.n_rows = columns.n_rows;
  categories.lists = std::move(lists);
  auto const bytes = BytesOfCodes(categories.lists, columns.n_rows);
  if (bytes == 0) return categories;
  categories.codes = Buffer<std::uint32_t>(cuda, bytes / sizeof(std::uint32_t));
  FillZero(cuda, categories.codes.data(), categories.codes.size());
  std::int32_t n_columns = 0;
  for (std::size_t feature = 0; feature < categories.lists.size(); ++feature) {
    auto const& list = categories.lists[feature];
    categories.column_of.push_back(list.empty() ? -1 : n_columns++);
    if (list.empty()) continue;
    auto const on_device = ToDevice(cuda, list);
    auto const begin = columns.column_ptr[feature];
    auto const n_entries = columns.column_ptr[feature + 1] - begin;
    Span<std::int32_t const> const span(on_device.data(), on_device.size());
    Launch(cuda, GridFor(n_entries, kBlockThreads), kBlockThreads, CodesKernel, columns.rows.data() + begin,
           columns.values.data() + begin, n_entries, span,
           categories.codes.data() + categories.column_of.back() * columns.n_rows);
  }
  cuda.Synchronize();  // for the codes, which other streams may read now
  return categories;
}

std::size_t BytesOfCells(CategoryLists const& lists, std::int64_t n_rows) {
  std::int64_t n_features = 0;
  std::int64_t n_cells = 0;
  for (auto const& list : lists) {
    n_features += list.empty() ? 0 : 1;
    n_cells += static_cast<std::int64_t>(list.size());
  }
  if (n_cells == 0) return 0;
  // At most one node per row; at least one node at a time.
  auto const n_nodes = static_cast<std::size_t>(std::max<std::int64_t>(1, std::min(n_rows, kCellsPerSlice / n_cells)));
  constexpr std::size_t kPerCell = sizeof(FixedSum) + 2 * sizeof(std::uint64_t) + 2 * sizeof(std::uint32_t);
  return n_nodes * (static_cast<std::size_t>(n_cells) * kPerCell +
                    static_cast<std::size_t>(n_features) * sizeof(SegmentCandidate));
}

std::vector<std::uint32_t> CategoryColumns::Start(CudaContext const& cuda, DeviceCategories const& categories,
                                                  CategoryRules const& rules,
                                                  std::vector<std::uint32_t> const& features) {
  auto const same_rules = rules_.max_onehot == rules.max_onehot && rules_.max_partition == rules.max_partition;
  if (categories_ == &categories && same_rules && asked_ == features) return others_;
  categories_ = &categories;
  rules_ = rules;
  asked_.clear();  // cleared until Start succeeds: an allocation may fail
  Describe(cuda, features);
  asked_ = features;
  return others_;
}

/// Sets the members that follow from the columns of a tree, on the host and on the device: the categorical features
/// (`features_`), the others (`others_`), and where each feature's cells begin among a node's cells. features: ids,
/// ascending, as Start takes them.
void CategoryColumns::Describe(CudaContext const& cuda, std::vector<std::uint32_t> const& features) {
  std::vector<std::int64_t> first_cells;
  std::vector<std::int32_t> ids;
  others_.clear();
  features_.clear();
  needs_order_ = false;
  n_cells_ = n_words_ = 0;
  for (auto const feature : features) {
    if (!categories_->Has(feature)) {
      others_.push_back(feature);
      continue;
    }
    auto const n = static_cast<std::int32_t>(categories_->lists[feature].size());
    ids.push_back(static_cast<std::int32_t>(feature));
    first_cells.push_back(n_cells_);
    auto const one_hot = category_search::UsesOneHot(rules_, n);
    features_.push_back({n_cells_, n, ids.back(), categories_->column_of[feature], one_hot});
    needs_order_ = needs_order_ || !one_hot;
    n_cells_ += n;
    n_words_ = std::max<std::int64_t>(n_words_, (n + 31) / 32);
  }
  device_features_ = ToDevice(cuda, features_);
  first_cells_ = ToDevice(cuda, first_cells);
  feature_ids_ = ToDevice(cuda, ids);
}

CategoryTable CategoryColumns::Table() const {
  return {device_features_.data(),   first_cells_.data(), static_cast<std::int32_t>(features_.size()), n_cells_,
          categories_->codes.data(), categories_->n_rows};
}

CategorySortBuffers CategoryColumns::ReserveSort(CudaContext const& cuda, std::size_t n_cells) {
  keys_.Reserve(cuda, n_cells);
  other_keys_.Reserve(cuda, n_cells);
  order_.Reserve(cuda, n_cells);
  other_order_.Reserve(cuda, n_cells);
  return {keys_.data(), other_keys_.data(), order_.data(), other_order_.data()};
}

void CategoryColumns::Find(CudaContext const& cuda, SplitTask const& level, std::int32_t const* positions,
                           FixedPair const* pairs, SplitCandidate* best) {
  if (IsEmpty()) return;
  auto const n_nodes = level.table.n_nodes;
  auto const n_words = static_cast<std::size_t>(n_nodes * n_words_);
  right_.Reserve(cuda, n_words);
  FillZero(cuda, right_.data(), n_words);
  auto const per_slice = static_cast<std::int32_t>(
      std::max<std::int64_t>(1, std::min<std::int64_t>(n_nodes, cells_per_slice_ / n_cells_)));
  for (std::int32_t first = 0; first < n_nodes; first += per_slice) {
    FindInSlice(cuda, {first, std::min(per_slice, n_nodes - first)}, level, positions, pairs, best);
  }
  host_right_.Reserve(n_words);
  CopyToHost(cuda, right_.data(), n_words, host_right_.data());
}

void CategoryColumns::FindInSlice(CudaContext const& cuda, CategorySlice const& slice, SplitTask const& level,
                                  std::int32_t const* positions, FixedPair const* pairs, SplitCandidate* best) {
  CategorySplitTask task;
  task.table = Table();
  task.level = level;
  task.level.table.n_nodes = slice.n_nodes;
  task.level.table.n_features = task.table.n_features;
  task.level.feature_ids = feature_ids_.data();
  task.level.nodes += slice.first;
  task.level.floors += slice.first;
  if (level.allowed != nullptr) task.level.allowed += static_cast<std::int64_t>(slice.first) * level.n_all_features;
  task.max_partition = rules_.max_partition;
  auto const n_cells = static_cast<std::size_t>(slice.n_nodes * n_cells_);
  sums_.Reserve(cuda, n_cells);
  segment_best_.Reserve(cuda, features_.size() * static_cast<std::size_t>(slice.n_nodes));
  task.sums = sums_.data();
  task.segment_best = segment_best_.data();
  AddByCategory(cuda, task.table, slice, positions, pairs, sums_.data());
  if (needs_order_) {
    task.order = SortByWeight(cuda, task, ReserveSort(cuda, n_cells), &sort_scratch_);
  }
  FindCategorySplits(cuda, task, best + slice.first);
  MarkRightCategories(cuda, task, best + slice.first, n_words_, right_.data() + slice.first * n_words_);
}

std::vector<std::int32_t> CategoryColumns::RightOf(std::int64_t node, SplitCandidate const& split) const {
  if (IsEmpty() || !categories_->Has(split.feature)) return {};
  auto const& categories = categories_->lists[split.feature];
  auto const* const words = host_right_.data() + node * n_words_;
  std::vector<std::int32_t> right;
  for (std::size_t first = 0; first < categories.size(); first += 32) {
    for (auto left = words[first / 32]; left != 0; left &= left - 1) {  // clears the lowest bit
      right.push_back(categories[first + (__builtin_ctz(left))]);
    }
  }
  return right;
}

std::vector<std::int32_t> CategoryColumns::ColumnsOf(std::vector<NodeMove> const& moves) const {
  std::vector<std::int32_t> columns;
  if (IsEmpty()) return columns;
  for (auto const& move : moves) {
    auto const is_categorical = move.feature >= 0 && categories_->Has(move.feature);
    columns.push_back(is_categorical ? categories_->column_of[move.feature] : -1);
  }
  return columns;
}

}  // namespace kauri::cuda
