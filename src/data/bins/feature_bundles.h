/// \file Neighbouring features that share a column of codes, because no row has more than one of them.
///
/// Vocabulary. A feature's usual code is its most frequent one; in sparse data that is to be absent, which has no code.
/// Features are exclusive when no row has unusual codes in two of them, as the columns of a one-hot encoding. A bundle
/// is a run of exclusive features whose cells (data/bins/bin_matrix.h) a byte can number; most hold a single feature.
///
/// Exclusive feature bundling (Ke et al. 2017, "LightGBM", section 4), of neighbours and without conflicts, so that
/// nothing is approximated:
/// 1. for each feature, the nearest one before it that shares a row with it is found: one pass over the data;
/// 2. from the left, a feature joins the bundle before it unless that one lies within the bundle;
/// 3. the code of a row in a bundle is the cell of its one unusual code, counted from the bundle's first cell. A row
///    without has the first feature's usual code (dense data) or 0, a spare cell before the features' (sparse data).
/// A histogram made from such codes is wrong at the cells of usual codes until they are derived from the others: every
/// row has one code of each feature.
///
/// Bundles and usual codes decide what a histogram means. So all that is found here is found of the rows of all ranks:
/// a group's ranks make the same calls, and histograms are added up over them before the usual cells are derived.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/span.h"

namespace kauri {

/// Features [first, last), whose codes count from `first_cell`.
struct FeatureBundle {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t first_cell = 0;

  bool IsSingle() const { return last - first == 1; }
};

/// Dense codes in bytes. columns: [n_cols, n_rows].
struct ByteColumns {
  std::uint8_t const* columns;
  std::int64_t n_rows;
  std::int64_t n_cols;

  std::uint8_t const* Of(std::size_t feature) const { return columns + static_cast<std::int64_t>(feature) * n_rows; }
};

/// The most frequent code of each feature that fewer than half of the rows go without; kNoUsual for the others, which
/// cannot be bundled. n_codes: [n_cols].
constexpr std::uint32_t kNoUsual = 0xFFFFFFFFU;
std::vector<std::uint32_t> FindUsualCodes(Context const& ctx, ByteColumns const& data,
                                          Span<std::uint32_t const> n_codes);
/// The same of features of any number of codes, as the first n_rows rows have it, in a group those of each rank.
std::vector<std::uint32_t> FindUsualCodes(Context const& ctx, ByteColumns const& data,
                                          Span<std::uint32_t const> n_codes, std::int64_t n_rows);

/// [n_cols]: 1 + the nearest feature before each that has an unusual code in the same row; 0: none.
std::vector<std::uint32_t> FindOverlaps(Context const& ctx, ByteColumns const& data, Span<std::uint32_t const> usual);
/// The same for sparse data.
std::vector<std::uint32_t> FindOverlaps(Context const& ctx, CsrStorage const& data, std::int64_t n_cols);

/// All features, in bundles. n_cells: [n_features], of each; `spare` more lie before those of each bundle.
std::vector<FeatureBundle> BundleNeighbours(Span<std::uint32_t const> overlaps, Span<std::uint32_t const> n_cells,
                                            std::uint32_t spare);

/// The codes of the rows from `begin` on in a bundle of dense data; cell_begin: [n_cols + 1]. out: [n_rows].
void BundleCodes(ByteColumns const& data, FeatureBundle const& bundle, Span<std::uint32_t const> usual,
                 Span<std::uint32_t const> cell_begin, std::int64_t begin, Span<std::uint8_t> out);

}  // namespace kauri
