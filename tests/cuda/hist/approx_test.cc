/// tree_method=approx: the CPU's bytes.
#include "common/text/log.h"
#include "data/bins/bin_store_maker.h"
#include "hist/hist_fixture.h"
#include "support/row_batches.h"

namespace kauri::testing {
namespace {

std::shared_ptr<DataMatrix> MakeBinned(HistCase const& given, BinStoreOptions const& options) {
  auto const data = MakeTable(given.table, KindOf(given));
  RowBatches batches(*data, 700);
  return MakeBinnedMatrix(Context{}, &batches, options);
}

class HistApprox : public HistDeviceTest {
 protected:
  static void ExpectSameModels(std::vector<HistCase> cases) {
    for (auto& given : cases) given.params.push_back({"tree_method", "approx"});
    ExpectSameTrees(cases);
  }
  static HistCase Of(Missing missing, Params const& params, bool weights = false) {
    HistCase given;
    given.name = "approx";
    given.table.n_rows = 1500;
    given.table.n_cols = 9;
    given.table.missing = missing;
    given.table.weights = weights;
    given.params = params;
    given.rounds = 3;
    return given;
  }
  /// Returns a table with few values present, so that rows given as sparse stay sparse.
  static Table OneHot(bool sparse) {
    Table table;
    table.n_rows = 1500;
    table.n_cols = 40;
    table.values = Values::kOneHot;
    table.sparse = sparse;
    return table;
  }
  static HistCase Logistic(Params const& params, Missing missing = Missing::kSome) {
    return Of(missing, With({{"objective", "binary:logistic"}, {"max_bin", "32"}}, params));
  }
};

TEST_F(HistApprox, Bins) {
  for (auto const* max_bin : {"2", "16", "256", "1000"}) {
    ExpectSameModels({Of(Missing::kNone, {{"max_bin", max_bin}}), Of(Missing::kMixed, {{"max_bin", max_bin}}),
                      Of(Missing::kSome, {{"max_bin", max_bin}, {"grow_policy", "lossguide"}}, true),
                      Logistic({{"max_bin", max_bin}}, Missing::kNone), Logistic({{"max_bin", max_bin}})});
  }
}

/// Bin edges follow the hessians of the round, and of each output.
TEST_F(HistApprox, Hessians) {
  ExpectSameModels({Logistic({}), Of(Missing::kSome, {{"objective", "binary:logistic"}, {"subsample", "0.5"}}, true),
                    Of(Missing::kSome, {{"objective", "multi:softprob"}, {"num_class", "3"}, {"max_bin", "16"}}),
                    Of(Missing::kSome, {{"objective", "count:poisson"}, {"max_bin", "16"}}, true),
                    Of(Missing::kNone, {{"num_target", "3"}, {"max_bin", "16"}}),
                    Of(Missing::kNone, {{"objective", "reg:absoluteerror"}, {"max_bin", "16"}})});
}

TEST_F(HistApprox, Sampling) {
  for (auto const* method : {"uniform", "gradient_based"}) {
    ExpectSameModels({Logistic({{"subsample", "0.5"}, {"sampling_method", method}}),
                      Logistic({{"subsample", "0.1"}, {"sampling_method", method}, {"num_parallel_tree", "3"}}),
                      Of(Missing::kSome, {{"subsample", "0.6"}, {"sampling_method", method}, {"max_bin", "16"}})});
  }
  ExpectSameModels({Logistic({{"colsample_bytree", "0.5"}, {"colsample_bynode", "0.5"}})});
}

TEST_F(HistApprox, Growth) {
  ExpectSameModels({Logistic({{"grow_policy", "lossguide"}, {"max_leaves", "20"}, {"max_depth", "0"}}),
                    Logistic({{"max_depth", "10"}, {"min_child_weight", "0"}}),
                    Logistic({{"monotone_constraints", "(1,-1)"}}, Missing::kMixed),
                    Logistic({{"interaction_constraints", "[[0,1],[2,3,4]]"}}),
                    Logistic({{"booster", "dart"}, {"rate_drop", "0.5"}})});
}

TEST_F(HistApprox, ByTheNameOfItsUpdater) {
  auto const cpu = TrainOn("cpu", Logistic({{"tree_method", "approx"}}));
  EXPECT_EQ(cpu.error, "");
  EXPECT_TRUE(SameOutcome(cpu, TrainOn(kDevice, Logistic({{"updater", "grow_gpu_approx"}, {"tree_method", "auto"}}))));
}

/// Data that the host bins, and data that it would bundle.
TEST_F(HistApprox, DataOfTheHost) {
  std::vector<HistCase> cases;
  for (auto const& params : {Params{}, Params{{"objective", "count:poisson"}, {"max_bin", "16"}}}) {
    auto sparse = Of(Missing::kMixed, params);
    sparse.table.sparse = true;
    auto one_hot = Of(Missing::kNone, params);
    one_hot.table = OneHot(false);
    auto sparse_one_hot = one_hot;
    sparse_one_hot.table = OneHot(true);
    auto categories = Of(Missing::kSome, params);
    categories.table.levels = {3, 50, 300};
    auto sketch = Of(Missing::kSome, With(params, {{"sketch", "gk"}}));
    cases.insert(cases.end(), {sparse, one_hot, sparse_one_hot, categories, sketch});
  }
  ExpectSameModels(cases);
}

/// Rows in a file keep the bins with which they were made; a matrix in memory that keeps bins is refused.
TEST_F(HistApprox, DataThatKeepBins) {
  auto const given = Logistic({{"tree_method", "approx"}, {"max_bin", "256"}});
  for (bool const in_file : {true, false}) {
    BinStoreOptions options;
    options.in_file = in_file;
    options.for_approx = in_file;
    auto const cpu = TrainOn("cpu", given, MakeBinned(given, options));
    EXPECT_EQ(cpu.error.empty(), in_file) << cpu.error;
    EXPECT_TRUE(SameOutcome(cpu, TrainOn(kDevice, given, MakeBinned(given, options))));
  }
}

std::vector<std::string>* logged = nullptr;

/// Copies that depend on the data are logged once, whatever the number of trees.
TEST_F(HistApprox, SaysWhatIsCopied) {
  std::vector<std::string> lines;
  logged = &lines;
  SetLogCallback([](char const* line) { logged->push_back(line); });
  auto sparse = Logistic({{"tree_method", "approx"}});
  sparse.table = OneHot(true);
  EXPECT_EQ(TrainOn(kDevice, sparse).error, "");
  EXPECT_EQ(TrainOn(kDevice, Logistic({{"tree_method", "approx"}})).error, "");
  SetLogCallback(nullptr);
  auto const is_said = [](std::string const& line) { return line.find("made in host memory") != std::string::npos; };
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(), is_said), 1);
}

TEST_F(HistApprox, PairsOfACaller) {
  for (auto const kind :
       {Gradients::kNormal, Gradients::kHalfNegative, Gradients::kConstant, Gradients::kCoarse, Gradients::kFewRows}) {
    auto given = Of(Missing::kMixed, {{"max_bin", "32"}});
    given.gradients = kind;
    ExpectSameModels({given});
  }
  auto nothing = Of(Missing::kMixed, {{"tree_method", "approx"}});
  nothing.gradients = Gradients::kZero;
  ExpectSame(nothing);
}

}  // namespace
}  // namespace kauri::testing
