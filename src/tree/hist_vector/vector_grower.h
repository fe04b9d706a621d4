/// \file Grows one tree with a vector in each leaf from rows in memory (hist_growth.h describes the algorithm).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/context.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/growth/hist_growth.h"
#include "tree/growth/host_growth.h"
#include "tree/growth/symmetric_growth.h"
#include "tree/hist_vector/drawn_level.h"
#include "tree/hist_vector/level_conditions.h"
#include "tree/hist_vector/vector_growth.h"
#include "tree/hist_vector/vector_workspace.h"
#include "tree/random_thresholds/node_codes.h"
#include "tree/rows/row_lists.h"

namespace kauri {

// Computes the sums of nodes for the conditions of a level (level_conditions.h), from rows in memory.
//
// Cost per row: an addition of 8 lanes for each sum and tile of plain columns (random_thresholds/node_codes.h). Each
// other feature costs a look-up of its bin, and an addition per sum if the row is selected or missing.

/// Returns the plain columns of a matrix. Dense data with one-byte bin indices and without bundles have them.
PlainColumns PlainColumnsOf(BinMatrix const& bins);

class LevelSums {
 public:
  /// n_sums: number of leading integers of a table row to sum. The arguments must outlive this object.
  LevelSums(BinMatrix const& bins, GradientTableView const& table, std::int64_t n_sums)
      : bins_(bins), table_(table), n_sums_(n_sums) {}

  /// Returns the sums over the rows of all ranks, [n_nodes, n_sums, conditions.Width()], valid until the next call.
  std::int64_t const* Of(Context const& ctx, LevelConditions const& conditions,
                         Span<GrowingNode<VectorGrowth> const> nodes, RowLists const& rows);

 private:
  void SumPart(LevelConditions const& conditions, RowSlice slice, NodeCodes* scratch, std::int64_t* sums) const;
  void SumOther(TestedFeature const& other, RowSlice slice, NodeCodes const& rows, std::int64_t width,
                std::int64_t* sums) const;

  BinMatrix const& bins_;
  GradientTableView const& table_;
  std::int64_t n_sums_;
  std::vector<NodeCodes> scratch_;   ///< by thread
  std::vector<std::uint8_t> below_;  ///< bounds of the conditions, in bytes
  std::vector<std::int64_t> sums_;   ///< [n_parts, n_sums, width]; the first parts of the nodes come first
};

class VectorGrower : public SymmetricGrowth<HostGrowth<VectorGrowth, MemoryRows>> {
 public:
  VectorGrower(Context const& ctx, GrowthRules const& rules, TreeTask const& task, VectorWorkspace* workspace,
               MemoryRows* rows, Span<std::int32_t> leaf_of_row);

 private:
  /// The search for the splits of symmetric trees, with random thresholds per level (drawn_level.h), and the sums that
  /// it reads in place of histograms.
  struct Levels {
    DrawnLevelSearch search;
    LevelSums sums;
  };

  LevelSplit FindLevel(Nodes const& open) override;
  bool MakesSplit(LevelSplit const& split, std::size_t place, VectorNode* node) const override {
    return levels_->search.MakesSplit(split, place, node);
  }
  std::vector<std::int32_t> RightCategories(VectorNode const& node) const override {
    return levels_.has_value() ? SymmetricGrowth::RightCategories(node) : node.total.right_categories;
  }
  void FindSplits(Pairs const& pairs) override;
  void GiveBack(std::int64_t* histogram) override { workspace_->Pool()->GiveBack(histogram); }

  VectorWorkspace* workspace_;
  VectorSplitFinder finder_;
  std::optional<Levels> levels_;  ///< only of symmetric trees
};

/// Grows one tree with a vector in each leaf. workspace: kept from tree to tree, and made anew for another stride.
Tree GrowVectorTree(Context const& ctx, GrowthRules const& rules, TreeTask const& task,
                    std::unique_ptr<VectorWorkspace>* workspace, MemoryRows* rows, Span<std::int32_t> leaf_of_row);

}  // namespace kauri
