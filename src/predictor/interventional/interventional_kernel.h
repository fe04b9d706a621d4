/// \file Vectorised inner loops of interventional contributions (interventional.h has the formulas).
///
/// Lower bounds. Per row and edge: two comparisons of keys, one mask, one bit, that is 4 operations on 16 rows with
/// 512-bit vectors. Per row and leaf of up to 8 features: one load of 64 bytes at a random place of the leaf's table,
/// one sum of 64 bytes read and written, that is 3 operations; with more features a gather for every 8 features. Per
/// row and split: two numbers of 8 bytes read and written when a position is closed. Per leaf with k features, for the
/// table: k 2^(k-1) steps of 4 operations on 4 points, 2^k inner products of 4 points twice, k 2^k differences for
/// values.
///
/// Interactions, in addition. Per row and leaf of 6 features: two loads of 64 bytes from a table of 15 pairs, two sums
/// of 64 bytes. Per row and split at depth d: d numbers read, written and added when a position is closed. Per leaf
/// with k features: three more inner products for each of 2^k patterns; with kSpread k (k - 1) / 2 2^k times three
/// differences.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "kauri/host_device.h"
#include "kauri/span.h"
#include "predictor/paths/path_steps.h"
#include "predictor/shap/quadrature_rule.h"

namespace kauri {

// Choice of the algorithm for a leaf's interventional contributions (interventional.h).

/// Algorithm for a leaf. It depends only on the leaf's number of features, so no bit depends on how many rows are
/// explained.
enum class LeafForm : std::uint32_t {
  kConstant,  ///< no features
  kValues,    ///< a table of all features' values by pattern: up to 16 kB
  kParts,     ///< a table of two numbers by pattern: up to 64 kB
  kPairs      ///< pairs of a row's and a background's pattern
};
constexpr std::uint32_t kMostValueFeatures = 8;
constexpr std::uint32_t kMostPartFeatures = 12;

constexpr LeafForm FormOf(std::uint32_t n_features) {
  if (n_features == 0) return LeafForm::kConstant;
  if (n_features <= kMostValueFeatures) return LeafForm::kValues;
  return n_features <= kMostPartFeatures ? LeafForm::kParts : LeafForm::kPairs;
}

/// Returns the numbers per pattern in the table of values of a leaf with n_features features.
KAURI_HD std::int64_t TableWidth(std::uint32_t n_features) { return (std::int64_t{n_features} + 3) / 4 * 4; }

/// Returns the numbers of a leaf's table: a multiple of 8, so that the next table is aligned.
inline std::int64_t TableSize(std::uint32_t n_features) {
  auto const form = FormOf(n_features);
  if (form == LeafForm::kConstant || form == LeafForm::kPairs) return 0;
  return (form == LeafForm::kValues ? TableWidth(n_features) : 2) << n_features;
}

// Pairs of positions. The pair of positions i < j has the number j (j - 1) / 2 + i, so the pairs of the first
// positions come first.

constexpr std::int64_t NumPairs(std::int64_t n_features) { return n_features * (n_features - 1) / 2; }
/// Returns the number of a pair of different positions.
constexpr std::int64_t PairNumber(std::int64_t a, std::int64_t b) { return a < b ? NumPairs(b) + a : NumPairs(a) + b; }

/// Returns the numbers per pattern in the table of pairs of a leaf of the form kValues.
constexpr std::int64_t PairTableWidth(std::uint32_t n_features) {
  auto const n_pairs = NumPairs(n_features);
  return n_pairs <= 4 ? 4 : (n_pairs + 7) / 8 * 8;
}

/// Layout of the tables of pairs of leaves of the form kValues. Rows get the same numbers from both.
enum class PairLayout {
  kSpread,  ///< a number for each pattern and pair: a device reads neighbours
  kCompact  ///< with many features A, B and C of interventional.h: 3 kB instead of 32 for 7 features
};
constexpr std::uint32_t kFewestCompactFeatures = 6;

constexpr bool SpreadsPairs(std::uint32_t n_features, PairLayout layout) {
  return FormOf(n_features) == LeafForm::kValues &&
         (layout == PairLayout::kSpread || n_features < kFewestCompactFeatures);
}

/// Returns the numbers of a leaf's table of pairs: a multiple of 8. Leaves of one feature have none.
inline std::int64_t PairTableSize(std::uint32_t n_features, PairLayout layout = PairLayout::kSpread) {
  if (n_features < 2 || TableSize(n_features) == 0) return 0;
  if (!SpreadsPairs(n_features, layout)) return std::int64_t{3} << n_features;
  return PairTableWidth(n_features) << n_features;
}

// Units. Contributions become integers, multiples of a unit of 2^-k, before they are added. So their sums have the same
// bits in any order, on any device. Leaves are divided by the range of their output first (background_tree.h), so that
// every sum of contributions is below 1.

/// A sum of contributions has at most this number of bits. A part of a pair (A, B or C of interventional.h) can be 84
/// times the value of its leaf, and int64 has room for the difference of four.
constexpr int kUnitBits = 55;
/// The units of 1 for leaves that are divided by the range of their output.
constexpr double kUnitsOfOne = static_cast<double>(std::int64_t{1} << kUnitBits);

/// Rounds a value to units, half to even. scale: 2^k, the units of 1.
KAURI_HD std::int64_t ToUnits(double value, double scale) { return llrint(value * scale); }

/// Maximum rows of a tile, a multiple of every vector's lanes, so that a leaf's table stays in the first cache.
constexpr std::int64_t kPatternRows = 1024;

/// Sets one bit of a plane of patterns. All pointers: [n_rows, rounded up to a multiple of 16].
struct PatternBitJob {
  PathFeature const& feature;
  CategoryConditionsView categories;
  std::uint32_t bit;  ///< 2^position
  std::int64_t n_rows;
  std::int32_t const* keys;  ///< keys of the feature
  std::uint32_t const* from;
  std::uint32_t* to;  ///< rows from n_rows on are unspecified
};
void SetPatternBit(PatternBitJob const& job);

/// Adds the table's entry for each row's pattern to the row's sums by position, sums[row * stride + position]. Rows of
/// sums are aligned for vectors of 8 integers and at least that long.
struct TableJob {
  std::uint32_t n_features;
  std::int64_t const* table;
  std::uint32_t const* patterns;
  std::int64_t n_rows;
  std::int64_t* sums;
  std::int64_t stride;
};
/// Adds from a table of values, [2^n_features, TableWidth], aligned like sums; up to 8 features.
void AddValues(TableJob const& job);
/// Adds from a table of parts, [2, 2^n_features]: S and S' of interventional.h. Up to 16 features.
void AddParts(TableJob const& job);
/// Adds to the sums by pair of positions from a table of pairs, [2^n_features, PairTableWidth]; 2 to 8 features.
void AddPairValues(TableJob const& job);
/// Adds to the sums by pair of positions from a table of parts, [3, 2^n_features]: A, B and C of interventional.h.
void AddPairParts(TableJob const& job);

/// Finds the patterns that share no bit with `bits`. Writes their numbers, ascending, and returns how many there are.
/// found: room for all patterns and kFoundRoom more.
constexpr std::size_t kFoundRoom = 16;
std::size_t FindDisjoint(Span<std::uint32_t const> patterns, std::uint32_t bits, std::uint32_t* found);

/// Points and weights for the tables of leaves with n features (1 to 16).
struct LeafRule {
  std::uint32_t n_features = 0;
  std::int64_t n_points = 0;              ///< 4 or 8; surplus points have weight 0
  std::vector<double> node;               ///< [n_points]
  std::vector<double> coefficients;       ///< [n_features + 1, n_points]: w (1 - t)^b / t
  std::vector<double> pair_coefficients;  ///< the same for half of a pair's index: w (1 - t)^b / (2 t^2)
  bool is_alone = false;                  ///< the values are effects of features alone, which need no points
};
/// Makes the rule of a semivalue. kTaylorPairs has the effects of features alone as values.
LeafRule MakeLeafRule(std::uint32_t n_features, Semivalue semivalue = Semivalue::kShapley);

/// Computation of the table of one leaf.
struct LeafTableJob {
  LeafRule const& rule;
  double const* background;       ///< [2^n_features], weight of each pattern of the background
  LeafForm form;                  ///< kValues, up to 8 features, or kParts
  double scale;                   ///< units of 1
  double* scratch;                ///< [2^n_features, n_points]
  double* parts;                  ///< [2, 2^n_features], with pairs [5, 2^n_features], of any value
  std::int64_t* table;            ///< in the layout of AddValues or AddParts
  std::int64_t* pairs = nullptr;  ///< in the layout of AddPairValues or AddPairParts; nullptr: no pairs
  PairLayout layout = PairLayout::kSpread;
};
void MakeLeafTable(LeafTableJob const& job);

}  // namespace kauri
