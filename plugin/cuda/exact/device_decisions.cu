/// One block decides a level. A thread takes a node; with many nodes the block takes several turns:
///   1. A thread checks whether its node's best split reduces the loss and which of the children may be split again.
///   2. Scans over the block number the children as leaves of the tree, and the children that may be split also as
///      nodes of the next level. The order is the host's: by parent, left before right.
///   3. The thread writes the move of the node's rows, and the children's sums and gains.
///
/// Floor: a launch of about 5 us a level, the cost of one block, queued after split finding. Decisions on the host take
/// a copy, a wait, the decisions themselves and two copies back, about 25 us in which the device is idle.
#include <cub/block/block_scan.cuh>
#include <utility>

#include "cuda/common/launch.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/exact/device_decisions.h"
#include "tree/split_rules.h"

namespace kauri::cuda {
namespace {

/// Indices into the buffer counts_.
enum Count : std::uint8_t { kChildren, kTreeNodes, kNumCounts };

struct ChunkFeatures {
  std::int32_t const* ids;  ///< [n], ascending
  std::int32_t n;
};

struct DecisionTask {
  GainParam gain;
  bool is_last;
  std::int32_t n_nodes;
  std::int32_t n_chunks;
  ChunkFeatures chunks[kMostChunks];
  SplitCandidate const* best;
  std::int32_t const* ids;
  DecidedNodes next;
  NodeMove* moves;
  std::int32_t* parent_of_child;
  std::int32_t* winners;  ///< [n_chunks, n_nodes]
  std::int32_t* counts;   ///< [kNumCounts]
};

/// The decisions about a node and its children.
struct Fate {
  bool splits = false;
  bool left_goes_on = false;
  bool right_goes_on = false;
};

__device__ Fate FateOf(DecisionTask const& task, std::int32_t node) {
  SplitCandidate const& split = task.best[node];
  if (!ReducesLoss(split)) return {};
  if (task.is_last) return {true, false, false};
  return {true, IsEnoughForTwo(split.left, task.gain), IsEnoughForTwo(split.right, task.gain)};
}

__device__ void AddNode(GainParam const& gain, FixedSum sum, std::int32_t id, std::int32_t place,
                        DecidedNodes const& nodes) {
  WeightBounds const free;
  nodes.nodes[place] = {sum, NodeGain(sum, gain, free), free};
  nodes.floors[place] = kMinLossChange / 2.0;  // the same value as in LevelEntries
  nodes.best[place] = SplitCandidate();
  nodes.ids[place] = id;
}

/// Returns the place of the feature among the chunk's features, or -1.
__device__ std::int32_t PlaceOf(ChunkFeatures const& features, std::int32_t feature) {
  std::int32_t low = 0;
  for (std::int32_t high = features.n; low < high;) {
    std::int32_t const middle = (low + high) / 2;
    features.ids[middle] < feature ? low = middle + 1 : high = middle;
  }
  return low < features.n && features.ids[low] == feature ? low : -1;
}

/// first_id, first_child: ids of the node's first child in the tree and in the next level.
__device__ void MoveNode(DecisionTask const& task, std::int32_t node, Fate const& fate, std::int32_t first_id,
                         std::int32_t first_child) {
  NodeMove move;
  move.left = move.right = ~task.ids[node];
  if (fate.splits) {
    SplitCandidate const split = task.best[node];
    move.feature = static_cast<std::int32_t>(split.feature);
    move.threshold = split.threshold;
    move.default_left = split.default_left ? 1 : 0;
    move.left = fate.left_goes_on ? first_child : ~first_id;
    std::int32_t const second_child = first_child + (fate.left_goes_on ? 1 : 0);
    move.right = fate.right_goes_on ? second_child : ~(first_id + 1);
    if (fate.left_goes_on) {
      AddNode(task.gain, split.left, first_id, move.left, task.next);
      task.parent_of_child[move.left] = 2 * node;
    }
    if (fate.right_goes_on) {
      AddNode(task.gain, split.right, first_id + 1, move.right, task.next);
      task.parent_of_child[move.right] = 2 * node + 1;
    }
  }
  task.moves[node] = move;
  for (std::int32_t chunk = 0; chunk < task.n_chunks; ++chunk) {
    task.winners[static_cast<std::int64_t>(chunk) * task.n_nodes + node] = PlaceOf(task.chunks[chunk], move.feature);
  }
}

__global__ void __launch_bounds__(kBlockThreads) DecideKernel(__grid_constant__ DecisionTask const task) {
  using Scan = cub::BlockScan<std::int32_t, kBlockThreads>;
  __shared__ typename Scan::TempStorage splits_storage;
  __shared__ typename Scan::TempStorage children_storage;
  std::int32_t n_tree = task.counts[kTreeNodes];
  std::int32_t n_children = 0;
  for (std::int32_t first = 0; first < task.n_nodes; first += kBlockThreads) {
    std::int32_t const node = first + static_cast<std::int32_t>(threadIdx.x);
    Fate const fate = node < task.n_nodes ? FateOf(task, node) : Fate();
    std::int32_t splits_before = 0;
    std::int32_t n_splits = 0;
    Scan(splits_storage).ExclusiveSum(fate.splits ? 1 : 0, splits_before, n_splits);
    std::int32_t children_before = 0;
    std::int32_t n_going_on = 0;
    Scan(children_storage)
        .ExclusiveSum((fate.left_goes_on ? 1 : 0) + (fate.right_goes_on ? 1 : 0), children_before, n_going_on);
    if (node < task.n_nodes) MoveNode(task, node, fate, n_tree + 2 * splits_before, n_children + children_before);
    n_tree += 2 * n_splits;
    n_children += n_going_on;
    __syncthreads();  // the next turn writes to the storage
  }
  if (threadIdx.x == 0) {
    task.counts[kChildren] = n_children;
    task.counts[kTreeNodes] = n_tree;
  }
}

__global__ void StartKernel(GainParam gain, FixedSum root, DecidedNodes nodes, std::int32_t* counts) {
  AddNode(gain, root, 0, 0, nodes);
  counts[kTreeNodes] = 1;
}

}  // namespace

DecidedNodes DeviceDecisions::Reserve(CudaContext const& cuda, std::size_t level, std::size_t n_before,
                                      std::size_t n_nodes) {
  if (n_before + n_nodes > best_.size()) {
    Buffer<SplitCandidate> larger(cuda, 2 * (n_before + n_nodes));
    CopyOnDevice(cuda, best_.data(), n_before, larger.data());
    best_ = std::move(larger);
  }
  auto& side = sides_[level % 2];
  side.nodes.Reserve(cuda, n_nodes);
  side.floors.Reserve(cuda, n_nodes);
  side.ids.Reserve(cuda, n_nodes);
  return {side.nodes.data(), side.floors.data(), best_.data() + n_before, side.ids.data()};
}

void DeviceDecisions::Start(CudaContext const& cuda, GainParam const& gain, FixedSum root) {
  n_nodes_.assign(1, 1);
  n_before_ = 0;
  counts_.Reserve(cuda, kNumCounts);
  n_children_.Reserve(1);
  Launch(cuda, 1, 1, StartKernel, gain, root, Reserve(cuda, 0, 0, 1), counts_.data());
}

DecidedNodes DeviceDecisions::Nodes() const {
  auto const& side = sides_[Level() % 2];
  return {side.nodes.data(), side.floors.data(), best_.data() + n_before_, side.ids.data()};
}

void DeviceDecisions::Decide(CudaContext const& cuda, GainParam const& gain, std::vector<Chunk> const& chunks,
                             bool is_last) {
  auto const n_nodes = static_cast<std::size_t>(NumNodes());
  moves_.Reserve(cuda, n_nodes);
  parent_of_child_.Reserve(cuda, 2 * n_nodes);
  winners_.Reserve(cuda, chunks.size() * n_nodes);
  DecisionTask task{};
  task.gain = gain;
  task.is_last = is_last;
  task.n_nodes = NumNodes();
  for (auto const& chunk : chunks) {
    task.chunks[task.n_chunks++] = {chunk.feature_ids.data(), static_cast<std::int32_t>(chunk.features.size())};
  }
  if (!is_last) task.next = Reserve(cuda, Level() + 1, n_before_ + n_nodes, 2 * n_nodes);
  auto const own = Nodes();  // after Reserve, which may move them
  task.best = own.best;
  task.ids = own.ids;
  task.moves = moves_.data();
  task.parent_of_child = parent_of_child_.data();
  task.winners = winners_.data();
  task.counts = counts_.data();
  Launch(cuda, 1, kBlockThreads, DecideKernel, task);
  is_last_ = is_last;
  if (is_last) return;
  CopyToHost(cuda, counts_.data() + kChildren, 1, n_children_.data());
  counted_.Record(cuda);
}

void DeviceDecisions::EndLevel() {
  if (!is_last_) counted_.Wait();  // the one wait of the level, for the number of nodes of the next level
  n_before_ += static_cast<std::size_t>(NumNodes());
  n_nodes_.push_back(is_last_ ? 0 : *n_children_.data());
}

std::vector<std::vector<SplitCandidate>> DeviceDecisions::ReadTree(CudaContext const& cuda) {
  ReserveMore(n_before_, &tree_);
  CopyToHost(cuda, best_.data(), n_before_, tree_.data());
  cuda.Synchronize();  // for the splits
  std::vector<std::vector<SplitCandidate>> levels;
  auto const* from = tree_.data();
  for (std::size_t level = 0; level < Level(); from += n_nodes_[level++])
    levels.emplace_back(from, from + n_nodes_[level]);
  return levels;
}

}  // namespace kauri::cuda
