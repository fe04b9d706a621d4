/// multi_strategy=multi_output_tree: the CPU's bytes if the device builds such trees, and its refusal if not.
#include "cuda/tree/cut_rows.h"
#include "hist/hist_fixture.h"
#include "kauri/plugin.h"
#include "kauri/registry.h"
#include "support/many_devices.h"

namespace kauri::testing {
namespace {

class HistVectorLeaves : public HistDeviceTest {
 protected:
  static HistCase Vectors(Params const& params) {
    HistCase given;
    given.name = "vectors";
    given.table.n_rows = 900;
    given.table.n_cols = 7;
    given.table.missing = Missing::kSome;
    given.params = With({{"multi_strategy", "multi_output_tree"}, {"max_depth", "5"}}, params);
    return given;
  }
  static bool DeviceBuildsThem() {
    GetCudaPluginStatus();
    auto const* method = GetRegistries().tree_methods.TryFind("gpu_hist");
    return method != nullptr && method->supports.features.Has(Feature::kVectorLeaves);
  }
  static void ExpectSameOrRefused(std::vector<HistCase> const& cases) {
    if (DeviceBuildsThem()) return ExpectSameTrees(cases);
    for (auto const& given : cases) {
      ExpectParts(TrainOn(kDevice, given).error, {"multi_output_tree", "device=cpu", "one_output_per_tree"});
    }
  }
};

TEST_F(HistVectorLeaves, Targets) {
  for (auto const* n_targets : {"2", "3", "4", "17"}) {
    ExpectSameOrRefused({Vectors({{"num_target", n_targets}}),
                         Vectors({{"num_target", n_targets}, {"grow_policy", "lossguide"}, {"max_leaves", "9"}}),
                         Vectors({{"num_target", n_targets}, {"subsample", "0.5"}, {"colsample_bynode", "0.5"}})});
  }
}

TEST_F(HistVectorLeaves, Classes) {
  for (auto const* n_classes : {"3", "20"}) {
    ExpectSameOrRefused({Vectors({{"objective", "multi:softprob"}, {"num_class", n_classes}}),
                         Vectors({{"objective", "multi:softprob"}, {"num_class", n_classes}, {"max_bin", "999"}})});
  }
}

TEST_F(HistVectorLeaves, CategoriesAndConstraints) {
  auto categories = Vectors({{"num_target", "3"}});
  categories.table.levels = {3, 40};
  ExpectSameOrRefused({categories, Vectors({{"num_target", "3"}, {"monotone_constraints", "(1,-1)"}}),
                       Vectors({{"num_target", "3"}, {"interaction_constraints", "[[0,1],[2,3]]"}})});
}

/// The parameters of one turn that differ from the case.
struct Turn {
  std::string device;
  std::string strategy = "multi_output_tree";
  std::string sampling = "uniform";
  Gradients gradients = Gradients::kObjective;
};

/// Rounds on two devices, in turns with scalar trees, whose gradients are computed where the rows are; rows sampled by
/// their gradients; gradients of a caller; other devices.
TEST_F(HistVectorLeaves, TurnsOfTwoDevices) {
  KAURI_SKIP_UNLESS(NumDevices() >= 2, "one CUDA device");
  std::vector<Turn> const turns{{"cuda:0,1"},
                                {"cuda:0,1", "multi_output_tree", "gradient_based"},
                                {"cuda:0,1", "one_output_per_tree"},
                                {"cuda:0,1", "one_output_per_tree"},
                                {"cuda:0,1", "multi_output_tree", "uniform", Gradients::kNormal},
                                {"cuda:1,0"},
                                {"cuda:0"},
                                {"cuda:all"}};
  for (auto const& params : std::vector<Params>{{{"num_target", "3"}, {"subsample", "0.7"}},
                                                {{"objective", "multi:softprob"}, {"num_class", "4"}},
                                                {{"num_target", "2"}, {"min_data_in_leaf", "900"}}}) {
    auto given = Vectors(params);
    given.table.n_rows = 2 * cuda::kFewestRowsOfShard + 77;
    given.table.n_cols = 4;
    given.rounds = 1;
    auto const of_cpu = MakeTable(given.table, KindOf(given));
    auto const data = MakeTable(given.table, KindOf(given));
    auto const cpu = MakeLearner(ParamsFor("cpu", given.params));
    auto const learner = MakeLearner(ParamsFor("cuda:0,1", given.params));
    for (auto const& turn : turns) {
      given.gradients = turn.gradients;
      learner->SetParam("device", turn.device);
      for (auto* one : {cpu.get(), learner.get()}) {
        one->SetParam("multi_strategy", turn.strategy);
        one->SetParam("sampling_method", turn.sampling);
      }
      BoostRounds(given, of_cpu, cpu.get());
      BoostRounds(given, data, learner.get());
    }
    auto const expected = OutcomeOf(cpu.get(), of_cpu);
    auto const found = OutcomeOf(learner.get(), data);
    EXPECT_EQ(FirstDifference(expected.model, found.model), "no number of a node") << Text(given);
    EXPECT_TRUE(SameFloats(expected.margins, found.margins)) << Text(given);
  }
}

}  // namespace
}  // namespace kauri::testing
