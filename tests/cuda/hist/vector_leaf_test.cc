/// multi_strategy=multi_output_tree: the CPU's bytes where the device builds such trees, and its refusal where not.
#include "hist/hist_fixture.h"
#include "kauri/plugin.h"
#include "kauri/registry.h"

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
    return method != nullptr && method->make({})->BuildsVectorLeaves();
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

}  // namespace
}  // namespace kauri::testing
