/// The engine on the device against the engine of the CPU, each with its exact method: same trees, margins and metrics,
/// bit for bit.
#include "kauri/engine.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/text/log.h"
#include "cuda/engine/cuda_engine.h"
#include "cuda/exact/gpu_exact_builder.h"
#include "cuda/predictor/gpu_predictor.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

std::shared_ptr<DataMatrix> MakeData(std::int64_t n_rows, bool sparse, float n_classes, std::uint64_t seed) {
  std::shared_ptr<DataMatrix> data = MakeMatrix({n_rows, 6, 0.6, 0, sparse, seed});
  auto* const info = data->MutableInfo();
  Random random(seed + 1);
  for (std::int64_t row = 0; row < n_rows; ++row) {
    auto const label = static_cast<float>(random.Uniform()) * n_classes;
    info->labels.push_back(n_classes > 1.0F ? std::floor(label) : label);
    info->weights.push_back(0.5F + static_cast<float>(random.Uniform()));
    info->label_lower_bound.push_back(info->labels.back() + 0.1F);
    info->label_upper_bound.push_back(info->labels.back() + (row % 3 == 0 ? 0.1F : 2.0F));
  }
  return data;
}

/// A boosting session.
class Session {
 public:
  Session(std::unique_ptr<Engine> engine, std::unique_ptr<Predictor> predictor, Context const& ctx, ParamMap params)
      : engine_(std::move(engine)), predictor_(std::move(predictor)), ctx_(ctx), params_(std::move(params)) {
    objective_ = GetRegistries().objectives.Find(params_.at("objective")).make(params_);
    builder_ = ctx.device.kind == DeviceKind::kCuda
                   ? cuda::MakeGpuExactBuilder(TrainingParams(params_))
                   : GetRegistries().tree_methods.Find("exact").make(TrainingParams(params_));
    model_.n_features = 6;
    model_.n_classes = objective_->NumClasses();
    if (model_.n_classes == 0) model_.n_targets = objective_->NumOutputs(MetaInfo());
    tree_param_ = ParseParameters<TreeParam>(params_);
    start_.assign(model_.NumOutputs(), 0.125F);
  }

  void UpdateMargins(std::shared_ptr<DataMatrix const> const& data) {
    engine_->UpdateMargins(ctx_, data, model_, *predictor_, start_, {});
  }
  void Round(std::shared_ptr<DataMatrix const> const& train, float subsample, Span<GradientPair const> custom = {}) {
    UpdateMargins(train);
    if (custom.empty()) {
      engine_->ComputeGradients(ctx_, *train, *objective_, model_.NumIterations());
    } else {
      engine_->SetGradients(ctx_, *train, custom);
    }
    RoundTree task;
    task.place.iteration = model_.NumIterations();
    task.place.n_outputs = model_.NumOutputs();
    task.place.feature_weights = train->Info().feature_weights;
    task.subsample = subsample;
    task.param = &tree_param_;
    std::vector<Tree> trees;
    for (task.output = 0; task.output < model_.NumOutputs(); ++task.output, ++task.place.tree_in_iteration) {
      trees.push_back(std::move(engine_->BuildTrees(ctx_, *train, *builder_, {task}).front()));
      model_.output_of_tree.push_back(static_cast<std::int32_t>(task.output));
    }
    std::move(trees.begin(), trees.end(), std::back_inserter(model_.trees));
    model_.iteration_ptr.push_back(static_cast<std::int64_t>(model_.trees.size()));
    engine_->FinishRound(*train, model_);
  }
  std::vector<double> Evaluate(std::shared_ptr<DataMatrix const> const& data, std::vector<std::string> const& names) {
    MetricList metrics;
    for (auto const& name : names) metrics.push_back(GetRegistries().metrics.Find(name).make("", params_));
    return EvaluateMetrics(data, metrics);
  }
  std::vector<double> EvaluateMetrics(std::shared_ptr<DataMatrix const> const& data, MetricList const& metrics) {
    UpdateMargins(data);
    return engine_->Evaluate(ctx_, *data, *objective_, metrics);
  }
  Engine& TheEngine() { return *engine_; }
  Model const& TheModel() const { return model_; }
  void SetBuilder(std::unique_ptr<TreeBuilder> builder) { builder_ = std::move(builder); }
  void SetObjective(std::unique_ptr<Objective> objective) { objective_ = std::move(objective); }

