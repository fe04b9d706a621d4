/// Messages about missing parts for device=cuda, through the C ABI. No test needs a device. Every check runs in its own
/// process, because a process looks for the plug-in only once.
#include "booster/boosters/device.h"

#include <stdlib.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "c_api/support.h"
#include "kauri/error.h"
#include "kauri/plugin.h"
#include "kauri/version.h"
#include "support/child_process.h"
#include "support/need.h"

namespace kauri::testing {
namespace {

using nlohmann::json;

struct Place {
  std::string path;       ///< KAURI_PLUGIN_PATH
  std::string kind = {};  ///< kind of the fake plug-in
};

Place Fake(std::string const& kind) { return {KAURI_FAKE_PLUGIN, kind}; }

std::string In(Place const& place, std::function<std::string()> const& answer) {
  return InChildProcess([&] {
    setenv("KAURI_PLUGIN_PATH", place.path.c_str(), 1);
    setenv("FAKE_PLUGIN", place.kind.c_str(), 1);
    return answer();
  });
}

/// Returns the error of a booster that trains there, prefixed with the kind of error.
std::string ErrorOf(Place const& place, std::string const& device, std::string const& tree_method = "exact") {
  return In(place, [&] {
    Data const data = MakeData({1, 2, 3, 4}, 1, {0, 1, 0, 1});
    auto const booster = MakeBooster(data, {{"device", device}, {"tree_method", tree_method}});
    if (XGBoosterUpdateOneIter(booster.get(), 0, data.get()) == 0) return std::string("no error");
    return std::to_string(KauriGetLastErrorKind()) + " " + XGBGetLastError();
  });
}

json BuildInfo(Place const& place) {
  return json::parse(In(place, [] {
    char const* text = nullptr;
    return XGBuildInfo(&text) == 0 ? std::string(text) : std::string(XGBGetLastError());
  }));
}

/// The children inherit what this process has loaded, so none of these checks can follow a test that looked for a
/// plug-in. ctest gives each test its own process.
class Device : public ::testing::Test {
 protected:
  void SetUp() override {
    auto const is_first = BuildInfo(Fake("nothing")).at("CUDA_PLUGIN") == KAURI_FAKE_PLUGIN;
    KAURI_SKIP_UNLESS(is_first, "an earlier test of this process has looked for a plug-in; run this test alone");
  }
};

std::string Quoted(std::string const& path) { return "'" + path + "'"; }

std::string const kError = std::to_string(KAURI_ERROR_DEVICE) + " device=cuda";
std::string const kOrTheCpu = " Or use device=cpu.";

TEST_F(Device, PluginIsMissing) {
  auto const folder = ::testing::TempDir();
  auto const expected =
      ": the CUDA plug-in is missing: no file " + Quoted(folder + "libkauri_cuda.so") +
      ". Install kauriboost-cuda, build it with nvcc on the PATH, or set KAURI_PLUGIN_PATH to the folder that holds "
      "libkauri_cuda.so.";
  EXPECT_EQ(ErrorOf({folder}, "cuda"), kError + expected + kOrTheCpu);
  auto const file = folder + "nowhere/plugin.so";
  EXPECT_NE(ErrorOf({file}, "cuda:1").find("no file " + Quoted(file)), std::string::npos);
  auto const info = BuildInfo({folder});
  EXPECT_EQ(info.at("USE_CUDA"), false);
  EXPECT_EQ(": " + info.at("CUDA_PROBLEM").get<std::string>(), expected);
  EXPECT_EQ(info.at("CUDA_PLUGIN"), folder + "libkauri_cuda.so");
}

TEST_F(Device, PluginIsBroken) {
  auto const file = ::testing::TempDir() + "kauri_broken_plugin.so";
  std::ofstream(file) << "no shared object";
  auto const message = ErrorOf({file}, "cuda");
  EXPECT_EQ(message.find(kError + ": the CUDA plug-in " + Quoted(file) + " cannot be loaded: "), 0U) << message;
  EXPECT_EQ(message.find(file, message.find(file) + 1), std::string::npos) << "says the path twice: " << message;
  EXPECT_NE(message.find(". Install it again." + kOrTheCpu), std::string::npos) << message;
}

TEST_F(Device, FileIsNoPlugin) {
  EXPECT_EQ(ErrorOf({KAURI_LIBRARY_FILE}, "cuda"),
            kError + ": " + Quoted(KAURI_LIBRARY_FILE) +
                " is no plug-in of Kauri: it has no function KauriPluginEntry. Set KAURI_PLUGIN_PATH to the folder "
                "that holds libkauri_cuda.so." +
                kOrTheCpu);
}

TEST_F(Device, PluginIsOfAnotherVersion) {
  auto const own = std::to_string(kPluginInterface);
  auto const text = [&](std::string const& version, int interface) {
    return kError + ": the CUDA plug-in " + Quoted(KAURI_FAKE_PLUGIN) + " is of version " + version + " (interface " +
           std::to_string(interface) + "), this library of " + KAURI_VERSION + " (interface " + own +
           "). Install the plug-in that was built with this library." + kOrTheCpu;
  };
  EXPECT_EQ(ErrorOf(Fake("other version"), "cuda"), text("99.1.2", kPluginInterface));
  EXPECT_EQ(ErrorOf(Fake("other interface"), "cuda"), text(KAURI_VERSION, kPluginInterface + 1));
  EXPECT_EQ(ErrorOf(Fake("nothing"), "cuda"), text("?", 0));
}

TEST_F(Device, PluginIsOfAnotherBuild) {
  EXPECT_EQ(ErrorOf(Fake("other build"), "cuda"),
            kError + ": the CUDA plug-in " + Quoted(KAURI_FAKE_PLUGIN) +
                " was compiled with other headers than this library of the same version, " + KAURI_VERSION +
                ". Install the plug-in that was built with this library." + kOrTheCpu);
}

TEST_F(Device, PluginFailsToRegister) {
  EXPECT_EQ(
      ErrorOf(Fake("clash"), "cuda"),
      kError + ": the CUDA plug-in cannot be used: engine 'cpu' is registered twice. Install it again." + kOrTheCpu);
}

TEST_F(Device, NoDevice) {
  EXPECT_EQ(ErrorOf(Fake("no device"), "cuda"), kError + ": the fake driver sees no device. Invent one." + kOrTheCpu);
  auto const info = BuildInfo(Fake("no device"));
  EXPECT_EQ(info.at("USE_CUDA"), false);
  EXPECT_EQ(info.at("CUDA_DEVICES"), json::array());
  EXPECT_EQ(info.at("CUDA_PROBLEM"), "the fake driver sees no device. Invent one.");
}

TEST_F(Device, OrdinalOutOfRange) {
  EXPECT_EQ(ErrorOf(Fake("one device"), "cuda:7"),
            kError + ":7: there is no such device; the only one is cuda:0. Use one that is there, or device=cpu.");
  EXPECT_EQ(ErrorOf(Fake("two devices"), "cuda:2"),
            kError + ":2: there is no such device; they are cuda:0 to cuda:1. Use one that is there, or device=cpu.");
  auto const info = BuildInfo(Fake("two devices"));
  EXPECT_EQ(info.at("USE_CUDA"), true);
  EXPECT_EQ(info.at("CUDA_DEVICES"), json({"cuda:0 Fake A", "cuda:1 Fake B"}));
  EXPECT_EQ(info.at("CUDA_PLUGIN"), KAURI_FAKE_PLUGIN);
}

/// Returns the error of a CPU booster with predictor=gpu_predictor.
std::string PredictorErrorOf(Place const& place) {
  return In(place, [] {
    Data const data = MakeData({1, 2, 3, 4}, 1, {0, 1, 0, 1});
    auto const booster = MakeBooster(data, {{"predictor", "gpu_predictor"}, {"tree_method", "exact"}});
    if (XGBoosterUpdateOneIter(booster.get(), 0, data.get()) == 0) {
      return "predicted " + std::to_string(Predict(booster, data).values.size());
    }
    return std::to_string(KauriGetLastErrorKind()) + " " + XGBGetLastError();
  });
}

TEST_F(Device, PredictorOfADeviceForTheCpu) {
  EXPECT_EQ(PredictorErrorOf(Fake("one device")), "predicted 4");
  EXPECT_EQ(PredictorErrorOf(Fake("no device")), std::to_string(KAURI_ERROR_DEVICE) +
                                                     " predictor=gpu_predictor: the fake driver sees no device. Invent "
                                                     "one. Or use predictor=cpu_predictor.");
}

/// Returns the devices that `device` expands to, in order; several are separated.
std::string Devices(Place const& place, std::string const& device) {
  return In(place, [&]() -> std::string {
    try {
      auto const found = FindDevice({{"device", device}});
      if (found.kind == DeviceKind::kCpu) return "cpu";
      auto text = std::to_string(found.ordinal) + ":";
      for (auto const ordinal : found.ordinals) text += " " + std::to_string(ordinal);
      return text;
    } catch (Error const& error) {
      return error.what();
    }
  });
}

TEST_F(Device, SeveralDevices) {
  auto const two = Fake("two devices");
  EXPECT_EQ(Devices(two, "cpu"), "cpu");
  for (std::string const name : {"cuda", "gpu"}) {
    EXPECT_EQ(Devices(two, name), "0:");
    EXPECT_EQ(Devices(two, name + ":1"), "1:");
    EXPECT_EQ(Devices(two, name + ":0,1"), "0: 0 1");
    EXPECT_EQ(Devices(two, name + ":1,0"), "1: 1 0");
    EXPECT_EQ(Devices(two, name + ":all"), "0: 0 1");
    EXPECT_EQ(Devices(Fake("one device"), name + ":all"), "0:");
  }
  EXPECT_EQ(Devices(two, "cuda:0,2"),
            "device=cuda:2: there is no such device; they are cuda:0 to cuda:1. Use one that is there, or device=cpu.");
  EXPECT_EQ(Devices(Fake("no device"), "cuda:all"),
            "device=cuda: the fake driver sees no device. Invent one." + kOrTheCpu);
}

/// Such text is refused before anything is looked for.
TEST_F(Device, TextThatIsNoDevice) {
  EXPECT_EQ(Devices({"nowhere"}, "cuda:1,0,1"),
            "parameter device='cuda:1,0,1' names cuda:1 twice; name each device once.");
  for (auto const* text : {"", "CPU", "cuda:", "cuda:-1", "cuda:x", "cuda:0,", "cuda:,0", "cuda:0,,1", "cuda:0, 1",
                           "cuda:0;1", "cuda:all,0", "cuda:0,all", "gpu:99999999999", "cuda0", "cpu:0"}) {
    EXPECT_EQ(Devices({"nowhere"}, text), std::string("parameter device='") + text +
                                              "' is not valid; expected cpu, cuda, cuda:N with N >= 0, several as "
                                              "cuda:N,M,.. or cuda:all.");
  }
}

/// A booster accepts a list through the C ABI and predicts with it; the model does not keep it.
TEST_F(Device, BoosterWithSeveralDevices) {
  auto const status = In(Fake("two devices"), [] {
    Data const data = MakeData({1, 2, 3, 4}, 1, {0, 1, 0, 1});
    auto const booster = MakeBooster(data, {{"nthread", "1"}});
    if (XGBoosterUpdateOneIter(booster.get(), 0, data.get()) != 0) return std::string(XGBGetLastError());
    std::string results;
    for (auto const* device : {"cpu", "cuda:0,1", "gpu:all"}) {
      bst_ulong const* shape = nullptr;
      bst_ulong dim = 0;
      float const* values = nullptr;
      if (XGBoosterSetParam(booster.get(), "device", device) != 0 ||
          XGBoosterPredictFromDMatrix(
              booster.get(), data.get(),
              R"({"type": 2, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false})",
              &shape, &dim, &values) != 0) {
        return std::string(XGBGetLastError());
      }
      results += std::to_string(dim) + " " + std::to_string(shape[0]) + " " + std::to_string(values[0]) + ";";
    }
    auto const one = results.substr(0, results.find(';') + 1);
    return results == one + one + one ? std::string("same") : results;
  });
  EXPECT_EQ(status, "same");
}

/// An error of the plug-in keeps its kind.
TEST_F(Device, TooLittleMemory) {
  EXPECT_EQ(
      ErrorOf(Fake("little memory"), "cuda"),
      std::to_string(KAURI_ERROR_MEMORY) + " cuda:0 has too little memory for a test: 2 bytes are needed, 1 is free.");
}

TEST_F(Device, TreeMethodWithoutADeviceVersion) {
  auto const kind = std::to_string(KAURI_ERROR_PARAMETER);
  EXPECT_EQ(ErrorOf(Fake("two devices"), "cuda", "auto"),
            kind +
                " tree_method=auto means hist, which has no version for device=cuda. Use tree_method=exact, or "
                "device=cpu.");
  EXPECT_EQ(ErrorOf(Fake("one device"), "cuda", "exact"),
            kind + " tree_method=exact has no version for device=cuda. Use device=cpu.");
  EXPECT_NE(ErrorOf(Fake("two devices"), "cuda", "exakt").find("'exakt'"), std::string::npos);
}

TEST_F(Device, ParametersWithoutADeviceVersion) {
  auto const error_with = [](std::string const& name, std::string const& value) {
    return In(Fake("two devices"), [&] {
      Data const data = MakeData({1, 2, 3, 4}, 1, {0, 1, 0, 1});
      auto const booster = MakeBooster(data, {{"device", "cuda"}, {"tree_method", "exact"}, {name, value}});
      if (XGBoosterUpdateOneIter(booster.get(), 0, data.get()) == 0) return std::string("no error");
      return std::to_string(KauriGetLastErrorKind()) + " " + XGBGetLastError();
    });
  };
  auto const kind = std::to_string(KAURI_ERROR_PARAMETER);
  EXPECT_EQ(error_with("random_strength", "1.5"),
            kind +
                " random_strength=1.5: tree_method=exact has no noise on gains with device=cuda; set "
                "tree_method=hist or approx, device=cpu, or random_strength=0.");
  EXPECT_EQ(error_with("linear_tree", "1"),
            kind + " linear_tree=1 has no version for device=cuda; set device=cpu, or linear_tree=0.");
}

/// The plug-in is present, but no device is requested.
TEST_F(Device, TreeMethodOfTheDeviceOnTheCpu) {
  auto const message = In(Fake("two devices"), [] {
    char const* text = nullptr;
    XGBuildInfo(&text);  // loads the plug-in
    Data const data = MakeData({1, 2, 3, 4}, 1, {0, 1, 0, 1});
    auto const booster = MakeBooster(data, {{"device", "cpu"}, {"tree_method", "gpu_exact"}});
    if (XGBoosterUpdateOneIter(booster.get(), 0, data.get()) == 0) return std::string("no error");
    return std::to_string(KauriGetLastErrorKind()) + " " + XGBGetLastError();
  });
  EXPECT_EQ(message, std::to_string(KAURI_ERROR_PARAMETER) +
                         " tree_method=gpu_exact builds trees in device memory; set device=cuda, or tree_method=exact "
                         "with device=cpu.");
}

/// The booster survives the error and trains on the CPU.
TEST_F(Device, BoosterGoesOnWithTheCpu) {
  auto const status = In({::testing::TempDir()}, [] {
    Data const data = MakeData({1, 2, 3, 4}, 1, {0, 1, 0, 1});
    auto const booster = MakeBooster(data, {{"device", "cuda"}, {"nthread", "1"}});
    if (XGBoosterUpdateOneIter(booster.get(), 0, data.get()) == 0) return std::string("no error");
    if (XGBoosterSetParam(booster.get(), "device", "cpu") != 0) return std::string("not set");
    return std::to_string(XGBoosterUpdateOneIter(booster.get(), 0, data.get()));
  });
  EXPECT_EQ(status, "0");
}

}  // namespace
}  // namespace kauri::testing
