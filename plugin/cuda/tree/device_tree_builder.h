/// \file A tree builder whose input and output stay in device memory; used by the CUDA engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/common/event.h"
#include "cuda/tree/small_pair.h"
#include "cuda/tree/tree_totals.h"
#include "kauri/error.h"
#include "kauri/tree_builder.h"

namespace kauri::cuda {

/// Input of a tree on a device other than the main one, computed there for its shard of the rows (CutRows).
struct ShardInput {
  Span<FixedPair const> pairs;       ///< [count]
  Span<std::uint8_t const> sampled;  ///< [count]; empty: all rows are used
  Span<std::int32_t> leaf_of_row;    ///< (out) [count]
  Event const* ready;                ///< reached when pairs and marks are complete
  CudaContext cuda;                  ///< its stream waits for leaf_of_row
  Span<SmallPair const> small = {};  ///< `pairs` in two bytes; empty unless they are rounded
};

/// Like TreeTask, with all row-sized arrays in device memory.
struct DeviceTreeTask {
  Span<FixedPair const> pairs;            ///< [n_rows], device; zero pairs for rows that are not sampled
  TreeTotals totals;                      ///< of `pairs`
  Span<std::uint8_t const> sampled_rows;  ///< [n_rows], device; empty: all rows are used
  TreePlace place;
  /// One for each device except the first; if not empty, the arrays above have only the first device's rows. Empty: the
  /// first device has all rows.
  Span<ShardInput const> shards = {};
  GradientTableView table = {};  ///< for vector leaves: values on the device, units on the host; `pairs` is empty then
  Span<SmallPair const> small = {};  ///< [n_rows], device: `pairs` in two bytes; empty unless they are rounded
  LineErrors errors = {};            ///< used if the criterion needs them; arrays on the device
};

class DeviceTreeBuilder : public TreeBuilder {
 public:
  /// Builds the same tree as the method of that name in host memory, bit for bit. leaf_of_row (out): [n_rows], device.
  /// `state` is what MakeState returned for `data`.
  virtual Tree BuildOnDevice(CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                             DeviceTreeTask const& task, BuildState* state, Span<std::int32_t> leaf_of_row) const = 0;
  /// Returns whether n_trees trees of a round are built faster together. They are like the one at this place, each from
  /// gradients of its own and from all rows.
  virtual bool GrowsTogether(CudaContext const& /*cuda*/, Context const& /*ctx*/, DataMatrix const& /*data*/,
                             TreePlace const& /*place*/, std::size_t /*n_trees*/, BuildState* /*state*/) const {
    return false;
  }
  /// Builds such trees, with the same results as BuildOnDevice. tasks: one per tree; their pairs lie side by side on
  /// the device, and so do their totals. leaf_of_row (out): [n_trees, n_rows], device.
  virtual std::vector<Tree> BuildTogether(CudaContext const& /*cuda*/, Context const& /*ctx*/,
                                          DataMatrix const& /*data*/, Span<DeviceTreeTask const> /*tasks*/,
                                          BuildState* /*state*/, Span<std::int32_t> /*leaf_of_row*/) const {
    Fail(ErrorKind::kInternal, "several trees at once were requested, but tree_method=", StateKey(),
         " builds one at a time");
  }
  /// Announces that a tree will be built once its gradients are ready, so that sleeping threads may wake.
  virtual void ExpectTree(BuildState* /*state*/) const {}
  /// Returns whether the builder accepts gradients sharded over several devices (Context::device,
  /// DeviceTreeTask::shards). If false, the first device holds all of them, even if rows are split elsewhere.
  virtual bool TakesShards(bool /*vector_leaves*/) const { return false; }
  /// Fails: a device builder does not train in host memory; the booster refuses it earlier.
  Tree Build(Context const&, DataMatrix const&, TreeTask const&, BuildState*, Span<std::int32_t>) const final {
    Fail(ErrorKind::kInternal, "tree_method=", StateKey(),
         " builds trees in device memory, but was called for host memory");
  }
};

}  // namespace kauri::cuda
