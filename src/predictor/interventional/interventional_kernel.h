/// \file What interventional contributions spend their time on, in vectors (interventional.h has the formulas).
///
/// Floors, per row and edge: two comparisons of keys, one mask, one bit: 4 operations on 16 rows with 512-bit vectors.
/// Per row and leaf of up to 8 features: one load of 64 bytes at a random place of the leaf's table, one sum of 64
/// bytes read and written: 3 operations; with more features a gather for every 8. Then, per row and split, two numbers
/// of 8 bytes read and written as a position is closed. Per leaf with k features, for the table: k 2^(k-1) steps of 4
/// operations on 4 points, 2^k inner products of 4 points twice, k 2^k differences for values.
#pragma once

#include <cstdint>
#include <vector>

#include "predictor/interventional/leaf_form.h"
#include "predictor/paths/path_feature.h"

namespace kauri {

/// Rows of a tile at most, a multiple of every vector's lanes: while a leaf's table is in the first cache.
constexpr std::int64_t kPatternRows = 1024;

/// Sets one bit of a plane of patterns. All pointers: [n_rows, rounded up to a multiple of 16].
struct PatternBitJob {
  PathFeature const& feature;
  CategoryConditionsView categories;
  std::uint32_t bit;  ///< 2^position
  std::int64_t n_rows;
  std::int32_t const* keys;  ///< of the feature
  std::uint32_t const* from;
  std::uint32_t* to;  ///< rows from n_rows on get anything
};
void SetPatternBit(PatternBitJob const& job);

/// Adds what each row's pattern finds in a table to the row's sums by position, sums[row * stride + position]. Rows of
/// sums are aligned as vectors of 8 doubles and at least that long.
struct TableJob {
  std::uint32_t n_features;
  double const* table;
  std::uint32_t const* patterns;
  std::int64_t n_rows;
  double* sums;
  std::int64_t stride;
};
/// table: of values, [2^n_features, TableWidth], aligned likewise; up to 8 features.
void AddValues(TableJob const& job);
/// table: of parts, [2, 2^n_features]: S and S' of interventional.h. Up to 16 features.
void AddParts(TableJob const& job);

/// Points and weights for the tables of leaves with n features (1 to 16).
struct LeafRule {
  std::uint32_t n_features = 0;
  std::int64_t n_points = 0;         ///< 4 or 8; those that are too many have weight 0
  std::vector<double> node;          ///< [n_points]
  std::vector<double> coefficients;  ///< [n_features + 1, n_points]: w (1 - t)^b / t
};
LeafRule MakeLeafRule(std::uint32_t n_features);

/// The table of one leaf.
struct LeafTableJob {
  LeafRule const& rule;
  double const* background;  ///< [2^n_features], what each pattern of the background weighs
  double* scratch;           ///< [2^n_features, n_points]
  double* parts;             ///< [2, 2^n_features], as AddParts reads them
  double* values;            ///< [2^n_features, TableWidth], as AddValues reads them; nullptr: only parts
};
void MakeLeafTable(LeafTableJob const& job);

}  // namespace kauri
