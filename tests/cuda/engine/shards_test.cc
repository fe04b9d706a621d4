/// Sequences of an engine's calls with rows on several devices. Every sequence gives the bytes that it gives on one
/// device: trees, margins, predictions in device memory and metrics. One device stands for several.
#include <functional>
#include <iterator>
#include <string>

#include "cuda/engine/cuda_engine.h"
#include "cuda/hist/gpu_hist_builder.h"
#include "cuda/predictor/gpu_predictor.h"
#include "kauri/engine.h"
#include "support/device_fixture.h"
#include "support/many_devices.h"

namespace kauri::testing {
namespace {

constexpr std::int64_t kRows = 700;
constexpr std::int64_t kCols = 6;
constexpr std::int64_t kFewestRows = 1;  // of a shard

std::shared_ptr<DataMatrix> MakeData(std::int64_t n_rows, std::uint64_t seed) {
  std::shared_ptr<DataMatrix> data = MakeMatrix({n_rows, kCols, 0.2, 0, false, seed});
  Random random(seed + 1);
  auto* const info = data->MutableInfo();
  for (std::int64_t row = 0; row < n_rows; ++row) {
    info->labels.push_back(static_cast<float>(random.Below(3)));
    info->weights.push_back(0.5F + static_cast<float>(random.Uniform()));
  }
  return data;
}

/// A boosting session with tree_method=hist. Keeps all that it has read, in order.
class ShardSession {
 public:
  ShardSession(Context const& ctx, ParamMap params)
      : engine_(cuda::MakeShardedCudaEngine(kFewestRows)), ctx_(ctx), params_(std::move(params)) {
    Registry<PredictorFactory> registry("predictor");
    cuda::RegisterGpuPredictor(&registry);
    predictor_ = registry.Find("gpu_predictor").make({});
    objective_ = GetRegistries().objectives.Find(params_.at("objective")).make(params_);
    model_.n_features = kCols;
    model_.n_classes = objective_->NumClasses();
    if (model_.n_classes == 0) model_.n_targets = 1;
    start_.assign(ToSize(model_.NumOutputs()), 0.125F);
  }

  void Objective(std::shared_ptr<DataMatrix const> const& train, float subsample = 1.0F) {
    Begin(train);
    engine_->ComputeGradients(ctx_, *train, *objective_, model_.NumIterations());
    Grow(*train, subsample);
  }
  void HostGradients(std::shared_ptr<DataMatrix const> const& train, std::vector<GradientPair> const& pairs) {
    Begin(train);
    engine_->SetGradients(ctx_, *train, pairs);
    Grow(*train, 1.0F);
  }
  void DeviceGradients(std::shared_ptr<DataMatrix const> const& train, std::uint64_t seed) {
    Begin(train);
    auto const n = ToSize(train->NumRows() * model_.NumOutputs());
    cuda::StreamOwner const stream(0);
    auto const gradients = cuda::ToDevice(stream.Context(), UniformValues(n, -1.0F, 1.0F, seed));
    auto const hessians = cuda::ToDevice(stream.Context(), UniformValues(n, 0.5F, 1.0F, seed + 1));
    stream.Context().Synchronize();  // for the arrays, which the engine reads on a stream of its own
    engine_->OnDevice()->SetDeviceGradients(ctx_, *train, ArrayOf(gradients, train->NumRows()),
                                            ArrayOf(hessians, train->NumRows()));
    Grow(*train, 1.0F);
  }
  void Evaluate(std::shared_ptr<DataMatrix const> const& data) {
    Begin(data);
    MetricList metrics;
    for (auto const* name : {"rmse", "mae"}) {
      if (model_.n_classes == 0) metrics.push_back(GetRegistries().metrics.Find(name).make("", params_));
    }
    if (model_.n_classes > 0) metrics.push_back(GetRegistries().metrics.Find("mlogloss").make("", params_));
    for (auto const value : engine_->Evaluate(ctx_, *data, *objective_, metrics))
      seen_.push_back(std::to_string(value));
  }
  void ReadMargins(std::shared_ptr<DataMatrix const> const& data) {
    Begin(data);
    Keep(engine_->Margins(*data));
  }
  void ReadPredictions(std::shared_ptr<DataMatrix const> const& data, bool as_margins) {
    Begin(data);
    auto const* const objective = as_margins ? nullptr : objective_.get();
    Keep(engine_->OnDevice()->DevicePredictions(ctx_, *data, objective)->ToHost());
  }
  void Drop(std::shared_ptr<DataMatrix const> const& data, std::vector<std::int64_t> const& dropped) {
    engine_->UpdateMargins(ctx_, data, model_, *predictor_, start_, dropped);
    Keep(engine_->Margins(*data));
  }
  void Expect(std::string const& part, std::function<void()> const& call) {
    auto const n_trees = model_.trees.size();
    auto const message = MessageOf(ErrorKind::kData, call);
    EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_EQ(model_.trees.size(), n_trees);
  }
  void Clear() { engine_->Clear(); }
  void SetSampling(TreeParam::SamplingMethod method) { sampling_ = method; }
  void SetDevices(Devices const& devices) { ctx_ = Among(ctx_, devices); }
  std::vector<GradientPair> RandomPairs(std::uint64_t seed) const {
    std::vector<GradientPair> pairs(ToSize(kRows * model_.NumOutputs()));
    Random random(seed);
    for (auto& pair : pairs) pair = {random.Normal(), 1.0F};
    return pairs;
  }
  std::vector<std::string> Seen() const { return seen_; }
  std::size_t NumTrees() const { return model_.trees.size(); }

