#include "tree/linear/leaf_moments.h"

#include <algorithm>
#include <cmath>

#include "common/threads/parallel_for.h"
#include "data/matrix_view.h"
#include "tree/linear/rows_by_leaf.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerPiece = 1 << 12;
constexpr std::size_t kNoLeaf = static_cast<std::size_t>(-1);

bool HasGradient(FixedPair pair) { return pair.gradient != 0 || pair.hessian != 0; }

/// Sorts the rows with gradients by leaf.
RowsByLeaf SortRows(Span<FixedPair const> pairs, Span<std::int32_t const> leaf_of_row,
                    std::vector<RegressedLeaf> const& leaves) {
  std::int32_t n_nodes = 0;
  for (auto const& leaf : leaves) n_nodes = std::max(n_nodes, leaf.node + 1);
  std::vector<std::size_t> number(n_nodes, kNoLeaf);
  for (std::size_t i = 0; i < leaves.size(); ++i) number[leaves[i].node] = i;
  auto const leaf_of = [&](std::size_t row) {
    return leaf_of_row[row] < n_nodes && HasGradient(pairs[row]) ? number[leaf_of_row[row]] : kNoLeaf;
  };
  std::vector<std::int64_t> n_rows(leaves.size(), 0);
  for (std::size_t row = 0; row < pairs.size(); ++row) {
    if (leaf_of(row) != kNoLeaf) ++n_rows[leaf_of(row)];
  }
  RowsByLeaf sorted(n_rows, kRowsPerPiece);
  for (std::size_t row = 0; row < pairs.size(); ++row) {
    auto const leaf = leaf_of(row);
    if (leaf != kNoLeaf) sorted.Add(leaf, static_cast<std::int64_t>(row));
  }
  return sorted;
}

/// Reads the values [n_features] of a row. \returns whether the row counts.
bool ReadValues(float const* row, std::vector<std::uint32_t> const& features, FixedPair pair, double* values) {
  if (pair.hessian <= 0) return false;
  for (std::size_t i = 0; i < features.size(); ++i) {
    values[i] = static_cast<double>(row[features[i]]);
    if (!std::isfinite(values[i])) return false;
  }
  return true;
}

/// The inputs for summing a piece.
struct PieceRows {
  RowReader* reader;
  RowsByLeaf const& sorted;
  LeafPiece const& piece;
  Span<FixedPair const> pairs;
  std::vector<std::uint32_t> const& features;  ///< features of its leaf
};

/// Calls fn(pair, values) for each row of a piece that counts, and skipped() for the others.
template <typename Fn, typename Skipped>
void ForEachRow(PieceRows const& of, Fn&& fn, Skipped&& skipped) {
  std::vector<double> values(of.features.size());
  for (auto place = of.piece.begin; place < of.piece.end; ++place) {
    auto const row = of.sorted.At(place);
    if (ReadValues(of.reader->Row(row), of.features, of.pairs[row], values.data())) {
      fn(of.pairs[row], values);
    } else {
      skipped();
    }
  }
}

/// Computes everything except products and slope; `mean` holds sums.
LeafMoments FirstMoments(PieceRows const& rows) {
  LeafMoments of_piece;
  of_piece.mean.assign(rows.features.size(), 0.0);
  ForEachRow(
      rows,
      [&](FixedPair pair, std::vector<double> const& values) {
        ++of_piece.n_rows;
        of_piece.sum += pair;
        for (std::size_t i = 0; i < values.size(); ++i) of_piece.mean[i] += pair.hessian * values[i];
      },
      [&] { of_piece.is_whole = false; });
  return of_piece;
}

/// Computes products and slope about `mean`, in units of the integers.
LeafMoments SecondMoments(PieceRows const& rows, std::vector<double> const& mean) {
  auto const n = rows.features.size();
  LeafMoments of_piece;
  of_piece.products.assign(n * (n + 1) / 2, 0.0);
  of_piece.slope.assign(n, 0.0);
  std::vector<double> deviation(n);
  ForEachRow(
      rows,
      [&](FixedPair pair, std::vector<double> const& values) {
        auto* product = of_piece.products.data();
        for (std::size_t i = 0; i < n; ++i) {
          deviation[i] = values[i] - mean[i];
          auto const weighted = pair.hessian * deviation[i];
          for (std::size_t j = 0; j <= i; ++j) *product++ += weighted * deviation[j];
          of_piece.slope[i] += pair.gradient * deviation[i];
        }
      },
      [] {});
  return of_piece;
}

void AddTo(std::vector<double> const& from, std::vector<double>* to) {
  if (to->empty()) to->assign(from.size(), 0.0);
  for (std::size_t i = 0; i < from.size(); ++i) (*to)[i] += from[i];
}

void Scale(double by, std::vector<double>* values) {
  for (auto& value : *values) value *= by;
}

}  // namespace

std::vector<LeafMoments> SumMoments(Context const& ctx, DataView const& rows, GradientView const& gradients,
                                    Span<std::int32_t const> leaf_of_row, std::vector<RegressedLeaf> const& leaves) {
  auto const sorted = SortRows(gradients.pairs, leaf_of_row, leaves);
  std::uint32_t n_cols = 0;
  for (auto const& leaf : leaves) n_cols = std::max(n_cols, leaf.features.back() + 1);
  auto const& pieces = sorted.Pieces();
  std::vector<LeafMoments> of_piece(pieces.size());
  std::vector<LeafMoments> of_leaf(leaves.size());
  ParallelFor(ctx, static_cast<std::int64_t>(pieces.size()), [&](std::int64_t index) {
    RowReader reader(rows, n_cols);
    auto const& piece = pieces[index];
    of_piece[index] = FirstMoments({&reader, sorted, piece, gradients.pairs, leaves[piece.leaf].features});
  });
  for (std::size_t i = 0; i < of_piece.size(); ++i) {
    auto& to = of_leaf[pieces[i].leaf];
    to.n_rows += of_piece[i].n_rows;
    to.is_whole = to.is_whole && of_piece[i].is_whole;
    to.sum += of_piece[i].sum;
    AddTo(of_piece[i].mean, &to.mean);
  }
  for (auto& leaf : of_leaf) {
    if (leaf.n_rows > 0) Scale(1.0 / static_cast<double>(leaf.sum.hessian), &leaf.mean);
  }
  ParallelFor(ctx, static_cast<std::int64_t>(pieces.size()), [&](std::int64_t index) {
    RowReader reader(rows, n_cols);
    auto const& piece = pieces[index];
    of_piece[index] =
        SecondMoments({&reader, sorted, piece, gradients.pairs, leaves[piece.leaf].features}, of_leaf[piece.leaf].mean);
  });
  for (std::size_t i = 0; i < of_piece.size(); ++i) {
    auto& to = of_leaf[pieces[i].leaf];
    AddTo(of_piece[i].products, &to.products);
    AddTo(of_piece[i].slope, &to.slope);
  }
  for (auto& leaf : of_leaf) {
    Scale(gradients.unit.hessian, &leaf.products);
    Scale(gradients.unit.gradient, &leaf.slope);
  }
  return of_leaf;
}

}  // namespace kauri
