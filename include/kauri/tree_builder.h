/// \file The interface of a tree method.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/gradient.h"
#include "kauri/tree.h"

namespace kauri {

/// What a builder keeps for one data set (sorted columns, bins, device copies) and as scratch. One per training thread.
class BuildState {
 public:
  virtual ~BuildState() = default;
};

/// Which tree of a model is being built, and what it shares with the others: whoever builds passes it on as it is. The
/// seeds of what a tree samples follow from it.
struct TreePlace {
  std::int64_t iteration = 0;
  std::int64_t tree_in_iteration = 0;  ///< over outputs and parallel trees
  std::int64_t n_outputs = 1;          ///< of the model: what is kept per row besides the tree depends on it
  std::int64_t n_rows = 0;             ///< of all ranks, sampled or not; 0 where no parameter asks for it
  float leaf_scale = 1.0F;             ///< leaf value = weight * eta * leaf_scale (1 / num_parallel_tree in forests)
  Span<float const> feature_weights;   ///< [n_cols], host, for the sampling of columns; empty: all alike
  Span<float const> feature_costs;     ///< [n_cols], host, of columns without a split in the model; empty: none costs
};

/// The errors of rows where the loss is two straight lines, which split_criterion=absolute_error reduces: above for
/// each unit that a label is above the margin, below for each that it is below.
struct LineErrors {
  Span<float const> residuals;  ///< [n_rows]: label less margin; empty: the loss is none of these
  Span<float const> weights;    ///< [n_rows], or empty: all 1
  double above = 1.0;
  double below = 1.0;
};

/// What one tree is built from.
struct TreeTask {
  GradientView gradients;
  GradientTableView table;                ///< of all outputs, for a tree with vector leaves; `gradients` is empty then
  Span<std::uint8_t const> sampled_rows;  ///< [n_rows], 1 = used; empty = all are used
  TreePlace place;
  LineErrors errors;  ///< where the criterion asks for them
};

/// One per tree_method; const, shared by threads.
class TreeBuilder {
 public:
  virtual ~TreeBuilder() = default;
  /// Names what a state depends on besides the data: two builders with equal keys share states.
  virtual std::string StateKey() const { return {}; }
  /// Whether it builds trees with vector leaves as well, from the table of a task.
  virtual bool BuildsVectorLeaves() const { return false; }
  /// Whether ranks that have some of the rows each grow the tree of all rows, by what their contexts' collective says.
  virtual bool LearnsInGroups() const { return false; }
  /// The state for a data set. Costs a sort (exact) or a quantile sketch and binning (hist).
  virtual std::unique_ptr<BuildState> MakeState(Context const& ctx, DataMatrix const& data) const = 0;
  /// Builds one tree. leaf_of_row (out): [n_rows], the leaf of every row, sampled or not.
  /// Same input and seed: the same tree, bit for bit, for any number of threads.
  virtual Tree Build(Context const& ctx, DataMatrix const& data, TreeTask const& task, BuildState* state,
                     Span<std::int32_t> leaf_of_row) const = 0;
};

}  // namespace kauri
