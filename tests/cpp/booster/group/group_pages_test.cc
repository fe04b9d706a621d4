/// \file Ranks whose bins are in files of their own learn what one process learns from all rows in memory.
#include "booster/group/group_cases.h"
#include "data/bins/bin_store_maker.h"
#include "data/ranks_data.h"
#include "support/error.h"

namespace kauri::group_test {
namespace {

struct PagesCase : Case {
  bool for_approx = false;
  std::int64_t budget = 0;  ///< bytes of the first rank, half of what the others have; 0: no limit
};

/// Returns the given rows as bins in a file. The ranks of ctx have batches, columns per pass and budgets of different
/// sizes.
std::shared_ptr<DataMatrix> OnPages(Context const& ctx, PagesCase const& spec, std::vector<std::int64_t> const& rows,
                                    bool in_file = true) {
  auto const& table = spec.table;
  auto const rank = ctx.collective == nullptr ? 0 : ctx.collective->Rank();
  auto const values = MakeMatrix(table, rows, ctx.collective != nullptr);
  MetaInfo info;
  info.n_rows = static_cast<std::int64_t>(rows.size());
  info.n_cols = table.n_cols;
  info.feature_types = table.types;
  info.weights = Pick(table.weights, rows);
  testing::BatchesOfRank batches(Pick(table.values, rows, table.n_cols), info, table.sparse, 100 + 150 * rank);
  BinStoreOptions options;
  options.in_file = in_file;
  options.for_approx = spec.for_approx;
  options.kept_bytes = ctx.collective == nullptr ? options.kept_bytes : std::int64_t{1} << (11 + rank % 4);
  if (spec.budget > 0) options.budget.bytes = rank == 0 ? spec.budget : 2 * spec.budget;
  std::shared_ptr<DataMatrix> data = MakeBinnedMatrix(ctx, &batches, options);
  data->MutableInfo()->n_targets = values->Info().n_targets;
  data->MutableInfo()->labels = values->Info().labels;
  data->MutableInfo()->global_rows = values->Info().global_rows;
  return data;
}

std::vector<PagesCase> MakeCases() {
  Params const trees{{"max_depth", "5"}, {"tree_method", "hist"}};
  auto const with = [&](Params more) {
    more.insert(more.begin(), trees.begin(), trees.end());
    return more;
  };
  auto weighted = MakeTable(kRows, 0, 2);
  for (std::int64_t row = 0; row < kRows; ++row) weighted.weights.push_back(static_cast<float>(row % 7) / 3.0F);
  auto sparse = MakeTable(kRows, 2, 3);
  sparse.sparse = true;
  for (std::size_t i = 0; i < sparse.values.size(); ++i) {
    if (i % 5 != 2) sparse.values[i] = std::numeric_limits<float>::quiet_NaN();
  }
  auto categories = MakeTable(kRows, 0, 4);
  categories.types = {"q", "q", "q", "c", "q", "q"};
  Params const classes{{"objective", "multi:softprob"}, {"num_class", "3"}};
  auto vectors = classes;
  vectors.emplace_back("multi_strategy", "multi_output_tree");
  std::vector<PagesCase> cases;
  cases.push_back({{"plain", trees, MakeTable(kRows, 0, 1)}});
  cases.push_back({{"little memory", with({{"max_depth", "7"}}), MakeTable(kRows, 0, 1)}, false, 1 << 20});
  cases.push_back({{"weights, sampled rows", with({{"subsample", "0.6"}, {"seed", "3"}}), weighted}});
  cases.push_back({{"sparse", with({{"objective", "binary:logistic"}}), sparse}});
  cases.push_back({{"categories", with({{"max_cat_to_onehot", "1"}}), categories}});
  cases.push_back({{"leafwise", with({{"grow_policy", "lossguide"}, {"max_leaves", "20"}}), MakeTable(kRows, 0, 5)}});
  cases.push_back({{"classes", with(classes), MakeTable(kRows, 3, 6)}});
  cases.push_back({{"vector leaves", with(vectors), MakeTable(kRows, 3, 7)}});
  cases.push_back({{"many columns' bins", with({{"max_bin", "256"}, {"max_depth", "8"}}), MakeTable(kRows, 0, 8)}});
  cases.push_back({{"approx", {{"tree_method", "approx"}, {"objective", "binary:logistic"}}, sparse}, true});
  return cases;
}

TEST(GroupPages, LearnWhatOneProcessLearnsInMemory) {
  for (auto const& spec : MakeCases()) {
    auto const whole =
        spec.for_approx ? OnPages({}, spec, AllRows(kRows)) : MakeMatrix(spec.table, AllRows(kRows), false);
    auto const alone = Train(nullptr, spec.params, 3, whole, whole);
    for (auto const& partition : Partitions(kRows)) {
      auto const errors = RunRanks(static_cast<int>(partition.size()), [&](Collective* group) {
        Context ctx;
        ctx.collective = group;
        auto const mine = OnPages(ctx, spec, partition[static_cast<std::size_t>(group->Rank())]);
        auto const trained = Train(group, spec.params, 3, mine, mine);
        EXPECT_EQ(trained.lines, alone.lines) << spec.name << ", " << partition.size() << " ranks";
        EXPECT_TRUE(trained.model == alone.model) << spec.name << ", " << partition.size() << " ranks";
      });
      for (auto const& error : errors) EXPECT_EQ(error, "") << spec.name;
    }
  }
}

TEST(GroupPages, MustBeMadeTogetherAndByAllRanks) {
  auto const spec = MakeCases()[0];
  auto const partition = Contiguous(kRows, 2);
  auto const train = [&](auto&& make) {
    return RunRanks(2, [&](Collective* group) {
      auto const data = make(group, partition[static_cast<std::size_t>(group->Rank())]);
      Train(group, spec.params, 1, data, data);
    });
  };
  auto const alone = train([&](Collective* group, std::vector<std::int64_t> const& rows) {
    auto data = OnPages({}, spec, rows);
    data->MutableInfo()->global_rows = MakeMatrix(spec.table, rows, true)->Info().global_rows;
    static_cast<void>(group);
    return data;
  });
  for (auto const& error : alone) ExpectParts(error, {"differ from the bins of other ranks"});
  auto const mixed = train([&](Collective* group, std::vector<std::int64_t> const& rows) {
    auto data = OnPages({}, spec, rows, group->Rank() == 0);
    data->MutableInfo()->global_rows = MakeMatrix(spec.table, rows, true)->Info().global_rows;
    return data;
  });
  for (auto const& error : mixed) ExpectParts(error, {"how rows are kept", "external memory", "QuantileDMatrix"});
}

}  // namespace
}  // namespace kauri::group_test
