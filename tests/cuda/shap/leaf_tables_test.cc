/// Tables of leaves made on the device, compared bit by bit with the host's.
#include "cuda/shap/leaf_tables.h"

#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cuda/shap/interventional.h"
#include "shap/background_keys.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

constexpr std::int64_t kWholeForest = std::int64_t{1} << 40;

struct TablesAndMeans {
  std::vector<std::int64_t> tables;  ///< tree after tree
  std::vector<std::int64_t> pairs;
  std::vector<double> means;  ///< by tree
};

/// Returns a path of n features whose tests about half of the random rows pass.
Model ChainOf(std::int32_t n_features) { return ChainModel(n_features, n_features, 0.6F); }

/// Returns rows that recur, so that patterns have large counts.
MemoryView Repeated(MemoryView const& rows, std::int64_t times) {
  std::vector<float> values;
  for (std::int64_t time = 0; time < times; ++time) {
    for (std::int64_t row = 0; row < rows.NumRows(); ++row) {
      for (std::int64_t col = 0; col < rows.NumCols(); ++col) values.push_back(rows.At(row, col));
    }
  }
  return {std::move(values), rows.NumCols()};
}

class LeafTablesTest : public DeviceTest {
 protected:
  static TablesAndMeans OnHost(Forest const& forest, DataView const& background, TreeRange trees, QuadratureGoal goal) {
    KeyTiles const keys({}, forest, background, 0, background.NumRows(), kPatternRows);
    BackgroundBatches batches(forest, keys, trees, goal);
    TablesAndMeans result;
    while (batches.Next(Threads(2))) {
      for (auto tree = batches.Trees().begin; tree < batches.Trees().end; ++tree) {
        auto const& own = batches.Tree(tree);
        result.tables.insert(result.tables.end(), own.tables.Data(), own.tables.Data() + own.table_begin.back());
        result.means.push_back(own.mean);
        if (!goal.with_pairs) continue;
        result.pairs.insert(result.pairs.end(), own.pair_tables.Data(), own.pair_tables.Data() + own.pair_begin.back());
      }
    }
    return result;
  }

  TablesAndMeans OnGpu(Forest const& forest, DataView const& background,
                       cuda::InterventionalProgram const& program) const {
    auto const n_rows = background.NumRows();
    auto const trees = program.Trees();
    auto const keys = cuda::ToDevice(Cuda(), KeysOf(forest, background));
    cuda::Buffer<double> const means(Cuda(), ToSize(trees.end - trees.begin));
    program.StartMeans(Cuda(), means.data());
    TablesAndMeans result;
    for (auto const& piece : program.Pieces()) {
      cuda::Buffer<std::int64_t> const tables(Cuda(), ToSize(piece.TableSize()));
      cuda::Buffer<std::int64_t> const pairs(Cuda(), ToSize(piece.PairTableSize()));
      cuda::Buffer<double> const reached(Cuda(), piece.NumLeaves());
      piece.MakeTables(Cuda(), program.Background({keys.data(), n_rows, 1, n_rows}), {tables.data(), pairs.data()},
                       reached.data());
      piece.AddMeans(Cuda(), reached.data(), means.data());
      auto const made = Fetch(Cuda(), tables);
      result.tables.insert(result.tables.end(), made.begin(), made.end());
      auto const made_pairs = Fetch(Cuda(), pairs);
      result.pairs.insert(result.pairs.end(), made_pairs.begin(), made_pairs.end());
    }
    result.means = Fetch(Cuda(), means);
    return result;
  }

  template <typename T>
  static void ExpectSame(std::vector<T> const& a, std::vector<T> const& b, char const* what) {
    ASSERT_EQ(a.size(), b.size()) << what;
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(std::memcmp(&a[i], &b[i], sizeof(T)), 0) << what << " " << i << ": " << a[i] << " and " << b[i];
    }
  }

  void ExpectHost(Forest const& forest, DataView const& background, cuda::InterventionalProgram const& program) const {
    auto const host = OnHost(forest, background, program.Trees(), program.Goal());
    auto const made = OnGpu(forest, background, program);
    ExpectSame(made.tables, host.tables, "table");
    ExpectSame(made.pairs, host.pairs, "table of pairs");
    ExpectSame(made.means, host.means, "mean");
  }
  void ExpectHost(Model const& model, DataView const& background) const {
    TreeRange const all{0, static_cast<std::int64_t>(model.trees.size())};
    auto const forest = CompileForest({}, model, all);
    for (auto const semivalue : {Semivalue::kShapley, Semivalue::kBanzhaf, Semivalue::kTaylorPairs}) {
      for (auto const with_pairs : {false, true}) {
        SCOPED_TRACE("semivalue " + std::to_string(static_cast<int>(semivalue)) + (with_pairs ? ", pairs" : ""));
        cuda::InterventionalProgram const program(
            Threads(2), Cuda(), forest, all, {cuda::MostTableFeatures(Cuda()), kWholeForest}, {semivalue, with_pairs});
        ASSERT_TRUE(program.IsForDevice());
        ExpectHost(forest, background, program);
      }
    }
  }
};

