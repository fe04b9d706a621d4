/// Compares the declarations of the plug-in's tree methods and engine with what they train and refuse.
#include <string>
#include <vector>

#include "booster/support/support_cases.h"
#include "booster/support/training_support.h"
#include "cuda/capabilities.h"
#include "hist/hist_fixture.h"
#include "kauri/plugin.h"
#include "support/error.h"
#include "support/many_devices.h"

namespace kauri::testing {
namespace {

std::vector<std::string> const kMethods{"exact", "hist", "approx"};

using Refusals = HistDeviceTest;

TEST_F(Refusals, EveryFeatureOfEveryPartIsAsDeclared) {
  for (auto const& booster : GetRegistries().boosters.Names()) {
    for (auto const& method : kMethods) {
      for (auto const& example : Examples()) {
        auto const is_other_updater = booster == "gblinear" && example.asked.Has(Feature::kUpdaters);
        if (!is_other_updater) ExpectAsDeclared(example, {booster, method, kDevice});
      }
    }
  }
}

TEST_F(Refusals, EveryPairOfFeaturesIsAsDeclared) {
  auto const examples = Examples();
  for (auto const& method : kMethods) {
    for (std::size_t i = 0; i < examples.size(); ++i) {
      for (std::size_t j = i + 1; j < examples.size(); ++j) {
        if (!GoTogether(examples[i], examples[j])) continue;
        ExpectAsDeclared(Together(examples[i], examples[j]), {"gbtree", method, kDevice});
      }
    }
  }
}

TEST_F(Refusals, TheRegistryHasTheDeclarations) {
  GetCudaPluginStatus();
  auto const& methods = GetRegistries().tree_methods;
  EXPECT_TRUE(methods.Find("gpu_exact").supports.features == cuda::GpuExactSupports().features);
  EXPECT_TRUE(methods.Find("gpu_hist").supports.features == cuda::GpuHistSupports().features);
  EXPECT_TRUE(methods.Find("gpu_approx").supports.features == cuda::GpuApproxSupports().features);
  EXPECT_TRUE(GetRegistries().engines.Find("cuda").supports.features == cuda::CudaEngineSupports().features);
}

/// Returns the refusal of a training on these devices.
std::string RefusalOn(Devices const& devices, ParamMap params) {
  GetCudaPluginStatus();
  params["device"] = kDevice;
  TrainingSupport const support("gbtree", TrainingParams(params), {DeviceKind::kCuda, 0, devices});
  return MessageOf(ErrorKind::kParameter, [&] { support.Require({}); });
}

TEST_F(Refusals, ExactTrainsOnOneDevice) {
  ExpectParts(RefusalOn({0, 0}, {{"tree_method", "exact"}}),
              {"tree_method=exact trains on one device, and device names 2", "device=cuda:0", "hist"});
}

TEST_F(Refusals, HostRowsOfSeveralDevices) {
  ExpectParts(RefusalOn({0, 0}, {{"tree_method", "hist"}, {"cache_host_ratio", "0.5"}}),
              {"cache_host_ratio=0.5", "device names 2"});
}

TEST_F(Refusals, ColumnsAndLossesThatAreRefused) {
  Parts const exact{"gbtree", "exact", kDevice};
  Params const by_errors{{"split_criterion", "absolute_error"}};
  ExpectParts(RefusalOf({{}, {{"monotone_constraints", "(0,0,1)"}}, Rows::kCategories}, exact), {"categorical"});
  ExpectParts(RefusalOf({{}, With(by_errors, {{"objective", "reg:absoluteerror"}}), Rows::kCategories}, exact),
              {"give these as numbers"});
  ExpectParts(RefusalOf({{}, by_errors}, exact), {"use split_criterion=gradient"});
}

}  // namespace
}  // namespace kauri::testing
