/// Trees with vector leaves give the same bits as one tree per output; covers from row counts.
#include <gtest/gtest.h>

#include "predictor/explain_fixture.h"
#include "predictor/margins/margins.h"
#include "predictor/vector_fixture.h"

namespace kauri {
namespace {

using testing::AllTreesOf;
using testing::PredictKindOf;
using testing::SplitUp;
using testing::VectorModel;

struct Case {
  char const* name;
  Model model;
};

std::vector<Case> Cases() {
  testing::ForestSpec deep;
  deep.depth = 9;
  testing::ForestSpec categorical;
  categorical.categorical = 0.4;
  testing::ForestSpec leaves;
  leaves.depth = 0;
  return {{"two", VectorModel(2, false)},
          {"mixed", VectorModel(3, true)},
          {"twenty", VectorModel(20, false)},
          {"deep", VectorModel(3, true, deep)},
          {"categorical", VectorModel(3, false, categorical)},
          {"leaves", VectorModel(3, true, leaves)}};
}

TEST(VectorForest, MarginsOfEveryPath) {
  for (auto const& [name, model] : Cases()) {
    std::vector<std::int64_t> first_tree;
    auto const split = SplitUp(model, &first_tree);
    auto const forest = CompileForest({}, model, AllTreesOf(model));
    auto const tree_tops = BuildTreeTops(forest);
    ASSERT_EQ(forest.NumTrees(), first_tree.back());
    std::vector<float> const start(model.NumOutputs(), 0.5F);
    for (std::int64_t n_rows : {1, 7, 8, 33, 300}) {
      auto const rows = testing::RandomRows(n_rows, 6, 4);
      for (auto const trees : {TreeRange{0, 9}, TreeRange{2, 5}, TreeRange{4, 4}}) {
        auto const own = forest.OwnTrees(trees);
        EXPECT_EQ(own.begin, first_tree[trees.begin]);
        EXPECT_EQ(own.end, first_tree[trees.end]);
        EXPECT_EQ(forest.LeafWidth(own), trees.end - trees.begin);
        auto const expected = testing::NaiveMargins(split, rows, own, testing::RepeatStart(start, n_rows));
        for (auto const path : {MarginPath::kAuto, MarginPath::kRows, MarginPath::kTiles, MarginPath::kTreeTops}) {
          if (path == MarginPath::kTreeTops && tree_tops.code_bytes == 0) continue;
          for (int threads = 1; threads <= 3; ++threads) {
            std::vector<float> out(expected.size());
            PredictMargins(testing::Threads(threads), {forest, rows, own, {start, {}}}, tree_tops, path, out);
            ASSERT_EQ(out, expected) << name << " path " << static_cast<int>(path) << " rows " << n_rows;
          }
        }
      }
    }
  }
}

TEST(VectorForest, LeavesComeOncePerTree) {
  auto const rows = testing::RandomRows(50, 6, 5);
  for (auto const& [name, model] : Cases()) {
    for (auto const trees : {TreeRange{0, 9}, TreeRange{2, 5}, TreeRange{8, 9}}) {
      auto const out = PredictKindOf({}, model, rows, PredictKind::kLeaf, trees, 8);
      auto const width = trees.end - trees.begin;
      ASSERT_EQ(out.size(), ToSize(50 * width));
      for (std::int64_t row = 0; row < 50; ++row) {
        for (auto t = trees.begin; t < trees.end; ++t) {
          ASSERT_EQ(out[row * width + t - trees.begin],
                    static_cast<float>(testing::NaiveLeaf(model.trees[t], rows, row)))
              << name;
        }
      }
    }
  }
}

TEST(VectorForest, ExplanationsOfEveryKind) {
  auto const rows = testing::RandomRows(20, 6, 6);
  for (auto const& [name, model] : Cases()) {
    std::vector<std::int64_t> first_tree;
    auto const split = SplitUp(model, &first_tree);
    for (auto const* method : {"treeshap", "quadrature"}) {
      ParamMap const params{{"shap_method", method}};
      for (auto const kind : {PredictKind::kContribution, PredictKind::kApproxContribution, PredictKind::kInteraction,
                              PredictKind::kApproxInteraction}) {
        for (auto const trees : {TreeRange{0, 9}, TreeRange{2, 5}}) {
          TreeRange const own{first_tree[trees.begin], first_tree[trees.end]};
          EXPECT_EQ(PredictKindOf(params, model, rows, kind, trees), PredictKindOf(params, split, rows, kind, own))
              << name << " " << method << " kind " << static_cast<int>(kind);
        }
      }
    }
    for (auto const kind : {PredictKind::kBanzhaf, PredictKind::kTaylorInteraction}) {
      EXPECT_EQ(PredictKindOf({}, model, rows, kind, {0, 9}),
                PredictKindOf({}, split, rows, kind, {0, first_tree.back()}))
          << name;
    }
  }
}

TEST(VectorForest, SparseInteractionsAndBackgrounds) {
  auto const model = VectorModel(3, true);
  std::vector<std::int64_t> first_tree;
  auto const split = SplitUp(model, &first_tree);
  auto const rows = testing::RandomRows(20, 6, 7);
  auto const predictor = testing::MakeCpuPredictor();
  auto const of_vectors = predictor->Compile({}, model, {0, 9});
  auto const of_split = predictor->Compile({}, split, AllTreesOf(split));
  std::vector<float> const start(3, 0.5F);
  TreeRange const own{first_tree[2], first_tree[7]};
  SparseInteractions found;
  SparseInteractions expected;
  predictor->PredictSparse({}, *of_vectors, {rows, {2, 7}, {start, {}}}, 0, &found);
  predictor->PredictSparse({}, *of_split, {rows, own, {start, {}}}, 0, &expected);
  EXPECT_EQ(found.begin, expected.begin);
  EXPECT_EQ(found.first, expected.first);
  EXPECT_EQ(found.values, expected.values);
  auto const background = testing::RandomRows(9, 6, 8);
  std::vector<float> out(20 * 3 * 7);
  std::vector<float> out_split(out.size());
  predictor->PredictInterventional({}, *of_vectors, {rows, {2, 7}, {start, {}}}, background, out);
  predictor->PredictInterventional({}, *of_split, {rows, own, {start, {}}}, background, out_split);
  EXPECT_EQ(out, out_split);
}

std::string RefusalOf(ParamMap const& params, Model const& model, PredictKind kind) {
  try {
    PredictKindOf(params, model, testing::RandomRows(2, 6, 1), kind, AllTreesOf(model));
  } catch (Error const& error) {
    EXPECT_EQ(error.Kind(), ErrorKind::kParameter);
    return error.what();
  }
  return "";
}

TEST(ShapCover, CountsTakeThePlaceOfHessians) {
  testing::ForestSpec spec;
  spec.n_trees = 4;
  auto model = testing::RandomModel(spec);
  auto expected = model;
  testing::Random random(9);
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    for (std::size_t node = 0; node < model.trees[t].left.size(); ++node) {
      auto const count = 1 + random.Below(1000);
      model.trees[t].row_count.push_back(count);
      expected.trees[t].sum_hessian[node] = static_cast<float>(count);
    }
  }
  auto const rows = testing::RandomRows(20, 6, 10);
  for (auto const* method : {"treeshap", "quadrature"}) {
    for (auto const kind : {PredictKind::kContribution, PredictKind::kApproxContribution, PredictKind::kInteraction}) {
      EXPECT_EQ(PredictKindOf({{"shap_method", method}, {"shap_cover", "count"}}, model, rows, kind, {0, 4}),
                PredictKindOf({{"shap_method", method}}, expected, rows, kind, {0, 4}));
    }
  }
}

TEST(ShapCover, WithoutCountsTheCureIsNamed) {
  auto model = testing::RandomModel({});
  for (auto const kind : {PredictKind::kContribution, PredictKind::kApproxInteraction, PredictKind::kBanzhaf}) {
    auto const message = RefusalOf({{"shap_cover", "count"}}, model, kind);
    EXPECT_NE(message.find("count_rows"), std::string::npos) << message;
  }
  EXPECT_EQ(RefusalOf({{"shap_cover", "count"}}, model, PredictKind::kMargin), "");
  EXPECT_EQ(RefusalOf({{"shap_cover", "count"}}, model, PredictKind::kLeaf), "");
  for (std::size_t t = 0; t + 1 < model.trees.size(); ++t)
    model.trees[t].row_count.assign(model.trees[t].left.size(), 1);
  EXPECT_NE(RefusalOf({{"shap_cover", "count"}}, model, PredictKind::kContribution).find("tree 4 "), std::string::npos);
}

/// Files of XGBoost before 3.2 are like this.
TEST(ShapCover, VectorsWithoutHessiansNeedCounts) {
  auto model = VectorModel(3, false);
  for (auto& tree : model.trees) tree.sum_hessian.assign(tree.left.size(), 0.0F);
  EXPECT_NE(RefusalOf({}, model, PredictKind::kContribution).find("before 3.2"), std::string::npos);
  for (auto& tree : model.trees) tree.row_count.assign(tree.left.size(), 5);
  EXPECT_EQ(RefusalOf({{"shap_cover", "count"}}, model, PredictKind::kContribution), "");
}

}  // namespace
}  // namespace kauri