 private:
  void Begin(std::shared_ptr<DataMatrix const> const& data) {
    engine_->UpdateMargins(ctx_, data, model_, *predictor_, start_, {});
  }
  static DeviceArray ArrayOf(cuda::Buffer<float> const& values, std::int64_t n_rows) {
    auto const n_cols = static_cast<std::int64_t>(values.size()) / n_rows;
    return ParseDeviceArrayInterface(R"({"data": [)" + std::to_string(reinterpret_cast<std::uintptr_t>(values.data())) +
                                     R"(, true], "typestr": "<f4", "version": 3, "shape": [)" + std::to_string(n_rows) +
                                     ", " + std::to_string(n_cols) + "]}");
  }
  void Grow(DataMatrix const& train, float subsample) {
    TreeParam param;
    param.Init(std::map<std::string, std::string>{{"max_depth", "4"}});
    param.sampling_method = sampling_;
    cuda::GpuHistBuilder const builder(param, {{}, -1.0F, kFewestRows});
    std::vector<RoundTree> round(ToSize(model_.NumOutputs()));
    for (std::size_t i = 0; i < round.size(); ++i) {
      round[i].output = static_cast<std::int64_t>(i);
      round[i].place.iteration = model_.NumIterations();
      round[i].place.tree_in_iteration = round[i].output;
      round[i].place.n_outputs = model_.NumOutputs();
      round[i].subsample = subsample;
      round[i].param = &param;
    }
    auto trees = engine_->BuildTrees(ctx_, train, builder, round);
    for (std::size_t i = 0; i < trees.size(); ++i) {
      Keep(trees[i].split_value);
      model_.output_of_tree.push_back(static_cast<std::int32_t>(i));
    }
    std::move(trees.begin(), trees.end(), std::back_inserter(model_.trees));
    model_.iteration_ptr.push_back(static_cast<std::int64_t>(model_.trees.size()));
    engine_->FinishRound(train, model_);
  }
  template <typename T>
  void Keep(std::vector<T> const& values) {
    seen_.emplace_back(reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T));
  }

  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Predictor> predictor_;
  std::unique_ptr<kauri::Objective> objective_;
  Context ctx_;
  ParamMap params_;
  TreeParam::SamplingMethod sampling_ = TreeParam::kUniform;
  Model model_;
  std::vector<float> start_;
  std::vector<std::string> seen_;
};

class ShardsOfTheEngine : public DeviceTest {
 protected:
  using Script = std::function<void(ShardSession*)>;

