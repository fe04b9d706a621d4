/// \file The booster `gbtree`: every round adds one tree per parallel tree, and per output unless their leaves hold
/// vectors. TreeMethod is the tree method that the parameters choose.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kauri/booster.h"
#include "kauri/context.h"
#include "kauri/parameter.h"
#include "kauri/registry.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"

namespace kauri {

/// Parameters of gbtree, without the parameters of its trees.
struct GbTreeParam : public dmlc::Parameter<GbTreeParam> {
  std::string tree_method;
  int num_parallel_tree;
  enum MultiStrategy { kOneOutputPerTree = 0, kMultiOutputTree = 1 };
  int multi_strategy;
  enum ProcessType { kDefault = 0, kUpdate = 1 };
  int process_type;
  std::string updater;

  DMLC_DECLARE_PARAMETER(GbTreeParam) {
    DMLC_DECLARE_FIELD(tree_method)
        .set_default("auto")
        .describe(
            "How trees are built: auto (hist), approx, exact, hist; with device=cuda the plug-in's method of that "
            "name.");
    DMLC_DECLARE_FIELD(num_parallel_tree)
        .set_default(1)
        .set_range(1, 1 << 20)
        .describe("Trees per output and round; more than 1 boosts random forests.");
    DMLC_DECLARE_FIELD(multi_strategy)
        .set_default(kOneOutputPerTree)
        .add_enum("one_output_per_tree", kOneOutputPerTree)
        .add_enum("multi_output_tree", kMultiOutputTree)
        .describe(
            "What a round adds for several outputs: one_output_per_tree, or multi_output_tree, one tree with a vector "
            "in each leaf (tree_method=hist).");
    DMLC_DECLARE_FIELD(process_type)
        .set_default(kDefault)
        .add_enum("default", kDefault)
        .add_enum("update", kUpdate)
        .describe(
            "Whether a round adds trees (default), or changes those of the same round of the model given (update): "
            "the model begins anew and gets its rounds back one by one.");
    DMLC_DECLARE_FIELD(updater).set_default("").describe(
        "With process_type=update what is done to a tree, in order: refresh, prune, or both as in refresh,prune. "
        "Otherwise tree_method decides; XGBoost's names of builders (grow_colmaker, grow_histmaker, "
        "grow_quantile_histmaker, grow_gpu_hist, grow_gpu_approx, and prune or sync after them) stand for one.");
  }
  void Validate() const {}
};

std::unique_ptr<Booster> MakeGbTree(TrainingParams const& params);

/// Function that wraps the tree method's builder.
using BuilderWrap = std::function<std::unique_ptr<TreeBuilder>(std::unique_ptr<TreeBuilder>)>;
/// Returns a gbtree booster whose trees come from the wrapped builder.
std::unique_ptr<Booster> MakeGbTreeWith(TrainingParams const& params, BuilderWrap const& wrap);

/// Returns the parameters of gbtree and of its trees.
ParameterTable GbTreeParameters();

/// A choice from the registry.
struct TreeMethod {
  std::string given;  ///< the method that the parameters name, by tree_method or updater
  std::string name;   ///< its name in the registry; device=cuda means the version with the prefix gpu_
  /// Its entry. Null for a CPU method without a device version: only training needs one, predictions do not.
  Registry<TreeBuilderFactory>::Entry const* entry = nullptr;
};

/// Chooses the tree method. \throws Error(kParameter): a name that is unknown; an `updater` that contradicts it.
TreeMethod ChooseTreeMethod(GbTreeParam const& param, DeviceKind device);

/// Returns the name in the registry of `tree_method` on `device`.
std::string ResolveTreeMethod(std::string const& tree_method, DeviceKind device);

/// Returns the name of the method without the prefix of device methods.
std::string WithoutDevicePrefix(std::string const& name);

}  // namespace kauri
