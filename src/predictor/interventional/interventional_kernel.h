/// \file Vectorised inner loops of interventional contributions (interventional.h has the formulas).
///
/// Lower bounds. Per row and edge: two comparisons of keys, one mask, one bit, that is 4 operations on 16 rows with
/// 512-bit vectors. Per row and leaf of up to 8 features: one load of 64 bytes at a random place of the leaf's table,
/// one sum of 64 bytes read and written, that is 3 operations; with more features a gather for every 8 features. Per
/// row and split: two numbers of 8 bytes read and written when a position is closed. Per leaf with k features, for the
/// table: k 2^(k-1) steps of 4 operations on 4 points, 2^k inner products of 4 points twice, k 2^k differences for
/// values.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/host_device.h"
#include "predictor/paths/path_steps.h"

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

/// Returns the doubles per pattern in the table of values of a leaf with n_features features.
KAURI_HD std::int64_t TableWidth(std::uint32_t n_features) { return (std::int64_t{n_features} + 3) / 4 * 4; }

/// Returns the doubles of a leaf's table: a multiple of 8, so that the next table is aligned.
inline std::int64_t TableSize(std::uint32_t n_features) {
  auto const form = FormOf(n_features);
  if (form == LeafForm::kConstant || form == LeafForm::kPairs) return 0;
  return (form == LeafForm::kValues ? TableWidth(n_features) : 2) << n_features;
}

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
/// sums are aligned for vectors of 8 doubles and at least that long.
struct TableJob {
  std::uint32_t n_features;
  double const* table;
  std::uint32_t const* patterns;
  std::int64_t n_rows;
  double* sums;
  std::int64_t stride;
};
/// Adds from a table of values, [2^n_features, TableWidth], aligned like sums; up to 8 features.
void AddValues(TableJob const& job);
/// Adds from a table of parts, [2, 2^n_features]: S and S' of interventional.h. Up to 16 features.
void AddParts(TableJob const& job);

/// Points and weights for the tables of leaves with n features (1 to 16).
struct LeafRule {
  std::uint32_t n_features = 0;
  std::int64_t n_points = 0;         ///< 4 or 8; surplus points have weight 0
  std::vector<double> node;          ///< [n_points]
  std::vector<double> coefficients;  ///< [n_features + 1, n_points]: w (1 - t)^b / t
};
LeafRule MakeLeafRule(std::uint32_t n_features);

/// Computation of the table of one leaf.
struct LeafTableJob {
  LeafRule const& rule;
  double const* background;  ///< [2^n_features], weight of each pattern of the background
  double* scratch;           ///< [2^n_features, n_points]
  double* parts;             ///< [2, 2^n_features], in the layout of AddParts
  double* values;            ///< [2^n_features, TableWidth], in the layout of AddValues; nullptr: only parts
};
void MakeLeafTable(LeafTableJob const& job);

}  // namespace kauri
