/// \file Neighbouring features that share a column of codes, because no row has a value in more than one of them.
///
/// Vocabulary. A feature's usual code is its most frequent bin; in sparse data this is absence, which has no code.
/// Features are exclusive if no row has unusual codes in two of them, e.g. the columns of a one-hot encoding. A bundle
/// is a run of exclusive features whose cells (data/bins/bin_matrix.h) a byte can number; most bundles hold a single
/// feature.
///
/// Exclusive feature bundling (Ke et al. 2017, "LightGBM", section 4), of neighbours and without conflicts, so that
/// nothing is approximated:
/// 1. For each feature, one pass over the data finds the nearest feature before it that shares a row with it.
/// 2. From left to right, a feature joins the bundle before it unless that nearest feature lies within the bundle.
/// 3. The code of a row in a bundle is the cell of its one unusual code, counted from the bundle's first cell. A row
///    without unusual codes has the first feature's usual code (dense data) or 0, a spare cell before the features'
///    cells (sparse data).
/// A histogram made from such codes is wrong at the cells of usual codes until these are derived from the others: every
/// row has one code of each feature.
///
/// Bundles and usual codes define the meaning of a histogram. All results here are therefore based on the rows of all
/// ranks: a group's ranks make the same calls, and histograms are added up over the ranks before the usual cells are
/// derived.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/span.h"

namespace kauri {

/// Features [first, last), whose bundle codes are cells minus `first_cell`.
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

/// Returns the most frequent code of each feature with at most 128 codes if more than half of the rows have it.
/// Otherwise returns kNoMostFrequent; such a feature cannot be bundled. n_codes: [n_cols].
constexpr std::uint32_t kNoMostFrequent = 0xFFFFFFFFU;
std::vector<std::uint32_t> FindMostFrequentCodes(Context const& ctx, ByteColumns const& data,
                                                 Span<std::uint32_t const> n_codes);
/// Returns the usual codes of features with any number of codes, based on the first n_rows rows of each rank.
std::vector<std::uint32_t> FindMostFrequentCodes(Context const& ctx, ByteColumns const& data,
                                                 Span<std::uint32_t const> n_codes, std::int64_t n_rows);

/// Returns for each feature 1 + the nearest feature before it that has an unusual code in the same row, or 0 if there
/// is none: [n_cols].
std::vector<std::uint32_t> FindOverlaps(Context const& ctx, ByteColumns const& data,
                                        Span<std::uint32_t const> most_frequent);
/// The same for sparse data.
std::vector<std::uint32_t> FindOverlaps(Context const& ctx, CsrStorage const& data, std::int64_t n_cols);

/// Assigns all features to bundles. n_cells: [n_features], the cells of each feature; each bundle begins with `spare`
/// additional cells, unless it is a feature that leaves no room for them.
std::vector<FeatureBundle> BundleNeighbours(Span<std::uint32_t const> overlaps, Span<std::uint32_t const> n_cells,
                                            std::uint32_t spare);

/// Computes the codes of the rows from `begin` on in a bundle of dense data. cell_begin: [n_cols + 1]. out: [n_rows].
void BundleCodes(ByteColumns const& data, FeatureBundle const& bundle, Span<std::uint32_t const> most_frequent,
                 Span<std::uint32_t const> cell_begin, std::int64_t begin, Span<std::uint8_t> out);

}  // namespace kauri
