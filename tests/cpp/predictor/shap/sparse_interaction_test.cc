#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "predictor/predictor_fixtures.h"
#include "predictor/predictors.h"

namespace kauri {
namespace {

using testing::ForestSpec;
using testing::MemoryView;

using Cell = std::pair<std::uint32_t, std::uint32_t>;

/// A model, rows, and both forms of their interactions.
class Case {
 public:
  Case(Model model, MemoryView rows, TreeRange trees, ParamMap const& params = {})
      : model_(std::move(model)), rows_(std::move(rows)), trees_(trees), start_(ToSize(model_.NumOutputs()), 0.5F) {
    Registry<PredictorFactory> registry("predictor");
    RegisterPredictors(&registry);
    predictor_ = registry.Find("cpu_predictor").make(params);
    compiled_ = predictor_->Compile({}, model_, {0, static_cast<std::int64_t>(model_.trees.size())});
  }

  std::vector<float> Dense() const {
    std::vector<float> out(rows_.NumRows() * OutputWidth(model_, PredictKind::kInteraction, trees_));
    predictor_->Predict({}, *compiled_, {rows_, trees_, {start_, {}}}, PredictKind::kInteraction, out);
    return out;
  }
  SparseInteractions Sparse(std::int64_t top_k, int threads = 1) const {
    SparseInteractions out;
    out.values.assign(3, 7.0F);  // previous values are replaced
    predictor_->PredictSparse(testing::Threads(threads), *compiled_, {rows_, trees_, {start_, {}}}, top_k, &out);
    return out;
  }

  std::size_t Width() const { return ToSize(model_.n_features) + 1; }
  std::size_t NumMatrices() const { return ToSize(rows_.NumRows() * model_.NumOutputs()); }

  /// Returns the cells of the upper triangle that trees of the range can fill, found path by path.
  std::set<Cell> Fillable(std::size_t output) const {
    std::set<Cell> cells{
        {static_cast<std::uint32_t>(model_.n_features), static_cast<std::uint32_t>(model_.n_features)}};
    for (auto t = trees_.begin; t < trees_.end; ++t) {
      if (ToSize(model_.output_of_tree[t]) != output) continue;
      auto const& tree = model_.trees[t];
      for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
        if (!tree.IsLeaf(node)) continue;
        std::set<std::uint32_t> path;
        for (auto above = node; above != 0;) {
          above = tree.parent[above];
          path.insert(tree.split_feature[above]);
        }
        for (auto a : path) {
          for (auto b : path) {
            if (a <= b) cells.insert({a, b});
          }
        }
      }
    }
    return cells;
  }

