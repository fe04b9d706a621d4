#include <algorithm>

#include "cuda/exact/categories/category_columns.h"
#include "cuda/exact/categories/category_sums.h"
#include "tree/categories/category_search.h"

namespace kauri::cuda {

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
