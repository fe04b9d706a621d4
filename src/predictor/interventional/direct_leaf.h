/// \file The patterns of a background at one leaf, and contributions from pairs of a row and a pattern, for paths that
/// are too long for tables (interventional.h).
///
/// For a row x and a row r of the background, the leaf matters in some coalition only if each feature of its path is
/// satisfied by x or by r. Let A be the features that only x satisfies, B the features that only r satisfies, and a and
/// b their numbers. With the leaf's value v, the Shapley values of the game "features of the coalition come from x, the
/// others from r" are v (a-1)! b! / (a+b)! for features in A and -v a! (b-1)! / (a+b)! for features in B. The order in
/// which features join decides this: a feature of A adds the value if it is the last of A and comes before all of B.
/// In the terms of interventional.h these are the integrals of t^(a-1) (1-t)^b and t^a (1-t)^(b-1) over the measure of
/// the semivalue. For a pair, two factors are taken out: t^(a-2) (1-t)^b for two features of A, -t^(a-1) (1-t)^(b-1)
/// for one of each, t^a (1-t)^(b-2) for two of B.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "predictor/interventional/interventional_kernel.h"
#include "predictor/shap/quadrature_rule.h"

namespace kauri {

/// The weights of ShapleyWeights, and the units of the sums. Not owning: host or device memory.
struct DirectWeights {
  double const* weights;  ///< [size, size]
  std::uint32_t size;
  bool are_alone;  ///< values are effects of features alone, and pairs Shapley-Taylor indices
  double scale;    ///< units of 1

  /// Returns the weight of k and l, k >= 1: the integral of t^(k-1) (1-t)^l.
  KAURI_HD double At(std::uint32_t k, std::uint32_t l) const { return weights[std::size_t{k} * size + l]; }
  /// Returns the value of a feature that only the row satisfies, of a such features; b only the background satisfies.
  KAURI_HD double OfRow(std::uint32_t a, std::uint32_t b) const { return are_alone ? (a == 1 ? 1.0 : 0.0) : At(a, b); }
  /// Returns minus the value of a feature that only the background satisfies.
  KAURI_HD double OfBackground(std::uint32_t a, std::uint32_t b) const {
    return are_alone ? (a == 0 ? 1.0 : 0.0) : At(b, a);
  }
  /// Returns half of the integral of t^p (1-t)^q over the measure of pairs, p + q <= size - 3.
  KAURI_HD double HalfPair(std::uint32_t p, std::uint32_t q) const {
    return are_alone ? At(p + 1, q + 1) : 0.5 * At(p + 1, q);  // Shapley-Taylor: the measure is 2 (1 - t) dt
  }
  KAURI_HD std::int64_t Units(double value) const { return ToUnits(value, scale); }
};

/// The weights (k - 1)! l! / (k + l)! for k + l up to `most`. They are products of numbers below 1, so nothing
/// overflows. Banzhaf values have the weights 2^-(k + l - 1) instead.
class ShapleyWeights {
 public:
  explicit ShapleyWeights(std::uint32_t most, Semivalue semivalue = Semivalue::kShapley);
  DirectWeights View(double scale) const { return {weights_.data(), Size(), are_alone_, scale}; }
  std::vector<double> const& All() const { return weights_; }
  std::uint32_t Size() const { return static_cast<std::uint32_t>(size_); }

 private:
  std::size_t size_;
  bool are_alone_;
  std::vector<double> weights_;  ///< [size, size], size = most + 1
};

/// The distinct patterns of a background at one leaf, ascending.
struct DirectLeaf {
  std::uint32_t n_features = 0;
  std::vector<std::uint32_t> missed;    ///< [n_patterns, planes]: complement of the pattern, its unsatisfied features
  std::vector<std::uint32_t> n_missed;  ///< [n_patterns], number of bits set in `missed`
  std::vector<double> weight;           ///< [n_patterns], number of rows times the value of one row
};

/// Collects patterns tile by tile. Memory is linear in the number of distinct patterns.
class DirectLeafBuilder {
 public:
  explicit DirectLeafBuilder(std::uint32_t n_features);
  /// Adds the patterns of a tile. planes: each [n_rows].
  void Add(std::vector<std::uint32_t const*> const& planes, std::int64_t n_rows);
  /// Returns the collected patterns. value: value of one row.
  DirectLeaf Finish(double value);

 private:
  void Merge();

  DirectLeaf leaf_;
  std::vector<std::int64_t> count_;  ///< by pattern
  std::size_t merge_at_ = 0;
};

/// Adds the contributions of the leaf's positions to sums[row * stride + position].
void AddDirect(DirectLeaf const& leaf, std::vector<std::uint32_t const*> const& planes, std::int64_t n_rows,
               DirectWeights const& weights, std::int64_t* sums, std::int64_t stride);
/// Adds the cells of the leaf's pairs of positions to sums[row * stride + PairNumber].
void AddDirectPairs(DirectLeaf const& leaf, std::vector<std::uint32_t const*> const& planes, std::int64_t n_rows,
                    DirectWeights const& weights, std::int64_t* sums, std::int64_t stride);

}  // namespace kauri
