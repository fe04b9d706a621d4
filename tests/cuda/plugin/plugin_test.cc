/// The built plug-in as the library loads it, each test in a process of its own. The machine may have a driver and
/// devices or not; tests about missing devices hide them.
#include "kauri/plugin.h"

#include <stdlib.h>

#include "booster/learner.h"
#include "support/child_process.h"
#include "support/device_fixture.h"
#include "support/need.h"

namespace kauri::testing {
namespace {

std::string WithPlugin(bool hide_devices, std::function<std::string()> const& answer) {
  return InChildProcess([&] {
    setenv("KAURI_PLUGIN_PATH", KAURI_CUDA_PLUGIN, 1);
    if (hide_devices) setenv("CUDA_VISIBLE_DEVICES", "", 1);
    return answer();
  });
}

std::string TrainOn(std::string const& device) {
  Learner learner;
  learner.SetParam("device", device);
  learner.SetParam("tree_method", "exact");
  learner.Configure();
  return "configured";
}

std::size_t Count(std::string const& text, std::string const& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Plugin, WithoutADeviceItSaysWhyOnce) {
  auto const message = WithPlugin(true, [] { return TrainOn("cuda"); });
  EXPECT_EQ(message.rfind("device=cuda: ", 0), 0U) << message;
  EXPECT_EQ(Count(message, "device=cpu"), 1U) << message;
  EXPECT_EQ(Count(message, "no NVIDIA driver is installed. Install one that supports CUDA ") +
                Count(message, "the NVIDIA driver sees no CUDA device; CUDA_VISIBLE_DEVICES is ''. Unset it"),
            1U)
      << message;
}

TEST(Plugin, ItsEntriesAreThereWithoutADevice) {
  auto const names = WithPlugin(true, [] {
    GetCudaPluginStatus();
    auto const& all = GetRegistries();
    std::string missing;
    if (all.engines.TryFind("cuda") == nullptr) missing += "engine ";
    if (all.tree_methods.TryFind("gpu_exact") == nullptr) missing += "tree method ";
    if (all.predictors.TryFind("gpu_predictor") == nullptr) missing += "predictor ";
    return missing + GetCudaPluginStatus().path;
  });
  EXPECT_EQ(names, KAURI_CUDA_PLUGIN);
}

TEST(Plugin, WithADeviceItNamesIt) {
  auto const text = WithPlugin(false, [] {
    auto const status = GetCudaPluginStatus();
    return status.problem.empty() ? status.devices : "none";
  });
  KAURI_SKIP_UNLESS(text != "none", "no CUDA device");
  EXPECT_EQ(text.rfind("cuda:0 ", 0), 0U) << text;
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ(WithPlugin(false, [] { return TrainOn("cuda:0"); }), "configured");
  auto const message = WithPlugin(false, [] { return TrainOn("cuda:77"); });
  EXPECT_NE(message.find("device=cuda:77: there is no such device; "), std::string::npos) << message;
}

}  // namespace
}  // namespace kauri::testing