 private:
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Predictor> predictor_;
  Context ctx_;
  ParamMap params_;
  TreeParam tree_param_;
  std::unique_ptr<Objective> objective_;
  std::unique_ptr<TreeBuilder> builder_;
  Model model_;
  std::vector<float> start_;
};

std::vector<std::string>& Lines() {
  static std::vector<std::string> lines;
  return lines;
}

class CudaEngineTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    Lines().clear();
    SetLogCallback([](char const* line) { Lines().emplace_back(line); });
  }
  void TearDown() override { SetLogCallback(nullptr); }

  static Session OnTheDevice(ParamMap const& params) {
    Registry<PredictorFactory> registry("predictor");
    cuda::RegisterGpuPredictor(&registry);
    return {cuda::MakeCudaEngine(), registry.Find("gpu_predictor").make({}), OnDevice(), params};
  }
  static Session OnTheHost(ParamMap const& params) {
    return {GetRegistries().engines.Find("cpu").make(), GetRegistries().predictors.Find("cpu_predictor").make({}),
            Context{}, params};
  }
  static std::size_t CountLines(std::string const& text) {
    return static_cast<std::size_t>(std::count_if(
        Lines().begin(), Lines().end(), [&](std::string const& line) { return line.find(text) != std::string::npos; }));
  }
};

void ExpectSameTrees(Model const& a, Model const& b) {
  ASSERT_EQ(a.trees.size(), b.trees.size());
  for (std::size_t tree = 0; tree < a.trees.size(); ++tree) {
    EXPECT_EQ(a.trees[tree].left, b.trees[tree].left) << "tree " << tree;
    EXPECT_EQ(a.trees[tree].split_feature, b.trees[tree].split_feature) << "tree " << tree;
    EXPECT_TRUE(SameFloats(a.trees[tree].split_value, b.trees[tree].split_value)) << "tree " << tree;
  }
}

TEST_F(CudaEngineTest, RoundsHaveTheHostsBits) {
  struct Case {
    ParamMap params;
    float n_classes;
    std::vector<std::string> metrics;
  };
  std::vector<Case> const cases{
      {{{"objective", "reg:squarederror"}}, 1.0F, {"rmse", "mae"}},
      {{{"objective", "binary:logistic"}}, 2.0F, {"logloss", "error", "auc", "aucpr"}},
      {{{"objective", "binary:logitraw"}}, 2.0F, {"auc", "error"}},
      {{{"objective", "count:poisson"}}, 5.0F, {"poisson-nloglik"}},
      {{{"objective", "reg:absoluteerror"}}, 1.0F, {"mae"}},
      {{{"objective", "reg:quantileerror"}, {"quantile_alpha", "[0.2,0.7]"}}, 1.0F, {"quantile"}},
      {{{"objective", "reg:expectileerror"}, {"expectile_alpha", "[0.2,0.7]"}}, 1.0F, {"expectile"}},
      {{{"objective", "survival:cox"}}, 1.0F, {"cox-nloglik"}},
      {{{"objective", "survival:aft"}}, 1.0F, {"aft-nloglik", "interval-regression-accuracy", "mae"}},
      {{{"objective", "multi:softprob"}, {"num_class", "3"}}, 3.0F, {"mlogloss", "merror", "auc", "aucpr"}}};
  for (auto const& given : cases) {
    for (bool const sparse : {false, true}) {
      SCOPED_TRACE(given.params.at("objective"));
      auto const train = MakeData(1500, sparse, given.n_classes, 41);
      auto const valid = MakeData(700, sparse, given.n_classes, 43);
      auto device = OnTheDevice(given.params);
      auto host = OnTheHost(given.params);
      for (int round = 0; round < 4; ++round) {
        auto const subsample = round % 2 == 0 ? 1.0F : 0.7F;
        device.Round(train, subsample);
        host.Round(train, subsample);
        EXPECT_EQ(device.Evaluate(train, given.metrics), host.Evaluate(train, given.metrics));
        EXPECT_EQ(device.Evaluate(valid, given.metrics), host.Evaluate(valid, given.metrics));
        EXPECT_TRUE(SameFloats(device.TheEngine().Margins(*train), host.TheEngine().Margins(*train)));
        EXPECT_TRUE(SameFloats(device.TheEngine().Margins(*valid), host.TheEngine().Margins(*valid)));
      }
      ExpectSameTrees(device.TheModel(), host.TheModel());
    }
  }
}

