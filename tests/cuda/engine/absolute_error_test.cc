/// split_criterion=absolute_error with tree_method=exact: a learner has the same models and margins with device=cuda
/// and device=cpu, bit for bit, whatever was trained before.
#include <cmath>

#include "booster/learner.h"
#include "booster/model_io/model_document.h"
#include "booster/model_io/ubjson.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

struct DataSpec {
  std::int64_t n_rows = 3000;
  double missing = 0.2;
  std::uint32_t n_distinct = 0;
  bool sparse = false;
  bool weighed = false;
  bool base_margin = false;
  std::uint64_t seed = 1;
};

/// Returns data with skewed labels that depend on the first two of five columns.
std::shared_ptr<DataMatrix> MakeData(DataSpec const& spec) {
  auto const values = MakeValues({spec.n_rows, 5, spec.missing, spec.n_distinct, false, spec.seed});
  std::shared_ptr<DataMatrix> data = MakeMatrix(values, 5, spec.sparse);
  auto* const info = data->MutableInfo();
  Random random(spec.seed + 1);
  for (std::int64_t row = 0; row < spec.n_rows; ++row) {
    auto const* const of_row = values.data() + 5 * row;
    auto const score = (std::isnan(of_row[0]) ? 0.3F : of_row[0]) + (of_row[1] > 0.4F ? 1.0F : 0.0F);
    info->labels.push_back(std::exp(score + 0.5F * random.Normal()));
    if (spec.weighed) info->weights.push_back(static_cast<float>(random.Below(4)) / 3.0F);
    if (spec.base_margin) info->base_margin.push_back(static_cast<float>(random.Uniform()));
  }
  return data;
}

/// The same training on both devices, each with data of its own.
class Pair {
 public:
  Pair(ParamMap const& params, std::vector<DataSpec> const& specs) {
    for (auto* const side : {&cpu_, &cuda_}) {
      side->learner.SetParam("tree_method", "exact");
      side->learner.SetParam("split_criterion", "absolute_error");
      for (auto const& [name, value] : params) side->learner.SetParam(name, value);
      for (auto const& spec : specs) side->data.push_back(MakeData(spec));
    }
    cuda_.learner.SetParam("device", "cuda");
  }
  void SetParam(std::string const& name, std::string const& value) {
    for (auto* const side : {&cpu_, &cuda_}) side->learner.SetParam(name, value);
  }
  void Boost(int n_rounds, std::size_t data = 0) {
    for (auto* const side : {&cpu_, &cuda_}) {
      for (int i = 0; i < n_rounds; ++i) side->learner.BoostRound(side->data[data], side->learner.NumIterations());
    }
  }
  /// Returns the message of a round that both refuse with the same message. The round must leave both unchanged.
  std::string Refusal() {
    auto const before = Bytes(&cuda_);
    auto const message = MessageOf([&] { cuda_.learner.BoostRound(cuda_.data[0], cuda_.learner.NumIterations()); });
    EXPECT_EQ(message, MessageOf([&] { cpu_.learner.BoostRound(cpu_.data[0], cpu_.learner.NumIterations()); }));
    EXPECT_EQ(before, Bytes(&cuda_));
    return message;
  }
  /// Returns the number of leaves.
  std::int64_t ExpectSame(std::size_t data = 0) {
    EXPECT_EQ(Bytes(&cpu_), Bytes(&cuda_));
    EXPECT_TRUE(SameFloats(Margins(&cpu_, data), Margins(&cuda_, data)));
    std::int64_t n_leaves = 0;
    for (auto const& tree : cuda_.learner.GetModel().trees) n_leaves += tree.NumLeaves();
    return n_leaves;
  }

 private:
  struct Side {
    Learner learner;
    std::vector<std::shared_ptr<DataMatrix>> data;
  };
  static std::string Bytes(Side* side) {
    model_io::UbjsonWriter writer;
    model_io::WriteModel(side->learner.GetModel(), {}, &writer);
    return writer.Take();
  }
  static std::vector<float> Margins(Side* side, std::size_t data) {
    PredictOptions options;
    options.kind = PredictKind::kMargin;
    return side->learner.PredictTraining(side->data[data], options).values;
  }

  Side cpu_;
  Side cuda_;
};

class AbsoluteErrorOnDevice : public DeviceTest {};

