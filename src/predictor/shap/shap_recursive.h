/// \file TreeShap: exact Shapley values of one tree and one row (Lundberg et al. 2020, algorithm 1; Mitchell et al.
/// 2022 print it with the loop of EXTEND right, their UNWIND must read one_fraction and zero_fraction of the removed
/// element).
///
/// Vocabulary. A path holds the distinct features that were split on between the root and a node. Element j has
/// zero_fraction z (the chance of following the path when the feature is unknown: a product of cover ratios) and
/// one_fraction o (1 if the row itself follows the path at all splits on it, else 0). weight[i] is the share of the
/// subsets of i of the path's features, times the chance of following the path when just those are known.
///
///   1. Walk the tree, both branches of each split; keep an explicit stack, so that depth costs no call stack.
///   2. EXTEND the parent's path, copied, by the split's feature; a feature met again is first UNWOUND, its fractions
///      multiplied.
///   3. At a leaf of value v: phi_j += v (o_j - z_j) * (sum of the weights with j unwound).
///   4. For j with o = 0 that sum times z_j does not depend on j: once per leaf instead of once per feature.
///   5. phi_jk, the effect of knowing k on phi_j, is the same on the path without k, times (o_k - z_k) / 2.
/// Once z = o = 0 all weights are 0 for good, so such branches are left out; nothing is divided by zero.
///
/// Cost: leaves * depth^2 (step 3), leaves * depth^3 for interactions. Memory: depth^2 elements of 24 bytes.
/// UNWIND subtracts nearly equal numbers where z is near 1: float64 holds out to about 40 distinct features per path.
#pragma once

#include <cstdint>
#include <vector>

#include "predictor/forest/forest.h"

namespace kauri {

/// weight belongs to the subset size, slot and fractions to a feature; they share a slot of the array only.
struct PathElement {
  double zero_fraction;
  double weight;
  std::uint32_t slot;
  bool one_fraction;
};

/// Scratch memory for one thread; grows to the deepest tree it meets.
class TreeShap {
 public:
  explicit TreeShap(Forest const& forest) : forest_(forest) {}

  /// phi[slot] += contribution of the slot. keys: [n_slots] of the row.
  void AddContributions(std::int64_t tree, std::int32_t const* keys, double* phi);
  /// As AddContributions, and pairs[a * n_slots + b] += phi_ab for slots a < b.
  void AddInteractions(std::int64_t tree, std::int32_t const* keys, double* phi, double* pairs);

 private:
  /// A branch that is still to be walked.
  struct Branch {
    std::size_t parent_begin;   ///< of the parent's path in paths_
    std::size_t parent_length;  ///< elements, the root's included
    double zero_fraction;
    std::uint32_t node;
    std::uint32_t slot;
    bool one_fraction;
  };

  /// leaf_fn(path, n_features, value) for each leaf with a chance; path[0] is the root, path[1 .. n_features] features.
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
