/// \file TreeShap: exact Shapley values of one tree and one row (Lundberg et al. 2020, algorithm 1). Mitchell et al.
/// 2022 print it with the correct loop of EXTEND, but their UNWIND must read one_fraction and zero_fraction of the
/// removed element.
///
/// Vocabulary. A path holds the distinct features of the splits between the root and a node. Element j has
/// zero_fraction z (the probability of following the path when the feature is unknown: a product of cover ratios) and
/// one_fraction o (1 if the row itself follows the path at all splits on it, else 0). weight[i] is the weight of the
/// subsets of i of the path's features, times the probability of following the path when only those are known.
///
///   1. Traverse the tree, both branches of each split, with an explicit stack, so that depth costs no call stack.
///   2. EXTEND a copy of the parent's path by the split's feature. A repeated feature is first UNWOUND, and its
///      fractions are multiplied.
///   3. At a leaf of value v: phi_j += v (o_j - z_j) * (sum of the weights with j unwound).
///   4. If o = 0, that sum times z_j does not depend on j, so it is computed once per leaf instead of once per feature.
///   5. phi_jk, the effect of knowing k on phi_j, is phi_j on the path without k, times (o_k - z_k) / 2.
/// Once z = o = 0 all further weights are 0, so such branches are skipped; nothing is divided by zero.
///
/// Cost: leaves * depth^2 (step 3), leaves * depth^3 for interactions. Memory: depth^2 elements of 24 bytes. UNWIND
/// subtracts nearly equal numbers if z is near 1: float64 suffices for up to about 40 distinct features per path.
#pragma once

#include <cstdint>
#include <vector>

#include "predictor/forest/forest.h"

namespace kauri {

/// An element of a path. `weight` belongs to a subset size, slot and fractions to a feature; they only share an array
/// element.
struct PathElement {
  double zero_fraction;
  double weight;
  std::uint32_t slot;
  bool one_fraction;
};

/// TreeShap for one thread. Its scratch memory grows to the deepest tree.
class TreeShap {
 public:
  explicit TreeShap(Forest const& forest) : forest_(forest) {}

  /// Adds the contribution of each slot to phi[slot]. keys: [n_slots] of the row.
  void AddContributions(std::int64_t tree, std::int32_t const* keys, double* phi);
  /// Adds contributions like AddContributions, and phi_ab to pairs[a * n_slots + b] for slots a < b.
  void AddInteractions(std::int64_t tree, std::int32_t const* keys, double* phi, double* pairs);

 private:
  /// A branch that is still to be traversed.
  struct Branch {
    std::size_t parent_begin;   ///< start of the parent's path in paths_
    std::size_t parent_length;  ///< number of elements, including the root's
    double zero_fraction;
    std::uint32_t node;
    std::uint32_t slot;
    bool one_fraction;
  };

  /// Calls leaf_fn(path, n_features, value) for each leaf of non-zero probability. path[0] is the root, path[1 ..
  /// n_features] are features.
  template <typename LeafFn>
  void ForEachLeaf(std::int64_t tree, std::int32_t const* keys, LeafFn&& leaf_fn);
  void PushChildren(std::int64_t tree, Branch const& branch, std::int32_t const* keys, std::size_t begin,
                    std::size_t length);
  void AddLeaf(PathElement const* path, std::size_t n_features, double value, double* phi);
  void AddLeafPairs(PathElement const* path, std::size_t n_features, double value, double* pairs);
  void AddPair(PathElement const& a, PathElement const& b, double value, double* pairs) const;
  void PrepareReciprocals(std::int64_t tree);

  Forest const& forest_;
  std::vector<Branch> branches_;
  std::vector<PathElement> paths_;   ///< the paths of the nodes from the root to the current one, one after the other
  std::vector<double> reciprocals_;  ///< [i] = 1 / i
  std::vector<double> hot_weights_;
  std::vector<double> cold_weights_;
};

}  // namespace kauri