  static std::vector<std::string> Run(ParamMap const& params, Devices const& devices, Script const& script) {
    ShardSession session(Among(OnDevice(), devices), params);
    script(&session);
    return session.Seen();
  }
  /// Runs a script on one device and on several, with one output and with three.
  static void ExpectSameBytes(Script const& script) {
    std::vector<ParamMap> const kinds{{{"objective", "reg:squarederror"}},
                                      {{"objective", "multi:softprob"}, {"num_class", "3"}}};
    for (auto const& params : kinds) {
      auto const expected = Run(params, {}, script);
      EXPECT_FALSE(expected.empty());
      for (auto const& devices : ManyDevices()) {
        EXPECT_EQ(Run(params, devices, script), expected) << params.at("objective") << " on " << Text(devices);
      }
    }
  }
};

TEST_F(ShardsOfTheEngine, TrainAndEvaluateOnOtherData) {
  ExpectSameBytes([](ShardSession* session) {
    auto const train = MakeData(kRows, 11);
    auto const valid = MakeData(300, 12);
    for (int round = 0; round < 4; ++round) {
      session->Objective(train, round % 2 == 0 ? 1.0F : 0.7F);
      session->Evaluate(valid);
      if (round != 1) session->Evaluate(train);
    }
    session->ReadMargins(train);
    session->ReadMargins(valid);
  });
}

TEST_F(ShardsOfTheEngine, GradientsFromOutsideBetweenRoundsOfTheObjective) {
  ExpectSameBytes([](ShardSession* session) {
    auto const train = MakeData(kRows, 13);
    session->Objective(train);
    session->HostGradients(train, session->RandomPairs(1));
    session->Objective(train);
    session->DeviceGradients(train, 2);
    session->DeviceGradients(train, 3);
    session->ReadMargins(train);
    session->Objective(train, 0.5F);
    session->HostGradients(train, session->RandomPairs(4));
    session->ReadMargins(train);
  });
}

TEST_F(ShardsOfTheEngine, PredictionsFromTheCache) {
  ExpectSameBytes([](ShardSession* session) {
    auto const train = MakeData(kRows, 14);
    for (bool const as_margins : {false, true, false}) {
      session->Objective(train);
      session->ReadPredictions(train, as_margins);
    }
    session->Objective(train);
    session->ReadPredictions(train, true);
    session->ReadMargins(train);
  });
}

TEST_F(ShardsOfTheEngine, RowsAreDrawnByTheirGradientsInSomeRounds) {
  ExpectSameBytes([](ShardSession* session) {
    auto const train = MakeData(kRows, 15);
    for (int round = 0; round < 6; ++round) {
      session->SetSampling(round % 3 == 1 ? TreeParam::kGradientBased : TreeParam::kUniform);
      session->Objective(train, 0.6F);
    }
    session->ReadMargins(train);
  });
}

TEST_F(ShardsOfTheEngine, ASecondDataSet) {
  ExpectSameBytes([](ShardSession* session) {
    auto const first = MakeData(kRows, 16);
    auto const second = MakeData(kRows - 55, 17);
    for (int round = 0; round < 3; ++round) {
      session->Objective(first);
      session->Objective(second);
      session->Evaluate(first);
    }
    session->ReadMargins(second);
    session->ReadMargins(first);
  });
}

TEST_F(ShardsOfTheEngine, TreesAreDroppedAndLabelsChange) {
  ExpectSameBytes([](ShardSession* session) {
    auto const train = MakeData(kRows, 18);
    session->Objective(train);
    session->Objective(train);
    session->Drop(train, {0});
    session->Objective(train);
    train->MutableInfo()->labels[kRows - 1] = 0.0F;
    session->Objective(train);
    train->MutableInfo()->weights.clear();
    session->Objective(train);
    session->ReadMargins(train);
  });
}

/// A row of the last shard fails the round. The next rounds work, whether or not the engine was cleared, and have the
/// bytes of a session that never failed.
TEST_F(ShardsOfTheEngine, ACallThatFails) {
  auto const run = [](ShardSession* session, bool fails, bool clears) {
    auto const train = MakeData(kRows, 19);
    auto const label = train->Info().labels[kRows - 2];
    auto const weights = train->Info().weights;
    session->Objective(train);
    if (fails) {
      auto few = session->RandomPairs(5);
      few.pop_back();
      session->Expect("", [&] { session->HostGradients(train, few); });
      train->MutableInfo()->labels[kRows - 2] = 3e38F;
      train->MutableInfo()->weights.assign(kRows, 1e30F);
      session->Expect("row " + std::to_string(kRows - 2) + " has gradient", [&] { session->Objective(train); });
      train->MutableInfo()->labels[kRows - 2] = label;
      train->MutableInfo()->weights = weights;
    }
    if (clears) session->Clear();
    session->Objective(train);
    session->HostGradients(train, session->RandomPairs(6));
    session->Objective(train, 0.7F);
    session->ReadMargins(train);
  };
  ParamMap const params{{"objective", "reg:squarederror"}};
  auto const expected = Run(params, {}, [&](ShardSession* session) { run(session, false, false); });
  auto lists = ManyDevices();
  lists.push_back({});
  for (auto const& devices : lists) {
    for (bool const clears : {false, true}) {
      EXPECT_EQ(Run(params, devices, [&](ShardSession* session) { run(session, true, clears); }), expected)
          << Text(devices) << (clears ? ", cleared" : "");
    }
  }
}

/// A call on other devices starts a new session of the engine.
TEST_F(ShardsOfTheEngine, TheDevicesChange) {
  ParamMap const params{{"objective", "reg:squarederror"}};
  auto const run = [](ShardSession* session, std::vector<Devices> const& devices) {
    auto const train = MakeData(kRows, 20);
    for (auto const& of_round : devices) {
      session->SetDevices(of_round);
      session->Objective(train);
      session->Objective(train, 0.7F);
    }
    session->ReadMargins(train);
  };
  auto const expected = Run(params, {}, [&](ShardSession* session) { run(session, {{}, {}, {}, {}}); });
  EXPECT_EQ(Run(params, {}, [&](ShardSession* session) { run(session, {{0, 0}, {}, {0, 0, 0}, {0, 0}}); }), expected);
}

}  // namespace
}  // namespace kauri::testing
