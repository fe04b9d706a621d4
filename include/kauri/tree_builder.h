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

/// A builder's data for one data set (sorted columns, bins, device copies) and its scratch memory. One per training
/// thread.
class BuildState {
 public:
  virtual ~BuildState() = default;
};

/// The position of a tree in its model, and data shared with the other trees; callers pass it on unchanged. The seeds
/// of the tree's random sampling follow from it.
struct TreePlace {
  std::int64_t iteration = 0;
  std::int64_t tree_in_iteration = 0;  ///< index over outputs and parallel trees
  std::int64_t n_outputs = 1;          ///< outputs of the model; the data kept per row besides the tree depend on it
  std::int64_t n_rows = 0;             ///< rows of all ranks, sampled or not; 0 if no parameter needs it
  float leaf_scale = 1.0F;             ///< leaf value = weight * eta * leaf_scale (1 / num_parallel_tree in forests)
  Span<float const> feature_weights;   ///< [n_cols], in host memory, for column sampling; empty: all equal
  Span<float const> feature_costs;  ///< [n_cols], in host memory; 0 once the model splits on a column; empty: no costs
  /// [outputs of the tree], in host memory: 1 if monotone constraints do not bind the output; empty: they bind all.
  Span<std::uint8_t const> free_outputs;
};

/// The errors of rows for a piecewise linear loss, which split_criterion=absolute_error reduces: `above` per unit that
/// a label is above the margin, `below` per unit that it is below.
struct LineErrors {
  Span<float const> residuals;  ///< [n_rows]: label minus margin; empty: the loss is not of this form
  Span<float const> weights;    ///< [n_rows], or empty: all 1
  double above = 1.0;
  double below = 1.0;
};

/// The input for building one tree.
struct TreeTask {
  GradientView gradients;
  GradientTableView table;                ///< all outputs, for a tree with vector leaves; `gradients` is empty then
  Span<std::uint8_t const> sampled_rows;  ///< [n_rows], 1 = used; empty = all are used
  TreePlace place;
  LineErrors errors;  ///< set if the criterion needs them
};

/// A tree method; immutable, shared by threads. Its entry in the registry declares the features that it supports
/// (kauri/capabilities.h); trainings that ask for others never reach it.
class TreeBuilder {
 public:
  virtual ~TreeBuilder() = default;
  /// Returns a key of everything besides the data that a state depends on: two builders with equal keys share states.
  virtual std::string StateKey() const { return {}; }
  /// Creates the state for a data set. Costs a sort (exact) or a quantile sketch and binning (hist).
  virtual std::unique_ptr<BuildState> MakeState(Context const& ctx, DataMatrix const& data) const = 0;
  /// Builds one tree. leaf_of_row (out): [n_rows], the leaf of every row, sampled or not. The same input and seed give
  /// the same tree, bit for bit, for any number of threads.
  virtual Tree Build(Context const& ctx, DataMatrix const& data, TreeTask const& task, BuildState* state,
                     Span<std::int32_t> leaf_of_row) const = 0;
};

}  // namespace kauri
