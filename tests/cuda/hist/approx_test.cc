/// tree_method=approx: the CPU's bytes where there is a version for devices, and its refusal where not.
#include "hist/hist_fixture.h"
#include "kauri/plugin.h"
#include "kauri/registry.h"

namespace kauri::testing {
namespace {

class HistApprox : public HistDeviceTest {
 protected:
  static void ExpectSameOrRefused(std::vector<HistCase> cases) {
    GetCudaPluginStatus();
    for (auto& given : cases) given.params.push_back({"tree_method", "approx"});
    if (GetRegistries().tree_methods.TryFind("gpu_approx") != nullptr) return ExpectSameTrees(cases);
    for (auto const& given : cases) {
      ExpectParts(TrainOn(kDevice, given).error, {"tree_method=approx", "has no version for device=cuda", "hist"});
    }
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
};

TEST_F(HistApprox, Bins) {
  for (auto const* max_bin : {"2", "16", "256", "999"}) {
    ExpectSameOrRefused({Of(Missing::kNone, {{"max_bin", max_bin}}), Of(Missing::kMixed, {{"max_bin", max_bin}}),
                         Of(Missing::kSome, {{"max_bin", max_bin}, {"grow_policy", "lossguide"}}, true)});
  }
}

/// Cuts follow the hessians of the round.
TEST_F(HistApprox, Hessians) {
  ExpectSameOrRefused({Of(Missing::kSome, {{"objective", "binary:logistic"}, {"max_bin", "16"}}),
                       Of(Missing::kSome, {{"objective", "multi:softprob"}, {"num_class", "3"}, {"max_bin", "16"}}),
                       Of(Missing::kSome, {{"objective", "binary:logistic"}, {"subsample", "0.5"}}, true)});
}

}  // namespace
}  // namespace kauri::testing
