/// \file Sums of the trees of one output over a block of rows, computed by quadrature_kernel.h and quadrature_levels.h.
/// Sums are float64, in groups of rows whose sums are adjacent.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "predictor/forest/forest_task.h"
#include "predictor/shap/lazy_quadrature.h"
#include "predictor/shap/quadrature_kernel.h"

namespace kauri {

/// The forest compiled for the methods that a call needs.
struct CompiledQuadrature {
  std::shared_ptr<QuadratureForest const> forest;
  std::shared_ptr<QuadratureLevels const> levels;  ///< nullptr: only traversals
};

/// Compiles the forest on first use. Few rows use the levels unless pairs are requested.
CompiledQuadrature PrepareQuadrature(Context const& ctx, ForestTask const& task, LazyQuadrature const& lazy,
                                     QuadratureGoal goal);

/// Returns the rows of a block: enough that constants and sums stay in cache while the block passes over a tree, but
/// few if there are few rows, so that all threads have work.
std::int64_t QuadratureBlockRows(ForestTask const& task, QuadratureForest const& compiled, bool with_pairs);

/// Returns the expected sum of the trees of each output.
std::vector<double> ExpectedSums(ForestTask const& task, QuadratureForest const& compiled);

/// Sums over one block of rows. Each thread needs its own. The results of a row do not depend on the other rows.
class QuadratureSums {
 public:
  static constexpr std::int64_t kLanes = kQuadratureRows;

  /// Reads rows [begin, end). Nothing is owned.
  QuadratureSums(ForestTask const& task, CompiledQuadrature const& compiled, std::int64_t begin, std::int64_t end);

  /// Sums the trees of an output; discards the previous output.
  void AddTrees(std::int64_t output, bool with_pairs);
  /// Subtracts from each feature its pairs: the rest of its Shapley value is the diagonal of the interactions.
  void SubtractPairs(std::int64_t output);

  std::int64_t NumRows() const { return n_rows_; }
  std::int64_t NumGroups() const { return n_groups_; }
  std::int64_t RowsOf(std::int64_t group) const;
  double const* Phi(std::int64_t group) const;    ///< [n_slots, kLanes]
  double const* Pairs(std::int64_t group) const;  ///< [pairs of the output, kLanes]

 private:
  void ComputeAllTerms();
  void AddTerms(std::int64_t tree);

  ForestTask const& task_;
  QuadratureForest const& compiled_;
  QuadratureLevels const* levels_;
  std::int64_t n_rows_;
  std::int64_t n_groups_;
  std::vector<std::int32_t> keys_;  ///< [n_groups, n_slots, kLanes]
  std::vector<double> phi_;         ///< [n_groups, n_slots, kLanes]
  std::vector<double> pairs_;       ///< [n_groups, pairs of the output, kLanes]
  std::int64_t n_pairs_ = 0;
  std::vector<float> terms_;  ///< [n_rows, n_lanes of the levels]
  std::vector<float> sums_;   ///< sums of a tree's features
  QuadratureScratch scratch_;
};

}  // namespace kauri
