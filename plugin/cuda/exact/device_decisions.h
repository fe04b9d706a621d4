/// \file The decisions of an exact tree on the device: the splits of a level that are made, the moves of its rows, and
/// the next level's nodes. The host reads the number of nodes, and the splits when the tree is grown.
///
/// The decisions are the host's (gpu_exact_builder.cu), for trees that do not need the host while they grow: no columns
/// sampled for levels or nodes, no constraints, costs, categories or limits.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/event.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/exact/chunk.h"
#include "cuda/exact/entries/exact_types.h"

namespace kauri::cuda {

/// The nodes of a level for split finding; device memory, not owning.
struct DecidedNodes {
  NodeTotals* nodes = nullptr;
  double* floors = nullptr;        ///< SplitTask::floors
  SplitCandidate* best = nullptr;  ///< invalid at first
  std::int32_t* ids = nullptr;     ///< ids in the tree
};

/// The decisions of one tree at a time; buffers are kept from tree to tree. A level takes Decide and, once the moves of
/// its rows are queued, EndLevel.
class DeviceDecisions {
 public:
  explicit DeviceDecisions(int device) : counted_(device) {}

  /// Starts a tree whose root has this sum and may be split.
  void Start(CudaContext const& cuda, GainParam const& gain, FixedSum root);

  /// Returns the number of nodes of the current level.
  std::int32_t NumNodes() const { return n_nodes_.back(); }
  DecidedNodes Nodes() const;

  /// Decides the level from its best splits. is_last: the children are leaves. Asynchronous.
  void Decide(CudaContext const& cuda, GainParam const& gain, std::vector<Chunk> const& chunks, bool is_last);
  /// Results of Decide, in device memory: [n_nodes]; [n_children]; by chunk [n_nodes], the place of the feature or -1.
  NodeMove const* Moves() const { return moves_.data(); }
  std::int32_t const* ParentOfChild() const { return parent_of_child_.data(); }
  std::int32_t const* Winners(std::size_t chunk) const {
    return winners_.data() + chunk * static_cast<std::size_t>(NumNodes());
  }
  /// Makes the next level the current one. Waits for Decide only, not for work that was queued after it.
  void EndLevel();

  /// Returns the best splits of every level's nodes, after the last level has ended. Waits for them.
  std::vector<std::vector<SplitCandidate>> ReadTree(CudaContext const& cuda);

 private:
  /// Nodes of a level. Levels alternate between the two sides.
  struct Side {
    Buffer<NodeTotals> nodes;
    Buffer<double> floors;
    Buffer<std::int32_t> ids;
  };

  std::size_t Level() const { return n_nodes_.size() - 1; }
  /// Reserves memory for n_nodes nodes of a level, whose best splits come after `n_before` others.
  DecidedNodes Reserve(CudaContext const& cuda, std::size_t level, std::size_t n_before, std::size_t n_nodes);

  std::vector<std::int32_t> n_nodes_;  ///< by level
  std::size_t n_before_ = 0;           ///< nodes of the levels before the current one
  std::array<Side, 2> sides_;
  Buffer<SplitCandidate> best_;  ///< best splits of all levels
  Buffer<NodeMove> moves_;
  Buffer<std::int32_t> parent_of_child_;
  Buffer<std::int32_t> winners_;
  Buffer<std::int32_t> counts_;  ///< [kNumCounts]: children of the level; nodes of the tree
  PinnedBuffer<std::int32_t> n_children_;
  Event counted_;
  bool is_last_ = false;
  PinnedBuffer<SplitCandidate> tree_;
};

}  // namespace kauri::cuda
