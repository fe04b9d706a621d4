/// \file Failing calls that can be made on a scene in any state: for the table of failures and retries.
#pragma once

#include <functional>
#include <vector>

#include "c_api/failure_scene.h"

namespace kauri::testing {

/// State that a booster needs for a call to fail.
enum class Needs { kNothing, kTraining };

struct FailureCase {
  char const* name;
  /// Makes the call and restores its inputs: data, and parameters that only take effect later. Returns the status.
  std::function<int(Scene const&)> fail;
  Needs needs = Needs::kNothing;
};

std::vector<FailureCase> FailuresOfData();
std::vector<FailureCase> FailuresOfGradients();
std::vector<FailureCase> FailuresOfParameters();
std::vector<FailureCase> FailuresOfFiles();
std::vector<FailureCase> FailuresOfUse();

}  // namespace kauri::testing