/// Samples rows by gradients, in host memory, and columns by weights; sets leaves from all rows.
TEST_F(CudaEngineTest, DrawsTheRowsAndColumnsOfTheHost) {
  for (std::string const objective : {"binary:logistic", "reg:absoluteerror", "multi:softprob"}) {
    SCOPED_TRACE(objective);
    ParamMap params{{"objective", objective}, {"sampling_method", "gradient_based"}, {"colsample_bynode", "0.5"}};
    if (objective == "multi:softprob") params["num_class"] = "3";
    auto const train = MakeData(1500, false, 2.0F, 71);
    train->MutableInfo()->feature_weights = {0.0F, 1.0F, 2.0F, 0.5F, 8.0F, 1.0F};
    auto device = OnTheDevice(params);
    auto host = OnTheHost(params);
    for (float const subsample : {0.3F, 1.0F, 0.7F}) {
      device.Round(train, subsample);
      host.Round(train, subsample);
    }
    EXPECT_TRUE(SameFloats(device.TheEngine().Margins(*train), host.TheEngine().Margins(*train)));
    ExpectSameTrees(device.TheModel(), host.TheModel());
  }
}

/// Labels and base margins may change between rounds, and a data set may be added late.
TEST_F(CudaEngineTest, FollowsChangesOfTheInfo) {
  ParamMap const params{{"objective", "reg:squarederror"}};
  auto const train = MakeData(400, false, 1.0F, 45);
  auto device = OnTheDevice(params);
  auto host = OnTheHost(params);
  for (int round = 0; round < 4; ++round) {
    device.Round(train, 1.0F);
    host.Round(train, 1.0F);
    EXPECT_EQ(device.Evaluate(train, {"rmse"}), host.Evaluate(train, {"rmse"}));
    if (round == 0) train->MutableInfo()->labels[7] = 5.0F;
    if (round == 1) train->MutableInfo()->base_margin = UniformValues(400, -1.0F, 1.0F, 46);
    if (round == 2) train->MutableInfo()->weights.clear();
  }
  EXPECT_TRUE(SameFloats(device.TheEngine().Margins(*train), host.TheEngine().Margins(*train)));
  auto const late = MakeData(300, true, 1.0F, 47);
  EXPECT_EQ(device.Evaluate(late, {"rmse"}), host.Evaluate(late, {"rmse"}));
  device.TheEngine().Clear();
  EXPECT_EQ(device.Evaluate(train, {"rmse"}), host.Evaluate(train, {"rmse"}));
}

