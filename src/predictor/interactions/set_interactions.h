/// \file Interactions of sets of features of any size, only for sets that occur together on a path of a tree.
///
/// The indices and their integrals are in interaction_rule.h. A leaf contributes to the sets of the features of its
/// path, with the product of the factors of the other features in the integrand. As in shap_quadrature.h these products
/// are not made leaf by leaf:
///
///   1. For each point t of the rule, traverse the tree with 8 rows in lanes. Every row visits every edge.
///   2. Down: G(root) = 1, or the weight if it is the same for all sizes; G(child) = G(split) u / u', where u' is the
///      factor of the previous edge on the same feature, or 1.
///   3. Up: the mass M of an edge is the sum of v G(leaf) over the leaves below it.
///   4. The gain of an edge is (o - z) / u. So a leaf's integrand for a set S is v G(leaf) times the gains of S. A
///   split
///      on f adds, for each set T of other features above it, the sum over its edges of M (gain - previous gain), times
///      the gains of T that are in force at the split, to the set T + f. What the edges above have added with older
///      gains is thereby replaced, whatever the order of the features on the path.
///   5. Terms are rounded to integers before they are added (interaction_forest.h): the same sums in any order.
///   6. k-SII: each set adds its SII times Bernoulli numbers to all its subsets.
/// A full tree of depth 6 has 765 such sums of up to 3 features, instead of 2,624 leaf by leaf.
///
/// All other numbers are float64, so nothing else needs scaling. No gain times mass exceeds the leaf values in absolute
/// value. An edge without cover has a z just above 0 (interaction_forest.cc).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "predictor/forest/forest.h"
#include "predictor/interactions/interaction_forest.h"

namespace kauri {

/// Interactions in sparse form. Row r and output k own the entries [begin[r * n_outputs + k], begin[r * n_outputs + k +
/// 1]).
struct SetInteractions {
  std::vector<std::int64_t> set_begin{0};  ///< [n_sets + 1]; sets by size, then by members
  std::vector<std::uint32_t> members;      ///< features of each set, ascending
  std::vector<std::int64_t> begin{0};      ///< [n_rows * n_outputs + 1]
  std::vector<std::uint32_t> sets;         ///< [n_entries], number of a set
  std::vector<float> values;               ///< [n_entries]
  std::vector<float> base_values;          ///< [n_rows * n_outputs], f of the empty set
};

struct SetInteractionOptions {
  InteractionIndex index = InteractionIndex::kSii;
  std::int64_t max_order = 2;
  std::int64_t top_k = 0;  ///< entries per row and output, largest absolute values first, ties by set; 0: all, by set
};

/// The share of a set's SII that a subset gets.
struct SetShare {
  std::uint32_t superset;
  double share;
};

/// The shares that k-SII adds to each set, of the sets that contain it, ascending.
class SetShares {
 public:
  /// \throws Error(kParameter) for more shares than are supported.
  explicit SetShares(InteractionForest const& forest);

  std::vector<std::int64_t> const& Begins() const { return begin_; }  ///< [n_sets + 1]
  std::vector<SetShare> const& All() const { return shares_; }
  /// Turns values from SII into k-SII. values: [n_sets, n_rows].
  void Apply(std::int64_t n_rows, double* values) const;

 private:
  std::vector<std::int64_t> begin_;
  std::vector<SetShare> shares_;
};

/// The entries of a row, which are the same for all rows of some trees, and what they are computed with.
class SetEntries {
 public:
  /// trees: numbered within the forest. \throws Error(kParameter) for a negative top_k, and as SetShares.
  SetEntries(Forest const& forest, InteractionForest const& compiled, TreeRange trees, std::int64_t top_k);

  /// Returns the sets that the trees of an output can give an interaction, ascending.
  std::vector<std::uint32_t> const& Fillable(std::int64_t output) const { return fillable_[ToSize(output)]; }
  /// Returns the entries of a row and output.
  std::int64_t CountOf(std::int64_t output) const;
  std::int64_t RowEntries() const;
  /// Returns the units of 1 in the sums of an output.
  double ScaleOf(std::int64_t output) const { return scales_[ToSize(output)]; }
  /// Returns the shares of k-SII, or nullptr for other indices.
  SetShares const* Shares() const { return shares_.get(); }
  /// Fills all of `out` for a task's rows but the sets and values of entries, for which it makes room. \throws
  /// Error(kParameter) for too many entries.
  void Prepare(ForestTask const& task, InteractionForest const& compiled, SetInteractions* out) const;

 private:
  std::int64_t top_k_;
  std::vector<std::vector<std::uint32_t>> fillable_;  ///< [n_outputs]
  std::vector<double> expected_;                      ///< [n_outputs]
  std::vector<double> scales_;                        ///< [n_outputs]
  std::unique_ptr<SetShares const> shares_;
};

/// Compiles a forest for the index and order. \throws Error(kParameter) for an order out of range, and as
/// CompileInteractions.
std::shared_ptr<InteractionForest const> CompileSets(Forest const& forest, SetInteractionOptions const& options);

/// The forest compiled for the last index and order; thread-safe.
class LazyInteractions {
 public:
  std::shared_ptr<InteractionForest const> Get(Forest const& forest, SetInteractionOptions const& options) const;

 private:
  mutable std::mutex mutex_;
  mutable std::shared_ptr<InteractionForest const> last_;
  mutable std::int64_t max_order_ = 0;
};

/// Maximum number of entries of a result.
constexpr std::int64_t kMostSetEntries = std::int64_t{1} << 31;

/// Computes the interactions of the task's rows. The entries are those sets that a tree of the task's range and output
/// can give an interaction. The bits do not depend on the batch, the place in it, the number of threads or the CPU.
/// Memory besides the result: 128 bytes per set and thread. \throws Error(kParameter) for an order or top_k out of
/// range, and for more sets or entries than are supported.
SetInteractions ComputeSetInteractions(Context const& ctx, ForestTask const& task, LazyInteractions const& lazy,
                                       SetInteractionOptions const& options);

}  // namespace kauri
