#include "tree/linear/linear_tree.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "common/threads/parallel_for.h"
#include "data/matrix_view.h"
#include "tree/growth/tree_common.h"
#include "tree/split_gain.h"

namespace kauri {
namespace {

/// Number of rows that a leaf needs per fitted number.
constexpr std::int64_t kRowsPerNumber = 1;

/// Minimum share of a variable's own sum of squares that must remain after the previous variables.
constexpr double kDetermined = 1e-10;

std::size_t At(std::size_t row, std::size_t column) { return row * (row + 1) / 2 + column; }

/// Factorises in place. The columns of variables left out are 0, including their diagonal.
void Factorise(std::size_t n, std::vector<double>* lower) {
  auto& a = *lower;
  for (std::size_t column = 0; column < n; ++column) {
    auto const whole = a[At(column, column)];
    auto rest = whole;
    for (std::size_t i = 0; i < column; ++i) rest -= a[At(column, i)] * a[At(column, i)];
    auto const diagonal = rest > kDetermined * whole ? std::sqrt(rest) : 0.0;
    a[At(column, column)] = diagonal;
    for (auto row = column + 1; row < n; ++row) {
      auto value = a[At(row, column)];
      for (std::size_t i = 0; i < column; ++i) value -= a[At(row, i)] * a[At(column, i)];
      a[At(row, column)] = diagonal > 0.0 ? value / diagonal : 0.0;
    }
  }
}

/// Returns x of A x = b for a symmetric, positive semidefinite A, by Cholesky factors in float64. lower: the lower
/// triangle of A row by row, [n * (n + 1) / 2]; b: [n]. A variable that previous variables determine to ten digits, as
/// with equal or constant columns, gets 0 and is left out.
std::vector<double> SolveSemidefinite(std::vector<double> lower, Span<double const> b) {
  auto const n = b.size();
  Factorise(n, &lower);
  std::vector<double> x(b.begin(), b.end());
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t i = 0; i < row; ++i) x[row] -= lower[At(row, i)] * x[i];
    auto const diagonal = lower[At(row, row)];
    x[row] = diagonal > 0.0 ? x[row] / diagonal : 0.0;
  }
  for (auto row = n; row-- > 0;) {
    for (auto i = row + 1; i < n; ++i) x[row] -= lower[At(i, row)] * x[i];
    auto const diagonal = lower[At(row, row)];
    x[row] = diagonal > 0.0 ? x[row] / diagonal : 0.0;
  }
  return x;
}

/// The regression of a leaf, with the learning rate applied.
struct Fitted {
  float base = 0.0F;
  std::vector<float> slope;
  std::vector<float> centre;
};

std::vector<std::uint32_t> NumericalOnPath(Tree const& tree, std::int32_t leaf) {
  std::vector<std::uint32_t> features;
  for (auto node = tree.parent[leaf]; node != kNoNode; node = tree.parent[node]) {
    if (!tree.IsCategorical(node)) features.push_back(tree.split_feature[node]);
  }
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
  return features;
}

std::vector<RegressedLeaf> LeavesOf(Tree const& tree) {
  std::vector<RegressedLeaf> leaves;
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (!tree.IsLeaf(node)) continue;
    auto features = NumericalOnPath(tree, node);
    if (!features.empty()) leaves.push_back({node, std::move(features)});
  }
  return leaves;
}

/// Returns nothing if there are too few rows or the numbers exceed float32. constant: the constant of the leaf.
std::optional<Fitted> Fit(LeafMoments const& moments, GainParam const& gain, TreeParam const& param, float rate,
                          float constant) {
  auto const n = moments.mean.size();
  if (moments.n_rows < kRowsPerNumber * static_cast<std::int64_t>(n + 1)) return std::nullopt;
  auto products = moments.products;
  for (std::size_t i = 0; i < n; ++i) products[i * (i + 1) / 2 + i] += static_cast<double>(param.linear_lambda);
  auto const slopes = SolveSemidefinite(std::move(products), moments.slope);
  auto base =
      static_cast<double>(moments.is_whole ? constant : static_cast<float>(LeafWeight(moments.sum, gain)) * rate);
  Fitted fitted;
  auto is_finite = true;
  for (std::size_t i = 0; i < n; ++i) {
    fitted.slope.push_back(static_cast<float>(-slopes[i] * static_cast<double>(rate)));
    fitted.centre.push_back(static_cast<float>(moments.mean[i]));
    base += static_cast<double>(fitted.slope[i]) * (static_cast<double>(fitted.centre[i]) - moments.mean[i]);
    is_finite = is_finite && std::isfinite(fitted.slope[i]) && std::isfinite(fitted.centre[i]);
  }
  fitted.base = static_cast<float>(base);
  if (!is_finite || !std::isfinite(fitted.base)) return std::nullopt;
  return fitted;
}

}  // namespace

void FitLinearLeaves(Context const& ctx, DataMatrix const& data, TreeTask const& task, TreeParam const& param,
                     Span<std::int32_t const> leaf_of_row, Tree* tree) {
  auto const leaves = LeavesOf(*tree);
  if (leaves.empty()) return;
  auto const moments = SumMoments(ctx, *data.View(), task.gradients, leaf_of_row, leaves);
  auto const gain = MakeGainParam(param, task.gradients.unit);
  auto const rate = LeafRate(param, task.place);
  LinearLeaves linear;
  linear.base.assign(tree->NumNodes(), 0.0F);
  linear.begin.assign(1, 0);
  auto leaf = leaves.begin();
  for (std::int32_t node = 0; node < tree->NumNodes(); ++node) {
    if (leaf != leaves.end() && leaf->node == node) {
      if (auto const fitted = Fit(moments[leaf - leaves.begin()], gain, param, rate, tree->split_value[node])) {
        linear.base[node] = fitted->base;
        linear.feature.insert(linear.feature.end(), leaf->features.begin(), leaf->features.end());
        linear.slope.insert(linear.slope.end(), fitted->slope.begin(), fitted->slope.end());
        linear.centre.insert(linear.centre.end(), fitted->centre.begin(), fitted->centre.end());
      }
      ++leaf;
    }
    linear.begin.push_back(static_cast<std::int64_t>(linear.feature.size()));
  }
  if (!linear.feature.empty()) tree->linear = std::move(linear);
}

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