TEST_F(LeafTablesTest, EveryNumberOfFeatures) {
  auto const most = static_cast<std::int32_t>(cuda::MostTableFeatures(Cuda()));
  EXPECT_GE(most, 10);
  for (std::int32_t n = 1; n <= most; ++n) {
    SCOPED_TRACE(n);
    for (std::int64_t const n_rows : {1, 3, 127, 128, 129, 513, 3000}) {
      SCOPED_TRACE(n_rows);
      ExpectHost(ChainOf(n), RandomRows(n_rows, n, 7));
    }
  }
}

TEST_F(LeafTablesTest, RandomForests) {
  std::vector<std::pair<std::string, ForestSpec>> specs(6);
  specs[0].first = "plain";
  specs[1] = {"single leaves", {}};
  specs[1].second.depth = 0;
  specs[2] = {"classes, weights of trees", {}};
  specs[2].second.n_classes = 3;
  specs[2].second.n_trees = 10;
  specs[2].second.dart = true;
  specs[3] = {"categories", {}};
  specs[3].second.categorical = 0.5;
  specs[3].second.depth = 8;
  specs[3].second.n_features = 9;
  specs[4] = {"features that repeat", {}};
  specs[4].second.n_features = 2;
  specs[4].second.depth = 9;
  specs[5] = {"paths of up to 11 features", {}};
  specs[5].second.n_features = 14;
  specs[5].second.depth = 11;
  specs[5].second.early_leaf = 0.15;
  for (auto const& [name, spec] : specs) {
    SCOPED_TRACE(name);
    auto const model = RandomModel(spec);
    ExpectHost(model, RandomRows(70, spec.n_features, 5));
    ExpectHost(model, Repeated(RandomRows(40, spec.n_features, 6), 60));
  }
}

/// Pieces end where their tables are large enough, also in the middle of trees.
TEST_F(LeafTablesTest, PiecesOfAnySize) {
  ForestSpec spec;
  spec.n_trees = 7;
  spec.n_features = 10;
  spec.depth = 9;
  auto const model = RandomModel(spec);
  auto const forest = CompileForest({}, model, {0, spec.n_trees});
  auto const background = RandomRows(60, spec.n_features, 5);
  auto const most = cuda::MostTableFeatures(Cuda());
  std::set<std::size_t> numbers;
  for (std::int64_t const doubles : {std::int64_t{1}, std::int64_t{5000}, std::int64_t{40000}, kWholeForest}) {
    SCOPED_TRACE(doubles);
    cuda::InterventionalProgram const all(Threads(2), Cuda(), forest, {0, spec.n_trees}, {most, doubles});
    ExpectHost(forest, background, all);
    ExpectHost(forest, background, {Threads(2), Cuda(), forest, {2, 5}, {most, doubles}});
    numbers.insert(all.Pieces().size());
  }
  EXPECT_EQ(numbers.size(), 4U);
  EXPECT_EQ(*numbers.begin(), 1U);
}

/// A single tree with longer paths, or less shared memory in a block, makes the host build all tables.
TEST_F(LeafTablesTest, LongerPathsAreTheHosts) {
  auto model = ChainOf(6);
  model.trees.push_back(ChainModel(4, 6, 0.6F).trees.front());
  model.output_of_tree.push_back(0);
  auto const forest = CompileForest({}, model, {0, 2});
  auto const background = RandomRows(50, 6, 5);
  for (std::uint32_t most = 3; most <= 7; ++most) {
    SCOPED_TRACE(most);
    cuda::InterventionalProgram const all(Threads(1), Cuda(), forest, {0, 2}, {most, kWholeForest});
    cuda::InterventionalProgram const shorter(Threads(1), Cuda(), forest, {1, 2}, {most, kWholeForest});
    EXPECT_EQ(all.IsForDevice(), most >= 6);
    EXPECT_EQ(all.Pieces().empty(), most < 6);
    EXPECT_EQ(shorter.IsForDevice(), most >= 4);
    if (all.IsForDevice()) ExpectHost(forest, background, all);
    if (shorter.IsForDevice()) ExpectHost(forest, background, shorter);
  }
}

/// The second background must not see data of the first.
TEST_F(LeafTablesTest, OneProgramForManyBackgrounds) {
  auto const model = RandomModel({});
  auto const forest = CompileForest({}, model, {0, 5});
  cuda::InterventionalProgram const program(Threads(2), Cuda(), forest, {0, 5},
                                            {cuda::MostTableFeatures(Cuda()), kWholeForest});
  for (std::int64_t const n_rows : {500, 20, 1}) {
    auto const background = RandomRows(n_rows, 6, static_cast<std::uint64_t>(n_rows));
    ExpectHost(forest, background, program);
  }
}

TEST_F(LeafTablesTest, MeansOfOutputsAddUpInTheOrderOfTrees) {
  std::vector<double> const means{1e16, 1.0, -1e16, 0.25, 3.0};
  std::vector<std::int32_t> const output_of_tree{0, 0, 0, 2, 0};
  auto const means_there = cuda::ToDevice(Cuda(), means);
  auto const outputs_there = cuda::ToDevice(Cuda(), output_of_tree);
  cuda::Buffer<double> const sums(Cuda(), 3);
  cuda::SumTreeMeans(Cuda(), means_there.data(), outputs_there.data(), 5, 3, sums.data());
  EXPECT_EQ(Fetch(Cuda(), sums), (std::vector<double>{1e16 + 1.0 - 1e16 + 3.0, 0.0, 0.25}));
}

}  // namespace
}  // namespace kauri::testing
