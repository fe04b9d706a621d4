/// \file Leaves of trees that are built: those of a round's trees that grew together, one for each output
/// (hist/levels_finder.h), and those whose values follow from other gradients than the tree's own
/// (engine/leaf_gradients.h), as Engine::SetSplitGradients passes them.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/engine/engine_data.h"
#include "kauri/context.h"
#include "kauri/engine.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"
#include "kauri/tree.h"

namespace kauri::cuda {

/// Returns whether there is one tree with scalar leaves for each output, in order, which uses all rows of one shard.
bool AreOnePerOutput(std::vector<RoundTree> const& trees, EngineData const& own);

/// Adds the leaf values of the trees to the margins, by the leaves of the rows (TrainingArrays::round_leaves).
void AddTreesOfRound(CudaContext const& cuda, std::vector<Tree> const& trees, EngineData* own);

/// Renews the leaf values of such trees (engine/rounded_gradients.h), if they are to be renewed. trees: the settings.
void RenewLeavesOfRound(CudaContext const& cuda, std::vector<RoundTree> const& trees, EngineData* own,
                        std::vector<Tree>* built);

struct LeafGradientsTask {
  CudaContext const& cuda;
  Context const& ctx;
  MetaInfo const& info;                  ///< of the training set
  RoundTree const& tree;                 ///< settings of the tree that was built
  Span<std::int32_t const> leaf_of_row;  ///< [n_rows], device
};

/// Sets the values of the tree's leaves from the leaf gradients of `own`, over the rows that the device has sampled.
/// The sums are made in host memory, with the same bits as by the CPU engine.
void SetLeavesFromGradients(LeafGradientsTask const& task, EngineData const& own, Tree* built);

/// Renews the leaf values of a tree that was built alone, likewise.
void RenewLeavesOf(LeafGradientsTask const& task, EngineData* own, Tree* built);

}  // namespace kauri::cuda
