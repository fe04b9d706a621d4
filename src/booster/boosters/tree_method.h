/// \file The tree method that parameters choose.
#pragma once

#include <string>

#include "booster/boosters/gbtree.h"
#include "kauri/context.h"
#include "kauri/registry.h"

namespace kauri {

/// A choice from the registry.
struct TreeMethod {
  std::string given;  ///< the method that the parameters name, by tree_method or updater
  std::string name;   ///< its name in the registry; device=cuda means the version with the prefix gpu_
  /// Its entry. Null for a CPU method without a device version: only training needs one, predictions do not.
  Registry<TreeBuilderFactory>::Entry const* entry = nullptr;
};

/// Chooses the tree method. \throws Error(kParameter): a name that is unknown; an `updater` that contradicts it.
TreeMethod ChooseTreeMethod(GbTreeParam const& param, DeviceKind device);

/// Returns the name in the registry of `tree_method` on `device` (design D2).
std::string ResolveTreeMethod(std::string const& tree_method, DeviceKind device);

/// Returns the name of the method without the prefix of device methods.
std::string WithoutDevicePrefix(std::string const& name);

}  // namespace kauri
