/// \file Categorical columns in the exact method: adds up and routes the rows of a node by category.
#pragma once

#include <cstdint>
#include <vector>

#include "data/categories/categories.h"
#include "data/sorted_columns.h"
#include "kauri/span.h"
#include "tree/categories/category_split.h"
#include "tree/exact/exact_scan.h"

namespace kauri {

/// How to split the categorical features of a data set.
struct CategoryTask {
  CategoryLists const& lists;
  CategoryRules rules;

  bool Has(std::uint32_t feature) const { return !lists.empty() && !lists[feature].empty(); }
};

/// Returns the best candidate of a categorical feature in a node (FindCategorySplit) that is at least as good as
/// `floor`. entries: scratch.
SplitCandidate ScanCategories(GainParam const& param, CategoryTask const& task, SegmentView const& segment,
                              double floor, std::vector<CategoryEntry>* entries);

/// Returns the categories that go right at the best split of a node.
std::vector<std::int32_t> RightCategoriesOf(GainParam const& param, CategoryTask const& task,
                                            SplitCandidate const& best, Span<ColumnEntry const> segment,
                                            FixedPair const* pairs);

/// Returns the entries of a segment, reordered so that those that go left come first. right: ascending. n_left (out):
/// the number of entries that go left.
std::vector<ColumnEntry> LeftFirst(Span<ColumnEntry const> segment, std::vector<std::int32_t> const& right,
                                   std::int64_t* n_left);

}  // namespace kauri
