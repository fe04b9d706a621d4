/// \file The booster `gbtree`: every round adds one tree per output and parallel tree.
#pragma once

#include <memory>

#include "kauri/booster.h"
#include "kauri/registry.h"

namespace kauri {

/// Parameters of gbtree besides those of the trees.
struct GbTreeParam : public dmlc::Parameter<GbTreeParam> {
  std::string tree_method;
  int num_parallel_tree;

  DMLC_DECLARE_PARAMETER(GbTreeParam) {
    DMLC_DECLARE_FIELD(tree_method)
        .set_default("auto")
        .describe("How trees are built: auto (hist), exact, hist; with device=cuda the plug-in's method of that name.");
    DMLC_DECLARE_FIELD(num_parallel_tree)
        .set_default(1)
        .set_range(1, 1 << 20)
        .describe("Trees per output and round; more than 1 boosts random forests.");
  }
  void Validate() const {}
};

/// The entry of the tree-method registry that `tree_method` and `device` mean together (design D2).
std::string ResolveTreeMethod(std::string const& tree_method, DeviceKind device);

void RegisterBoosters(Registry<BoosterFactory>* registry);

}  // namespace kauri
