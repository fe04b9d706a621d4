/// \file Where a boosting session lives. The boosting loop is written once, over this interface (design, section 4).
///
/// An engine keeps, for every data set that it has met, the margins of the model's trees so far; for the training set
/// also the gradients and the tree builder's state. With device=cuda all of it stays in device memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/device_memory.h"
#include "kauri/gradient.h"
#include "kauri/linear_updater.h"
#include "kauri/metric.h"
#include "kauri/model.h"
#include "kauri/objective.h"
#include "kauri/predictor.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"
#include "kauri/tree_updater.h"

namespace kauri {

/// One tree of a round.
struct RoundTree {
  TreePlace place;
  std::int64_t output = 0;
  bool vector_leaves = false;  ///< one tree for all outputs, instead of one for `output`
  float subsample = 1.0F;
  TreeParam const* param = nullptr;  ///< what the builder was made with

  bool SamplesByGradient() const {
    return subsample < 1.0F && param != nullptr && param->sampling_method == TreeParam::kGradientBased;
  }
  /// Whether a certain number of rows is drawn, instead of each on its own.
  bool DrawsExactly() const {
    return subsample < 1.0F && param != nullptr && param->sampling_method == TreeParam::kWithoutReplacement;
  }
  /// Of the weights of rows; 0: they have none.
  float BaggingTemperature() const { return param == nullptr ? 0.0F : param->bagging_temperature; }
  /// Whether the rows of a query are drawn, or weighed, together.
  bool DrawsQueries() const {
    auto const draws = subsample < 1.0F || BaggingTemperature() > 0.0F;
    return draws && param != nullptr && param->sampling_method == TreeParam::kByQuery;
  }
};

/// Gradients of a round whose trees grow on others than those that their leaves' values follow from.
struct SplitGradients {
  Span<GradientPair const> splits;  ///< [n_rows, n_split_outputs]
  std::int64_t n_split_outputs;     ///< 1 to n_outputs
  Span<GradientPair const> leaves;  ///< [n_rows, n_outputs]
};

/// What only an engine in host memory does.
class HostSide {
 public:
  virtual ~HostSide() = default;
  /// Changes `tree`, in the steps' order, from the gradients of all rows, and adds the leaves that the rows of `train`
  /// reach then to its cached margins.
  virtual void UpdateTree(Context const& ctx, DataMatrix const& train, Predictor const& predictor,
                          std::vector<std::unique_ptr<TreeUpdater>> const& steps, RoundTree const& round,
                          Tree* tree) = 0;
  /// Changes the linear part of `model` from the gradients.
  virtual void UpdateLinear(Context const& ctx, DataMatrix const& train, LinearUpdater const& updater,
                            Model* model) = 0;
};

/// What only an engine in device memory does.
class DeviceSide {
 public:
  virtual ~DeviceSide() = default;
  /// As Engine::SetGradients, from arrays in device memory, [n_rows] or [n_rows, n_outputs] of any numeric type, which
  /// must stay until the next tree is built.
  virtual void SetDeviceGradients(Context const& ctx, DataMatrix const& train, DeviceArray const& gradients,
                                  DeviceArray const& hessians) = 0;
  /// A copy of the cached margins of `data` in device memory, [n_rows, n_outputs]; transformed by `objective` unless it
  /// is null.
  virtual std::unique_ptr<DeviceFloats> DevicePredictions(Context const& ctx, DataMatrix const& data,
                                                          Objective const* objective) = 0;
};

/// What every engine does. What one memory alone allows is asked for by the name of its side.
class Engine {
 public:
  virtual ~Engine() = default;
  /// Makes the cached margins of `data` those of all trees of `model` but `dropped`, ascending: predicts with the trees
  /// that came since the last call, or with all when others are dropped or have changed their weights.
  /// start: [n_outputs], the base score as margin; a base margin of `data` replaces it. \throws Error(kParameter) from
  /// an engine on a device, for data whose categories are not numbered or treated as in the model.
  virtual void UpdateMargins(Context const& ctx, std::shared_ptr<DataMatrix const> const& data, Model const& model,
                             Predictor const& predictor, Span<float const> start, Span<std::int64_t const> dropped) = 0;
  /// Gradients of the objective at the cached margins of `train`.
  virtual void ComputeGradients(Context const& ctx, DataMatrix const& train, Objective const& objective,
                                std::int64_t iteration) = 0;
  /// Gradients from outside instead, [n_rows, n_outputs].
  virtual void SetGradients(Context const& ctx, DataMatrix const& train, Span<GradientPair const> gradients) = 0;
  /// The same where trees grow on `splits`: structure, statistics and base weights are theirs. The values of leaves
  /// come from `leaves`, summed over the same rows; where rows are drawn by the size of their gradients, by that of
  /// `splits`, a row counts in both alike.
  virtual void SetSplitGradients(Context const& ctx, DataMatrix const& train, SplitGradients const& gradients) = 0;
  /// Samples rows, builds a tree from the gradients, sets its leaves where the objective of the gradients names a
  /// quantile for them, and adds the leaves to the cached margins of `train`.
  virtual Tree BuildTree(Context const& ctx, DataMatrix const& train, TreeBuilder const& builder,
                         RoundTree const& tree) = 0;
  /// The same of several trees of a round, none of which follows from another: at once where that is faster.
  virtual std::vector<Tree> BuildTrees(Context const& ctx, DataMatrix const& train, TreeBuilder const& builder,
                                       std::vector<RoundTree> const& trees) {
    std::vector<Tree> built;
    for (auto const& tree : trees) built.push_back(BuildTree(ctx, train, builder, tree));
    return built;
  }
  /// The caller appended the trees of a round to the model: the margins of `train` hold them already.
  virtual void FinishRound(DataMatrix const& train, Model const& model) = 0;
  /// Each metric on the transformed cached margins of `data`.
  virtual std::vector<double> Evaluate(Context const& ctx, DataMatrix const& data, Objective const& objective,
                                       MetricList const& metrics) = 0;
  /// The cached margins of `data`, [n_rows, n_outputs].
  virtual std::vector<float> Margins(DataMatrix const& data) const = 0;
  /// Forgets all data sets: after the model was replaced.
  virtual void Clear() = 0;
  /// This engine's side in host memory; nullptr unless it is there.
  virtual HostSide* OnHost() { return nullptr; }
  /// This engine's side in device memory; nullptr unless it is there.
  virtual DeviceSide* OnDevice() { return nullptr; }
};

}  // namespace kauri
