/// \file A tree builder whose input and output stay in device memory: what the resident loop calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/common/event.h"
#include "cuda/tree/tree_totals.h"
#include "kauri/error.h"
#include "kauri/tree_builder.h"

namespace kauri::cuda {

/// What a tree grows from on a device other than the main one, which has computed it: of its share of the rows
/// (CutRows).
struct ShareInput {
  Span<FixedPair const> pairs;       ///< [count]
  Span<std::uint8_t const> sampled;  ///< [count], or empty: all
  Span<std::int32_t> leaf_of_row;    ///< (out) [count]
  Event const* ready;                ///< when pairs and marks are there
  CudaContext cuda;                  ///< whose stream waits for leaf_of_row
};

/// As TreeTask, with everything row-sized in device memory.
struct DeviceTreeTask {
  Span<FixedPair const> pairs;            ///< [n_rows], device; zero pairs for rows that are not sampled
  TreeTotals totals;                      ///< of `pairs`
  Span<std::uint8_t const> sampled_rows;  ///< [n_rows], device; empty: all
  TreePlace place;
  /// Of each device but the first, which has all of the above for the rows of its own share alone then; empty: it has
  /// all rows.
  Span<ShareInput const> shares = {};
  GradientTableView table = {};  ///< for vector leaves: values on the device, units on the host; `pairs` is empty then
  LineErrors errors = {};        ///< where the criterion asks for them; arrays on the device
};

class DeviceTreeBuilder : public TreeBuilder {
 public:
  /// leaf_of_row (out): [n_rows], device. `state` is what MakeState returned for `data`. The same tree as from the
  /// method of that name in host memory, bit for bit.
  virtual Tree BuildOnDevice(CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                             DeviceTreeTask const& task, BuildState* state, Span<std::int32_t> leaf_of_row) const = 0;
  /// Whether so many trees of a round, like the one at this place but each from gradients of its own and all from all
  /// rows, are built faster together.
  virtual bool GrowsTogether(CudaContext const& /*cuda*/, Context const& /*ctx*/, DataMatrix const& /*data*/,
                             TreePlace const& /*place*/, std::size_t /*n_trees*/, BuildState* /*state*/) const {
    return false;
  }
  /// Those trees, as from BuildOnDevice. tasks: of each tree; their pairs lie side by side, and so do their totals, on
  /// the device. leaf_of_row (out): [n_trees, n_rows], device.
  virtual std::vector<Tree> BuildTogether(CudaContext const& /*cuda*/, Context const& /*ctx*/,
                                          DataMatrix const& /*data*/, Span<DeviceTreeTask const> /*tasks*/,
                                          BuildState* /*state*/, Span<std::int32_t> /*leaf_of_row*/) const {
    Fail(ErrorKind::kInternal, "several trees at once were requested, but tree_method=", StateKey(),
         " builds one at a time");
  }
  /// A tree is about to be asked for, once its gradients are there: threads that sleep until then may wake.
  virtual void ExpectTree(BuildState* /*state*/) const {}
  /// Whether a tree grows from gradients that each of several devices (Context::device) has of its own rows
  /// (DeviceTreeTask::shares); otherwise the first has them all, whoever splits the rows.
  virtual bool TakesShares(bool /*vector_leaves*/) const { return false; }
  /// The booster refuses to train with it in host memory.
  Tree Build(Context const&, DataMatrix const&, TreeTask const&, BuildState*, Span<std::int32_t>) const final {
    Fail(ErrorKind::kInternal, "tree_method=", StateKey(),
         " builds trees in device memory, but was called for host memory");
  }
};

}  // namespace kauri::cuda
