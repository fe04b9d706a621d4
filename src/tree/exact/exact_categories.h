/// \file Categorical columns in the exact method: a node's rows added up by category, and routed.
#pragma once

#include <cstdint>
#include <vector>

#include "data/categories/categories.h"
#include "data/sorted_columns.h"
#include "kauri/span.h"
#include "tree/categories/category_split.h"
#include "tree/exact/exact_scan.h"

namespace kauri {

/// How the categorical features of a data set are split.
struct CategoryTask {
  CategoryLists const& lists;
  CategoryRules rules;

  bool Has(std::uint32_t feature) const { return !lists.empty() && !lists[feature].empty(); }
};

/// The best candidate of a categorical feature in a node (FindCategorySplit), at least as good as `floor`. entries:
/// scratch.
SplitCandidate ScanCategories(GainParam const& param, CategoryTask const& task, SegmentView const& segment,
                              double floor, std::vector<CategoryEntry>* entries);

/// The categories that go right at the best split of a node.
std::vector<std::int32_t> RightCategoriesOf(GainParam const& param, CategoryTask const& task,
                                            SplitCandidate const& best, Span<ColumnEntry const> segment,
                                            FixedPair const* pairs);

/// The entries of a segment, those that go left first; `right` ascends. n_left: how many those are.
std::vector<ColumnEntry> LeftFirst(Span<ColumnEntry const> segment, std::vector<std::int32_t> const& right,
                                   std::int64_t* n_left);

}  // namespace kauri