TEST_F(AbsoluteErrorOnDevice, ModelsAreTheHosts) {
  struct Case {
    ParamMap params;
    DataSpec data;
  };
  ParamMap const absolute{{"objective", "reg:absoluteerror"}};
  auto const with = [&](ParamMap more) {
    more.insert(absolute.begin(), absolute.end());
    return more;
  };
  std::vector<Case> const cases{
      {absolute, {}},
      {absolute, {3000, 0.0, 12, false, true, false, 2}},
      {absolute, {9000, 0.4, 0, true, true, true, 3}},
      {{{"objective", "reg:quantileerror"}, {"quantile_alpha", "0.9"}}, {2000, 0.2, 0, false, true, false, 4}},
      {{{"objective", "reg:quantileerror"}, {"quantile_alpha", "[0.1,0.5,0.9]"}},
       {2000, 0.2, 0, false, false, false, 5}},
      {with({{"num_parallel_tree", "3"}, {"subsample", "0.6"}, {"colsample_bynode", "0.7"}}), {}},
      {with({{"booster", "dart"}, {"rate_drop", "0.5"}}), {}},
      {with({{"min_data_in_leaf", "30"}, {"gamma", "2"}, {"max_delta_step", "0.5"}, {"path_smooth", "3"}}), {}},
      {with({{"subsample", "0.5"}, {"sampling_method", "gradient_based"}}), {}},
      {with({{"bagging_temperature", "1"}, {"max_depth", "9"}, {"min_child_weight", "0"}}), {}},
      {with({{"interaction_constraints", "[[0,1],[2,3,4]]"}, {"colsample_bylevel", "0.6"}}), {}},
      {absolute, {1, 0.0, 0, false, false, false, 6}},
      {absolute, {2, 0.0, 0, false, false, false, 7}}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(i);
    Pair pair(cases[i].params, {cases[i].data});
    pair.Boost(4);
    EXPECT_GT(pair.ExpectSame(), cases[i].data.n_rows < 3 ? 0 : 20);
  }
}

/// The criterion, the objective and the data change in between; refused rounds leave no trace.
TEST_F(AbsoluteErrorOnDevice, TrainingGoesOn) {
  Pair pair({{"objective", "reg:absoluteerror"}, {"max_depth", "5"}}, {{}, {800, 0.0, 0, false, true, false, 9}});
  pair.Boost(2);
  pair.ExpectSame();
  pair.SetParam("split_criterion", "gradient");
  pair.Boost(2);
  pair.SetParam("split_criterion", "absolute_error");
  pair.SetParam("monotone_constraints", "(1,0,0,0,0)");
  EXPECT_NE(pair.Refusal().find("monotone_constraints"), std::string::npos);
  pair.SetParam("monotone_constraints", "");
  pair.SetParam("extra_trees", "1");
  EXPECT_NE(pair.Refusal().find("extra_trees"), std::string::npos);
  pair.SetParam("extra_trees", "0");
  pair.Boost(1, 1);
  pair.ExpectSame(1);
  pair.SetParam("subsample", "0.7");
  pair.Boost(2);
  pair.ExpectSame();
}

TEST_F(AbsoluteErrorOnDevice, GradientsFromOutsideAreRefused) {
  Learner learner;
  learner.SetParam("device", "cuda");
  learner.SetParam("tree_method", "exact");
  learner.SetParam("objective", "reg:absoluteerror");
  learner.SetParam("split_criterion", "absolute_error");
  auto const data = MakeData({});
  learner.BoostRound(data, 0);
  std::vector<GradientPair> const pairs(3000, {0.5F, 1.0F});
  EXPECT_NE(MessageOf([&] { learner.BoostRound(data, 1, Span<GradientPair const>(pairs)); }).find("custom gradients"),
            std::string::npos);
  learner.BoostRound(data, 1);
  EXPECT_EQ(learner.NumIterations(), 2);
}

/// Methods without a version for devices are refused, with a message that names an alternative.
TEST_F(AbsoluteErrorOnDevice, HistIsRefused) {
  Learner learner;
  learner.SetParam("device", "cuda");
  learner.SetParam("tree_method", "hist");
  learner.SetParam("objective", "reg:absoluteerror");
  learner.SetParam("split_criterion", "absolute_error");
  auto const message = MessageOf([&] { learner.BoostRound(MakeData({}), 0); });
  ExpectParts(message, {"tree_method=gpu_hist does not support it", "tree_method=exact", "device=cpu"});
}

}  // namespace
}  // namespace kauri::testing