/// An objective as a user's plug-in may bring it: only the host knows it.
class AbsoluteError : public Objective {
 public:
  std::int64_t NumOutputs(MetaInfo const&) const override { return 1; }
  void ValidateInfo(Context const&, MetaInfo const&) const override {}
  void ComputeGradients(Context const&, Span<float const> margins, MetaInfo const& info, std::int64_t,
                        Span<GradientPair> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = {margins[i] > info.labels[i] ? 1.0F : -1.0F, 1.0F};
  }
  std::vector<float> EstimateBaseScore(Context const&, MetaInfo const&) const override { return {0.0F}; }
  void TransformMargins(Context const&, Span<float> values, std::int64_t) const override {
    for (auto& value : values) value *= 2.0F;
  }
  std::string DefaultMetric() const override { return "mae"; }
};

/// A metric of that kind.
class LargestPrediction : public Metric {
 public:
  std::string Name() const override { return "largest"; }
  void Validate(MetaInfo const&, std::int64_t) const override {}
  double Evaluate(Context const&, Span<float const> predictions, MetaInfo const&) const override {
    return static_cast<double>(*std::max_element(predictions.begin(), predictions.end()));
  }
};

TEST_F(CudaEngineTest, WithoutDeviceVersionsThereAreCopiesAndOneLineEach) {
  ParamMap const params{{"objective", "reg:squarederror"}};
  auto const train = MakeData(400, false, 1.0F, 48);
  MetricList metrics;
  metrics.push_back(GetRegistries().metrics.Find("mae").make("", params));
  metrics.push_back(std::make_unique<LargestPrediction>());
  auto device = OnTheDevice(params);
  auto host = OnTheHost(params);
  device.SetObjective(std::make_unique<AbsoluteError>());
  host.SetObjective(std::make_unique<AbsoluteError>());
  for (int round = 0; round < 3; ++round) {
    device.Round(train, 1.0F);
    host.Round(train, 1.0F);
    EXPECT_EQ(device.EvaluateMetrics(train, metrics), host.EvaluateMetrics(train, metrics));
  }
  EXPECT_EQ(CountLines("objective '' has no device version"), 1U);
  EXPECT_EQ(CountLines("metric 'largest' has no device version"), 1U);
  EXPECT_EQ(CountLines("mae"), 0U);
}

TEST_F(CudaEngineTest, GradientsFromOutside) {
  ParamMap const params{{"objective", "reg:squarederror"}};
  auto const train = MakeData(200, false, 1.0F, 49);
  auto device = OnTheDevice(params);
  auto host = OnTheHost(params);
  Random random(50);
  std::vector<GradientPair> pairs(200);
  for (auto& pair : pairs) pair = {random.Normal(), 1.0F};
  device.Round(train, 1.0F, pairs);
  host.Round(train, 1.0F, pairs);
  ExpectSameTrees(device.TheModel(), host.TheModel());
  pairs[33].gradient = std::numeric_limits<float>::infinity();
  auto const on_device = MessageOf(ErrorKind::kData, [&] { device.Round(train, 1.0F, pairs); });
  EXPECT_EQ(on_device, MessageOf(ErrorKind::kData, [&] { host.Round(train, 1.0F, pairs); }));
  EXPECT_NE(on_device.find("row 33"), std::string::npos) << on_device;
  pairs.pop_back();
  EXPECT_EQ(MessageOf(ErrorKind::kData, [&] { device.Round(train, 1.0F, pairs); }),
            MessageOf(ErrorKind::kData, [&] { host.Round(train, 1.0F, pairs); }));
}

/// The host's version has the message.
TEST_F(CudaEngineTest, LabelsThatDoNotFitAMetric) {
  ParamMap const params{{"objective", "reg:squarederror"}};
  auto const data = MakeData(50, false, 1.0F, 51);
  auto device = OnTheDevice(params);
  auto host = OnTheHost(params);
  auto const message = MessageOf(ErrorKind::kData, [&] { device.Evaluate(data, {"mlogloss"}); });
  EXPECT_EQ(message, MessageOf(ErrorKind::kData, [&] { host.Evaluate(data, {"mlogloss"}); }));
  data->MutableInfo()->base_margin.resize(7);
  EXPECT_NE(MessageOf(ErrorKind::kData, [&] { device.UpdateMargins(data); }).find("7 values"), std::string::npos);
}

