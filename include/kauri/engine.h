/// \file The storage of a boosting session. The boosting loop is written once, over this interface.
///
/// An engine keeps, for every data set that it has seen, the margins of the model's trees so far; for the training set
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
  TreeParam const* param = nullptr;  ///< parameters of the builder

  bool SamplesByGradient() const {
    return subsample < 1.0F && param != nullptr && param->sampling_method == TreeParam::kGradientBased;
  }
  /// Returns whether a fixed number of rows is sampled, instead of each row independently.
  bool DrawsExactly() const {
    return subsample < 1.0F && param != nullptr && param->sampling_method == TreeParam::kWithoutReplacement;
  }
  /// Returns the temperature of the rows' random weights; 0: no weights.
  float BaggingTemperature() const { return param == nullptr ? 0.0F : param->bagging_temperature; }
  /// Returns the bits to which gradients are rounded for the choice of splits; 0: they are not rounded.
  int GradientBits() const { return param == nullptr ? 0 : param->gradient_bits; }
  /// Returns whether the rows of a query are sampled, or weighted, together.
  bool DrawsQueries() const {
    auto const draws = subsample < 1.0F || BaggingTemperature() > 0.0F;
    return draws && param != nullptr && param->sampling_method == TreeParam::kByQuery;
  }
};

/// Gradients of a round that computes tree structure and leaf values from different gradients.
struct SplitGradients {
  Span<GradientPair const> splits;  ///< [n_rows, n_split_outputs]
  std::int64_t n_split_outputs;     ///< 1 to n_outputs
  Span<GradientPair const> leaves;  ///< [n_rows, n_outputs]
};

/// Operations that only an engine in host memory has.
class HostSide {
 public:
  virtual ~HostSide() = default;
  /// Changes `tree` by each step in order, from the gradients of all rows, and adds the leaves that the rows of `train`
  /// then reach to its cached margins.
  virtual void UpdateTree(Context const& ctx, DataMatrix const& train, Predictor const& predictor,
                          std::vector<std::unique_ptr<TreeUpdater>> const& steps, RoundTree const& round,
                          Tree* tree) = 0;
  /// Changes the linear part of `model` from the gradients.
  virtual void UpdateLinear(Context const& ctx, DataMatrix const& train, LinearUpdater const& updater,
                            Model* model) = 0;
};

/// Operations that only an engine in device memory has.
class DeviceSide {
 public:
  virtual ~DeviceSide() = default;
  /// Sets the gradients, like Engine::SetGradients, from arrays in device memory, [n_rows] or [n_rows, n_outputs] of
  /// any numeric type, which must live until the next tree is built.
  virtual void SetDeviceGradients(Context const& ctx, DataMatrix const& train, DeviceArray const& gradients,
                                  DeviceArray const& hessians) = 0;
  /// Returns a copy of the cached margins of `data` in device memory, [n_rows, n_outputs]; transformed by `objective`
  /// unless it is null.
  virtual std::unique_ptr<DeviceFloats> DevicePredictions(Context const& ctx, DataMatrix const& data,
                                                          Objective const* objective) = 0;
};

/// Operations that every engine has. OnHost() and OnDevice() return the operations of one kind of memory only.
class Engine {
 public:
  virtual ~Engine() = default;
  /// Updates the cached margins of `data` to all trees of `model` except `dropped`, which is ascending. Predicts with
  /// the trees added since the last call, or with all trees if others are dropped or have changed their weights. start:
  /// [n_outputs], the base score as margin; a base margin of `data` replaces it. \throws Error(kParameter) from an
  /// engine on a device, for data whose categories are not numbered or treated as in the model.
  virtual void UpdateMargins(Context const& ctx, std::shared_ptr<DataMatrix const> const& data, Model const& model,
                             Predictor const& predictor, Span<float const> start, Span<std::int64_t const> dropped) = 0;
  /// Computes the gradients of the objective at the cached margins of `train`.
  virtual void ComputeGradients(Context const& ctx, DataMatrix const& train, Objective const& objective,
                                std::int64_t iteration) = 0;
  /// Sets the caller's gradients instead, [n_rows, n_outputs].
  virtual void SetGradients(Context const& ctx, DataMatrix const& train, Span<GradientPair const> gradients) = 0;
  /// Sets separate gradients for tree structure and leaf values. Structure, statistics and base weights come from
  /// `splits`, leaf values from `leaves`, summed over the same rows. Sampling by gradient size uses `splits`; a sampled
  /// row has the same weight in both.
  virtual void SetSplitGradients(Context const& ctx, DataMatrix const& train, SplitGradients const& gradients) = 0;
  /// Builds independent trees of a round, in this order, or concurrently where that is faster. For each tree, samples
  /// rows, builds the tree from the gradients, and adds its leaves to the cached margins of `train`. If the objective
  /// of the gradients defines leaf values as a quantile, the leaves are set to it first.
  virtual std::vector<Tree> BuildTrees(Context const& ctx, DataMatrix const& train, TreeBuilder const& builder,
                                       std::vector<RoundTree> const& trees) = 0;
  /// Notes that the caller has appended the trees of a round to the model: the margins of `train` contain them already.
  virtual void FinishRound(DataMatrix const& train, Model const& model) = 0;
  /// Evaluates each metric on the transformed cached margins of `data`.
  virtual std::vector<double> Evaluate(Context const& ctx, DataMatrix const& data, Objective const& objective,
                                       MetricList const& metrics) = 0;
  /// Returns the cached margins of `data`, [n_rows, n_outputs].
  virtual std::vector<float> Margins(DataMatrix const& data) const = 0;
  /// Forgets all data sets. Called after the model was replaced.
  virtual void Clear() = 0;
  /// Returns this engine's operations in host memory; nullptr for an engine in device memory.
  virtual HostSide* OnHost() { return nullptr; }
  /// Returns this engine's operations in device memory; nullptr for an engine in host memory.
  virtual DeviceSide* OnDevice() { return nullptr; }
};

}  // namespace kauri
