/// \file The interface of a predictor.
#pragma once

#include <cstdint>
#include <memory>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/device_memory.h"
#include "kauri/model.h"
#include "kauri/span.h"

namespace kauri {

class Objective;

/// The numbers are the C ABI's prediction types.
enum class PredictKind : int {
  kValue = 0,
  kMargin = 1,
  kContribution = 2,
  kApproxContribution = 3,
  kInteraction = 4,
  kApproxInteraction = 5,
  kLeaf = 6
};

/// Floats per row: kMargin and kValue n_outputs (the objective may shrink kValue later), kContribution n_outputs *
/// (n_features + 1), kInteraction n_outputs * (n_features + 1)^2, kLeaf the number of trees in the range. This function
/// alone owns that shape.
std::int64_t OutputWidth(Model const& model, PredictKind kind, TreeRange trees);

/// Where the sum of the trees starts. Exactly one of the two is used.
struct MarginStart {
  Span<float const> of_output;  ///< [n_outputs], the base score as margin
  Span<float const> of_row;     ///< [n_rows, n_outputs], a base margin given by the user; empty: of_output holds
};

/// A model compiled for one predictor: immutable, so shared by any number of threads.
class CompiledModel {
 public:
  virtual ~CompiledModel() = default;
};

/// A prediction on rows in device memory.
struct DevicePredictTask {
  DeviceStorage const& rows;
  PredictKind kind;  ///< kValue: `objective` transforms the margins
  TreeRange trees;
  MarginStart start;
  Objective const& objective;
};

/// const, shared by threads.
class Predictor {
 public:
  virtual ~Predictor() = default;
  /// Compiles the trees of `trees`. The Model must outlive nothing: all that is needed is copied.
  virtual std::shared_ptr<CompiledModel const> Compile(Context const& ctx, Model const& model,
                                                       TreeRange trees) const = 0;

  /// Margins, leaves, contributions or interactions; kValue is the objective's work on kMargin and is refused.
  /// `trees` lies within what was compiled. out: [n_rows, OutputWidth(model, kind, trees)].
  /// Margins are float32 sums in the order start, tree, tree, ...: the same bits for any thread count or batch.
  virtual void Predict(Context const& ctx, CompiledModel const& model, DataView const& rows, PredictKind kind,
                       TreeRange trees, MarginStart const& start, Span<float> out) const = 0;

  /// As Predict, with the result in the memory of the rows' device, kValue included. nullptr: there is no device
  /// version of it. \throws Error(kDevice) when rows and model are on different devices.
  virtual std::unique_ptr<DeviceFloats> PredictOnDevice(Context const&, CompiledModel const&,
                                                        DevicePredictTask const&) const {
    return nullptr;
  }
};

}  // namespace kauri
