/// Boosters used through XGBoost's package warn about unknown or unsupported parameters; Kauri's own fail.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "booster/booster_fixture.h"
#include "booster/boosters/device.h"
#include "common/text/log.h"
#include "support/learner_predict.h"
#include "support/need.h"

namespace kauri::testing {
namespace {

constexpr Client kPackage{Habits::kXgboost, {3, 4, 1}};

std::vector<std::string>& Lines() {
  static std::vector<std::string> lines;
  return lines;
}

class XgboostHabits : public ::testing::Test {
 protected:
  void SetUp() override {
    Lines().clear();
    SetLogCallback([](char const* line) { Lines().emplace_back(line); });
  }
  void TearDown() override { SetLogCallback(nullptr); }

  static std::shared_ptr<DataMatrix> Data() { return MakeLabelled({120, 4, 0.0, 0, false, 5}, 0); }
  static std::unique_ptr<Learner> Trained(Params const& params, int rounds = 3, Client const& client = kPackage) {
    auto learner = std::make_unique<Learner>(client);
    for (auto const& [name, value] : params) learner->SetParam(name, value);
    for (int round = 0; round < rounds; ++round) learner->BoostRound(Data(), round);
    return learner;
  }
  static nlohmann::json ConfigOf(Learner const& learner) { return nlohmann::json::parse(learner.SaveConfig()); }
};

TEST_F(XgboostHabits, UnknownNamesWarnOnce) {
  auto const learner = Trained({{"validate_parameters", "1"}, {"use_label_encoder", "0"}, {"max_detph", "3"}});
  ASSERT_EQ(Lines().size(), 1U);
  EXPECT_EQ(Lines()[0].find("Parameters: { \"max_detph\", \"use_label_encoder\" } are not used. "), 0U) << Lines()[0];
  EXPECT_NE(Lines()[0].find("'max_detph' is not known and is ignored; did you mean 'max_depth'?"), std::string::npos);
  EXPECT_EQ(Bytes(learner.get()), Bytes(Trained({}).get()));
  learner->SetParam("silent", "1");
  learner->BoostRound(Data(), 3);
  ASSERT_EQ(Lines().size(), 2U);  // only the new one
  EXPECT_NE(Lines()[1].find("{ \"silent\" }"), std::string::npos) << Lines()[1];
}

TEST_F(XgboostHabits, ParametersOfOtherBoostersWarnOnceByTheirGivenNames) {
  Params const told = {{"validate_parameters", "1"}};
  Params const linear = {{"booster", "gblinear"}, {"max_depth", "3"}, {"min_split_loss", "1"}, {"eta", "0.5"}};
  for (auto const& client : {kPackage, Client()}) {
    Lines().clear();
    auto const learner = Trained(With(linear, told), 3, client);
    ASSERT_EQ(Lines().size(), 1U);
    EXPECT_EQ(Lines()[0],
              "Parameters: { \"min_split_loss\", \"max_depth\" } are not used. booster=gblinear does not read them; "
              "leave them out, or choose another booster.");
    learner->SetParam("subsample", "0.5");
    learner->BoostRound(Data(), 3);
    ASSERT_EQ(Lines().size(), 2U);  // only the new one
    EXPECT_NE(Lines()[1].find("{ \"subsample\" }"), std::string::npos) << Lines()[1];
    Lines().clear();
    Trained(With(told, {{"feature_selector", "cyclic"}, {"rate_drop", "0.1"}}), 1, client);
    ASSERT_FALSE(Lines().empty());
    EXPECT_NE(Lines().back().find("{ \"feature_selector\" } are not used. booster=dart"), std::string::npos);
  }
  Lines().clear();
  Trained(With(linear, {{"validate_parameters", "0"}}));
  EXPECT_TRUE(Lines().empty());
}

TEST_F(XgboostHabits, UpdatersThatTheUserNamesWarn) {
  Trained({{"updater", "grow_quantile_histmaker"}});
  ASSERT_EQ(Lines().size(), 1U);
  EXPECT_NE(Lines()[0].find("`updater`"), std::string::npos) << Lines()[0];
  Trained({{"updater", "grow_quantile_histmaker"}}, 1, Client());
  EXPECT_EQ(Lines().size(), 1U);
}

TEST_F(XgboostHabits, NamesAreNotLookedAtUntold) {
  Trained({{"use_label_encoder", "0"}, {"validate_parameters", "0"}});
  EXPECT_TRUE(Lines().empty());
  Trained({{"use_label_encoder", "0"}}, 1, Client());
  EXPECT_EQ(Lines().size(), 1U);
}

TEST_F(XgboostHabits, TheDefaultMetricStaysOnceItWasComputed) {
  auto const data = Data();
  for (auto const& [client, count] : std::vector<std::pair<Client, std::size_t>>{{kPackage, 2}, {Client(), 1}}) {
    auto const learner = Trained({}, 1, client);
    EXPECT_EQ(learner->Evaluate({{"train", data}}).size(), 1U);
    learner->SetParam("eval_metric", "mae");
    EXPECT_EQ(learner->Evaluate({{"train", data}}).size(), count);
    EXPECT_EQ(learner->Evaluate({{"train", data}}).back().metric, "mae");
  }
}

TEST_F(XgboostHabits, ConfigurationsHaveWhatXgboostsReadersLookFor) {
  auto const config = ConfigOf(*Trained({{"seed", "5"}}));
  EXPECT_EQ(config["version"], nlohmann::json::parse("[3, 4, 1]"));
  auto const& general = config["learner"]["generic_param"];
  std::ostringstream state;
  state << std::mt19937(5);
  // libstdc++ writes how many of the numbers are used behind them, as XGBoost has it; libc++ does not.
  auto const text = general["rng_state"].get<std::string>();
  auto const numbers = text.substr(0, text.rfind(' '));
  EXPECT_EQ(text, numbers + " 624");
  EXPECT_EQ(state.str().substr(0, numbers.size()), numbers);
  EXPECT_EQ(general["seed_per_iteration"], "0");
  EXPECT_EQ(config["learner"]["learner_train_param"]["multi_strategy"], "one_output_per_tree");
  EXPECT_FALSE(ConfigOf(*Trained({}, 1, Client()))["learner"]["generic_param"].contains("rng_state"));
}

TEST_F(XgboostHabits, PackagesBefore31ReadTheInterceptAsANumber) {
  auto const intercept = [](Client const& client) {
    auto const learner = Trained({{"base_score", "0.25"}}, 1, client);
    return ConfigOf(*learner)["learner"]["learner_model_param"]["base_score"];
  };
  EXPECT_EQ(intercept({Habits::kXgboost, {3, 0, 5}}), "0.25");
  EXPECT_EQ(intercept({Habits::kXgboost, {3, 1, 0}}), "[0.25]");
  EXPECT_EQ(intercept(Client()), "[0.25]");
}

TEST_F(XgboostHabits, ConfigurationsThatAreLoadedAreNoWordsOfTheUser) {
  auto const learner = Trained({{"updater", "grow_quantile_histmaker"}}, 1);
  auto const config = learner->SaveConfig();
  auto const snapshot = learner->SaveSnapshot();
  Lines().clear();
  Learner other(kPackage);
  other.LoadConfig(config);
  other.LoadSnapshot({snapshot.data(), snapshot.size()});
  other.BoostRound(Data(), 1);
  EXPECT_TRUE(Lines().empty()) << Lines()[0];
}

TEST_F(XgboostHabits, BadValuesStayErrors) {
  EXPECT_NE(MessageOf([] { Trained({{"eta", "-1"}}); }).find(">= 0"), std::string::npos);
  EXPECT_NE(MessageOf([] { Trained({{"device", "tpu"}}); }).find("device='tpu'"), std::string::npos);
}

TEST_F(XgboostHabits, WithoutADeviceTheCpuIsUsed) {
  KAURI_SKIP_UNLESS(!HasDevice({{"device", "cuda"}}), "there is a CUDA device");
  auto const learner = Trained({{"device", "cuda:3"}, {"predictor", "gpu_predictor"}});
  ASSERT_EQ(Lines().size(), 1U);
  EXPECT_EQ(Lines()[0].find("Device is changed from GPU to CPU. No visible GPU is found: "), 0U) << Lines()[0];
  EXPECT_EQ(Bytes(learner.get()), Bytes(Trained({}).get()));
  EXPECT_EQ(ConfigOf(*learner)["learner"]["generic_param"]["device"], "cpu");
  learner->SetParam("predictor", "gpu_predictor");  // without the others it also asks for a device
  learner->BoostRound(Data(), 3);
  EXPECT_EQ(Lines().size(), 2U);
  EXPECT_THROW(Trained({{"device", "cuda"}}, 1, Client()), Error);
}

TEST_F(XgboostHabits, ANumberThatNoDeviceHasIsTakenModuloTheirs) {
  KAURI_SKIP_UNLESS(HasDevice({{"device", "cuda"}}), "no CUDA device");
  auto const learner = Trained({{"device", "cuda:1000"}});
  ASSERT_EQ(Lines().size(), 1U);
  EXPECT_NE(Lines()[0].find("GPUs are visible, setting device ordinal to "), std::string::npos) << Lines()[0];
  auto const device = ConfigOf(*learner)["learner"]["generic_param"]["device"].get<std::string>();
  EXPECT_EQ(device.find("cuda:"), 0U) << device;
  EXPECT_NE(device, "cuda:1000");
  auto const message = MessageOf([] { Trained({{"device", "cuda:1000"}, {"fail_on_invalid_gpu_id", "True"}}); });
  EXPECT_NE(message.find("ordinal 1000 is invalid"), std::string::npos) << message;
  EXPECT_NE(MessageOf([] {
              Trained({{"device", "cuda:1000"}}, 1, Client());
            }).find("there is no such device"),
            std::string::npos);
}

TEST_F(XgboostHabits, ConfigurationsNumberTheDevice) {
  KAURI_SKIP_UNLESS(HasDevice({{"device", "cuda"}}), "no CUDA device");
  for (auto const* name : {"cuda", "gpu", "cuda:0"}) {
    for (auto const* booster : {"gbtree", "gblinear"}) {
      auto const learner = Trained({{"device", name}, {"booster", booster}});
      EXPECT_EQ(ConfigOf(*learner)["learner"]["generic_param"]["device"], "cuda:0") << name;
      auto const bytes = learner->SaveSnapshot();
      Learner again(kPackage);
      again.LoadSnapshot({bytes.data(), bytes.size()});
      EXPECT_EQ(ConfigOf(again)["learner"]["generic_param"]["device"], "cuda:0") << name;
    }
  }
}

/// Parameters of metrics that no other part of the document contains.
TEST_F(XgboostHabits, ParametersOfMetricsGoThroughConfigurations) {
  auto const learner = Trained({{"eval_metric", "mphe"}, {"huber_slope", "2.5"}});
  auto document = ConfigOf(*learner);
  EXPECT_EQ(document["learner"]["metrics"][0]["pseudo_huber_param"]["huber_slope"], "2.5");
  document["learner"].erase("user_params");  // XGBoost's own documents lack them
  document["learner"].erase("user_metrics");
  Learner again(kPackage);
  again.LoadConfig(document.dump());
  EXPECT_EQ(ConfigOf(again)["learner"]["metrics"], document["learner"]["metrics"]);
}

TEST_F(XgboostHabits, PairsOfARankMetricAreNoParametersOfTheModel) {
  auto const learner = Trained({{"eval_metric", "ndcg@5"}}, 0);
  auto document = ConfigOf(*learner);
  auto const& said = document["learner"]["metrics"][0]["lambdarank_param"];
  EXPECT_EQ(said["lambdarank_num_pair_per_sample"], "5");
  document["learner"].erase("user_params");
  document["learner"].erase("user_metrics");
  Learner again(kPackage);
  again.LoadConfig(document.dump());
  auto const given = ConfigOf(again)["learner"]["user_params"];
  EXPECT_EQ(given.count("lambdarank_num_pair_per_sample"), 0U) << given;
}

TEST_F(XgboostHabits, HoldForSlicesAndAfterFailuresToo) {
  auto const learner = Trained({{"validate_parameters", "1"}});
  auto const slice = learner->Slice({0, 2}, 1);
  slice->SetParam("silent", "1");
  EXPECT_THROW(learner->LoadSnapshot(Span<char const>("nonsense", 8)), Error);
  learner->SetParam("silent", "1");
  for (auto* const each : {learner.get(), slice.get()}) each->Configure();
  EXPECT_EQ(Lines().size(), 2U);
}

TEST_F(XgboostHabits, SnapshotsAreXgboosts) {
  auto const learner = Trained({{"max_depth", "3"}, {"eval_metric", "mae"}, {"booster", "dart"}, {"rate_drop", "0.2"}});
  auto const bytes = learner->SaveSnapshot();
  EXPECT_EQ(bytes.find("{L"), 0U);
  EXPECT_LT(bytes.find("Config"), bytes.find("Model"));
  for (auto const& client : {kPackage, Client()}) {  // both read them
    Learner again(client);
    again.LoadSnapshot({bytes.data(), bytes.size()});
    EXPECT_EQ(again.SaveConfig() == learner->SaveConfig(), client.habits == Habits::kXgboost);
    EXPECT_EQ(Bytes(&again), Bytes(learner.get()));
    for (int round = 3; round < 5; ++round) again.BoostRound(Data(), round);
    EXPECT_EQ(Bytes(&again), Bytes(Trained({{"max_depth", "3"}, {"booster", "dart"}, {"rate_drop", "0.2"}}, 5).get()));
  }
  Learner own;
  own.LoadSnapshot({bytes.data(), bytes.size()});
  auto const kauris = own.SaveSnapshot();
  EXPECT_EQ(kauris.find("KAURI-SNAPSHOT"), 0U);
  Learner back(kPackage);
  back.LoadSnapshot({kauris.data(), kauris.size()});
  EXPECT_EQ(back.SaveSnapshot(), bytes);
}

TEST_F(XgboostHabits, UntrainedSnapshotsKeepTheParameters) {
  auto const learner = Trained({{"max_depth", "2"}}, 0);
  auto const bytes = learner->SaveSnapshot();
  Learner again(kPackage);
  again.LoadSnapshot({bytes.data(), bytes.size()});
  again.BoostRound(Data(), 0);
  EXPECT_EQ(Bytes(&again), Bytes(Trained({{"max_depth", "2"}}, 1).get()));
}

TEST_F(XgboostHabits, ModelsAreOfTheClientsDialect) {
  EXPECT_EQ(Trained({})->Dialect().minor, 4);
  EXPECT_EQ(Trained({})->Dialect().patch, 1);
  EXPECT_EQ(Trained({}, 1, {Habits::kXgboost, {3, 3, 0}})->Dialect().minor, 3);
  EXPECT_EQ(Trained({}, 1, {Habits::kXgboost, {1, 0, 0}})->Dialect().major, 1);
  // the oldest version that can be written
  EXPECT_EQ(Trained({}, 1, {Habits::kXgboost, {1, 0, 0}})->Dialect().minor, 7);
  EXPECT_EQ(Trained({{"objective", "reg:quantileerror"}, {"quantile_alpha", "0.5"}}, 1, {Habits::kXgboost, {1, 7, 6}})
                ->Dialect()
                .major,
            2);  // the first version that can represent it
  EXPECT_FALSE(Trained({}, 1, Client())->Dialect().is_chosen);
  EXPECT_FALSE(Trained({{"objective", "reg:huber"}})->Dialect().is_chosen);  // no version can represent it
}

TEST_F(XgboostHabits, NamesOfRowsToPredictAreTheClientsMatter) {
  auto const name = [](DataMatrix* data, std::vector<std::string> names) {
    data->MutableInfo()->feature_names = std::move(names);
  };
  auto const learner = Trained({});
  learner->SetFeatureInfo("feature_name", {"a", "b"});  // of any number of columns
  learner->SetFeatureInfo("feature_name", {"a", "b", "c", "d"});
  auto const data = Data();
  name(data.get(), {"d", "c", "b", "a"});
  EXPECT_EQ(PredictData(*learner, *data, {}).values.size(), 120U);
  EXPECT_EQ(learner->PredictTraining(data, {}).values.size(), 120U);
  EXPECT_THROW(learner->Evaluate({{"test", data}}), Error);
  EXPECT_THROW(learner->BoostRound(data, 3), Error);
  auto const narrow = MakeLabelled({120, 3, 0.0, 0, false, 5}, 0);
  EXPECT_EQ(PredictData(*learner, *narrow, {}).values.size(), 120U);
  EXPECT_EQ(learner->Evaluate({{"test", narrow}}).size(), 1U);
}

TEST_F(XgboostHabits, RoundsNameNoColumns) {
  auto const data = Data();
  data->MutableInfo()->feature_names = {"a", "b", "c", "d"};
  Learner of_package(kPackage);
  Learner of_kauri;
  for (auto* const learner : {&of_package, &of_kauri}) learner->BoostRound(data, 0);
  EXPECT_TRUE(of_package.FeatureInfo("feature_name").empty());
  EXPECT_EQ(of_kauri.FeatureInfo("feature_name").size(), 4U);
}

}  // namespace
}  // namespace kauri::testing