TEST_F(CudaEngineTest, ATreeMethodOfTheHostIsRefused) {
  ParamMap const params{{"objective", "reg:squarederror"}};
  auto const data = MakeData(50, false, 1.0F, 53);
  auto device = OnTheDevice(params);
  device.SetBuilder(GetRegistries().tree_methods.Find("exact").make(TrainingParams(params)));
  EXPECT_NE(MessageOf(ErrorKind::kInternal, [&] { device.Round(data, 1.0F); }).find("does not build in device memory"),
            std::string::npos);
}

TEST_F(CudaEngineTest, SaysWhereItIs) {
  auto const device = cuda::MakeCudaEngine();
  EXPECT_NE(device->OnDevice(), nullptr);
  EXPECT_EQ(device->OnHost(), nullptr);
  auto const host = GetRegistries().engines.Find("cpu").make();
  EXPECT_EQ(host->OnDevice(), nullptr);
  EXPECT_NE(host->OnHost(), nullptr);
}

TEST_F(CudaEngineTest, UnknownDataIsAnError) {
  auto const data = MakeData(50, false, 1.0F, 52);
  auto device = OnTheDevice({{"objective", "reg:squarederror"}});
  EXPECT_NE(MessageOf(ErrorKind::kInternal, [&] { device.TheEngine().FinishRound(*data, device.TheModel()); })
                .find("never computed"),
            std::string::npos);
}

TEST_F(CudaEngineTest, AnOutlierBesideWhichTheOthersVanishIsReported) {
  for (auto const outlier : {1.0F, 1e12F}) {
    Lines().clear();
    auto const data = MakeData(3000, false, 1.0F, 3);
    data->MutableInfo()->labels[2345] = outlier;
    auto on_device = OnTheDevice({{"objective", "reg:squarederror"}});
    for (int round = 0; round < 3; ++round) on_device.Round(data, 1.0F);
    EXPECT_EQ(CountLines("row 2345 has gradient "), outlier > 1.0F ? 1U : 0U);
    EXPECT_EQ(CountLines("vanish"), outlier > 1.0F ? 1U : 0U);
  }
}

/// Well classified rows have tiny gradients beside the few rows with a wrong label. That must not be reported.
TEST_F(CudaEngineTest, AModelThatHasConvergedIsNotReported) {
  auto const data = MakeData(3000, false, 1.0F, 4);
  auto* const info = data->MutableInfo();
  for (std::size_t row = 0; row < 3000; ++row) {
    auto const value = data->Dense().values[6 * row];
    info->labels[row] = (value > 0.0F) != (row % 997 == 3) ? 1.0F : 0.0F;
  }
  auto on_device = OnTheDevice({{"objective", "binary:logistic"}, {"eta", "1"}, {"min_child_weight", "0"}});
  for (int round = 0; round < 65; ++round) on_device.Round(data, 1.0F);
  EXPECT_EQ(CountLines("vanish"), 0U);
}

TEST_F(CudaEngineTest, GradientsFromOutsideAreReportedInTheFirstRounds) {
  for (int const first : {0, 5}) {
    Lines().clear();
    auto const data = MakeData(3000, false, 1.0F, 3);
    auto on_device = OnTheDevice({{"objective", "reg:squarederror"}});
    Random random(7);
    for (int round = 0; round < 9; ++round) {
      std::vector<GradientPair> pairs;
      for (int row = 0; row < 3000; ++row) pairs.push_back({random.Normal(), 1.0F});
      if (round >= first) pairs[77].gradient = 1e12F;
      on_device.Round(data, 1.0F, pairs);
    }
    EXPECT_EQ(CountLines("row 77 has gradient "), first == 0 ? 1U : 0U);
    EXPECT_EQ(CountLines("vanish"), first == 0 ? 1U : 0U);
  }
}

}  // namespace
}  // namespace kauri::testing
