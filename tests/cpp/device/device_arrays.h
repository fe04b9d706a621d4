/// \file Host arrays declared as device arrays, and device memory that is host memory.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>

#include "c_api/support.h"
#include "device/fake_device_memory.h"
#include "kauri/registry.h"
#include "support/posix.h"

namespace kauri::testing {

/// Returns the interface of a host array as a device would write it.
inline std::string OnDevice(std::string interface, std::string const& stream = "1") {
  interface.pop_back();
  return interface + ", \"stream\": " + stream + "}";
}

inline std::string ModelOf(Booster const& booster) {
  bst_ulong length = 0;
  char const* bytes = nullptr;
  EXPECT_OK(XGBoosterSaveModelToBuffer(booster.get(), R"({"format": "ubj"})", &length, &bytes));
  return {bytes, length};
}

class DeviceArrays : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("KAURI_PLUGIN_PATH", "/no/such/plugin.so", 1);
    auto& registry = GetRegistries().device_memories;
    if (registry.TryFind("cuda") == nullptr) {
      registry.Add({"cuda", "host memory", [] { return std::make_unique<FakeDeviceMemory>(); }});
    }
  }
  void SetUp() override {
    TheLog().copies_to_host = 0;
    TheLog().borrowed = 0;
    TheLog().binned = 0;
    TheLog().codes_to_host = 0;
    for (std::size_t i = 0; i < problem_.values.size(); i += 7)
      problem_.values[i] = std::numeric_limits<float>::quiet_NaN();
    problem_.data = MakeData(problem_.values, 4, problem_.labels);
  }
  /// Returns the message of a call that must fail.
  static std::string Message(int status) {
    EXPECT_EQ(status, -1);
    return XGBGetLastError();
  }

  Problem problem_;
};

}  // namespace kauri::testing