 private:
  Model model_;
  MemoryView rows_;
  TreeRange trees_;
  std::vector<float> start_;
  std::unique_ptr<Predictor> predictor_;
  std::shared_ptr<CompiledModel const> compiled_;
};

void ExpectShapes(SparseInteractions const& sparse, std::size_t n_matrices) {
  ASSERT_EQ(sparse.begin.size(), n_matrices + 1);
  ASSERT_EQ(sparse.begin.front(), 0);
  ASSERT_TRUE(std::is_sorted(sparse.begin.begin(), sparse.begin.end()));
  ASSERT_EQ(ToSize(sparse.begin.back()), sparse.values.size());
  ASSERT_EQ(sparse.first.size(), sparse.values.size());
  ASSERT_EQ(sparse.second.size(), sparse.values.size());
}

/// Checks all of them: the cells that can be filled, in order, with the bits of the matrix, which is 0 elsewhere.
void ExpectAll(Case const& test) {
  auto const dense = test.Dense();
  auto const sparse = test.Sparse(0);
  ExpectShapes(sparse, test.NumMatrices());
  ASSERT_EQ(dense.size(), test.NumMatrices() * test.Width() * test.Width());
  for (std::size_t i = 0; i < test.NumMatrices(); ++i) {
    std::vector<float> matrix(test.Width() * test.Width(), 0.0F);
    std::vector<Cell> cells;
    for (auto e = ToSize(sparse.begin[i]); e < ToSize(sparse.begin[i + 1]); ++e) {
      cells.emplace_back(sparse.first[e], sparse.second[e]);
      matrix[sparse.first[e] * test.Width() + sparse.second[e]] = sparse.values[e];
      matrix[sparse.second[e] * test.Width() + sparse.first[e]] = sparse.values[e];
    }
    ASSERT_EQ(std::memcmp(matrix.data(), dense.data() + i * matrix.size(), matrix.size() * sizeof(float)), 0)
        << "row and output " << i;
    ASSERT_TRUE(std::is_sorted(cells.begin(), cells.end()));
  }
}

/// Compares the selected cells, and the order of the largest, with a sort of the matrix.
void ExpectCells(Case const& test, std::size_t n_outputs, std::size_t top_k) {
  auto const dense = test.Dense();
  auto const all = test.Sparse(0);
  auto const largest = test.Sparse(static_cast<std::int64_t>(top_k));
  ExpectShapes(largest, test.NumMatrices());
  for (std::size_t i = 0; i < test.NumMatrices(); ++i) {
    auto const cells = test.Fillable(i % n_outputs);
    ASSERT_EQ(ToSize(all.begin[i + 1] - all.begin[i]), cells.size());
    auto const* matrix = dense.data() + i * test.Width() * test.Width();
    std::vector<std::pair<float, Cell>> sorted;
    auto e = ToSize(all.begin[i]);
    for (auto const& cell : cells) {
      ASSERT_EQ(Cell(all.first[e], all.second[e]), cell);
      ++e;
      if (cell.first != cell.second)
        sorted.push_back({-std::abs(matrix[cell.first * test.Width() + cell.second]), cell});
    }
    std::sort(sorted.begin(), sorted.end());
    sorted.resize(std::min(top_k, sorted.size()));
    ASSERT_EQ(ToSize(largest.begin[i + 1] - largest.begin[i]), sorted.size());
    e = ToSize(largest.begin[i]);
    for (auto const& [size, cell] : sorted) {
      ASSERT_EQ(Cell(largest.first[e], largest.second[e]), cell) << "row and output " << i;
      ASSERT_EQ(largest.values[e], matrix[cell.first * test.Width() + cell.second]);
      ++e;
    }
  }
}

/// Returns sparse paths, so that many pairs never occur together.
ForestSpec WideSpec() {
  ForestSpec spec;
  spec.n_features = 30;
  spec.n_trees = 6;
  spec.depth = 4;
  spec.n_classes = 3;
  spec.categorical = 0.1;
  spec.dart = true;
  return spec;
}

TEST(SparseInteractions, HaveTheBitsOfTheMatrix) {
  ExpectAll({testing::RandomModel(WideSpec()), testing::RandomRows(100, 30, 1), {0, 6}});
  ExpectAll({testing::RandomModel({}), testing::RandomRows(33, 6, 2), {0, 5}});
  ExpectAll({testing::ChainModel(40, 20, 0.7F), testing::RandomRows(5, 20, 3), {0, 1}});
}

TEST(SparseInteractions, AreTheCellsOfThePathsLargestFirst) {
  Case const test(testing::RandomModel(WideSpec()), testing::RandomRows(40, 30, 4), {0, 6});
  for (std::size_t top_k : {1, 2, 10, 1000}) ExpectCells(test, 3, top_k);
}

TEST(SparseInteractions, RangesHaveTheCellsOfTheirTrees) {
  for (auto const range : {TreeRange{0, 2}, {1, 4}, {5, 6}, {3, 3}}) {
    Case const test(testing::RandomModel(WideSpec()), testing::RandomRows(20, 30, 5), range);
    ExpectAll(test);
    ExpectCells(test, 3, 4);
  }
}

/// Pairs of equal size, from a copy of each tree on other features.
TEST(SparseInteractions, EqualOnesComeByTheirFeatures) {
  ForestSpec spec;
  spec.n_features = 4;
  spec.n_trees = 2;
  auto model = testing::RandomModel(spec);
  model.n_features = 8;
  for (std::size_t t = 0; t < 2; ++t) {
    auto copy = model.trees[t];
    for (auto& feature : copy.split_feature) feature += 4;
    model.trees.push_back(copy);
    model.output_of_tree.push_back(0);
  }
  auto const half = testing::RandomRows(30, 4, 6);
  std::vector<float> values;
  for (std::int64_t row = 0; row < 30; ++row) {
    for (std::int64_t col = 0; col < 8; ++col) values.push_back(half.At(row, col % 4));
  }
  Case const test(model, {values, 8}, {0, 4});
  auto const dense = test.Dense();
  ASSERT_EQ(dense[1], dense[4 * 9 + 5]);
  for (std::size_t top_k : {1, 3, 5, 12}) ExpectCells(test, 1, top_k);
}

TEST(SparseInteractions, SameForAnyThreadCount) {
  Case const test(testing::RandomModel(WideSpec()), testing::RandomRows(300, 30, 7), {0, 6});
  for (std::int64_t top_k : {0, 5}) {
    auto const one = test.Sparse(top_k, 1);
    auto const four = test.Sparse(top_k, 4);
    EXPECT_EQ(one.begin, four.begin);
    EXPECT_EQ(one.first, four.first);
    EXPECT_EQ(one.second, four.second);
    EXPECT_EQ(one.values, four.values);
  }
}

TEST(SparseInteractions, NoRows) {
  Case const test(testing::RandomModel({}), testing::RandomRows(0, 6, 8), {0, 5});
  for (std::int64_t top_k : {0, 5}) {
    auto const sparse = test.Sparse(top_k);
    EXPECT_EQ(sparse.begin, std::vector<std::int64_t>{0});
    EXPECT_TRUE(sparse.values.empty());
  }
}

TEST(SparseInteractions, TreesOfOneLeafHaveTheBiasAlone) {
  Model model;
  model.n_features = 2;
  model.trees.emplace_back();
  model.trees.back().SetLeafValue(0, 3.5F);
  model.output_of_tree = {0};
  Case const test(model, testing::RandomRows(2, 2, 3), {0, 1});
  auto const all = test.Sparse(0);
  EXPECT_EQ(all.begin, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(all.first, (std::vector<std::uint32_t>{2, 2}));
  EXPECT_EQ(all.second, all.first);
  EXPECT_EQ(all.values, (std::vector<float>{4.0F, 4.0F}));
  EXPECT_EQ(test.Sparse(1).begin, (std::vector<std::int64_t>{0, 0, 0}));
}

/// Values that are not numbers also have a position in the order.
TEST(SparseInteractions, InfiniteLeaves) {
  auto model = testing::RandomModel({});
  auto& tree = model.trees[0];
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (tree.IsLeaf(node)) tree.SetLeafValue(node, node % 2 == 0 ? testing::kInf : -testing::kInf);
  }
  Case const test(model, testing::RandomRows(20, 6, 9), {0, 5});
  auto const sparse = test.Sparse(3);
  EXPECT_EQ(sparse.values.size(), 60U);
  EXPECT_TRUE(std::any_of(sparse.values.begin(), sparse.values.end(), [](float v) { return !std::isfinite(v); }));
}

TEST(SparseInteractions, Errors) {
  auto const expect = [](ParamMap const& params, std::int64_t top_k, std::string const& part) {
    Case const test(testing::RandomModel({}), testing::RandomRows(1, 6, 9), {0, 5}, params);
    try {
      test.Sparse(top_k);
      ADD_FAILURE() << "no error";
    } catch (Error const& error) {
      EXPECT_EQ(error.Kind(), ErrorKind::kParameter);
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  expect({}, -1, "top_k is -1");
  expect({{"shap_method", "treeshap"}}, 0, "shap_method=quadrature");
}

}  // namespace
}  // namespace kauri
