/// The steps are listed in find_split.h. Bytes per entry: 4 in, a gathered byte, 12 in and 1 out
/// (multireduce); 13 in (multiscan).
#include <cub/block/block_scan.cuh>

#include "cuda/common/launch.h"
#include "cuda/exact/entries/interleaved_tile.cuh"
#include "cuda/exact/entries/warp_tile.cuh"
#include "cuda/exact/split/evaluate_boundary.cuh"
#include "cuda/exact/split/find_split.h"

namespace kauri::cuda {
namespace {

__device__ __forceinline__ float WarpMax(float value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, step));
  return value;
}

/// Returns to lane n the sum of all lanes' pieces of node n.
template <int kNodes, typename Sums>
__device__ __forceinline__ NodePiece SumOfLanes(Sums const& sums) {
  NodePiece mine{};
#pragma unroll
  for (int node = 0; node < kNodes; ++node) {
    NodePiece const own = sums.Get(node);
    NodePiece const all{WarpSum(own.sum), WarpMax(own.last)};
    if (Lane() == node) mine = all;
  }
  return mine;
}

template <int kNodes>
__global__ void __launch_bounds__(32 * kInterleavedWarps<kNodes>)
    MultireduceKernel(SplitTask task, ColumnTiles tiles, std::uint8_t const* node_of_row, InterleavedScratch scratch) {
  ColumnTile const tile = ThisColumnTile(tiles);
  if (tile.tile >= tiles.n_tiles) return;
  LaneEntries entries(tile);
  entries.FindNodes(task.entries.rows, node_of_row, scratch.node_of_entry);
  NodePiece mine;
  if constexpr (kNodes <= kMostHeldNodes) {
    HeldSums<kNodes> sums;
    sums.AddAll(HeldEntries(entries, task.entries));
    mine = SumOfLanes<kNodes>(sums);
  } else {
    __shared__ LaneSums<kNodes> shared[kInterleavedWarps<kNodes>];
    auto& sums = shared[threadIdx.x / 32];
    sums.AddAll(entries, task.entries);
    mine = SumOfLanes<kNodes>(sums);
  }
  std::int32_t const n_nodes = task.table.n_nodes;
  if (Lane() < n_nodes) scratch.pieces[tile.tile * n_nodes + Lane()] = mine;
}

/// One block per feature (blockIdx.x) and node (blockIdx.y).
__global__ void __launch_bounds__(kLongSegmentThreads)
    NodePrefixKernel(ColumnTiles tiles, std::int32_t n_nodes, NodePiece* pieces, NodePiece* totals) {
  using Scan = cub::BlockScan<NodePiece, kLongSegmentThreads>;
  __shared__ typename Scan::TempStorage temp;
  std::int64_t const end = tiles.first_tile[blockIdx.x + 1];
  NodePiece const none{{0, 0}, -INFINITY};
  NodePiece running = none;
  for (std::int64_t base = tiles.first_tile[blockIdx.x]; base < end; base += kLongSegmentThreads) {
    std::int64_t const tile = base + static_cast<int>(threadIdx.x);
    std::int64_t const piece = tile * n_nodes + blockIdx.y;
    NodePiece const own = tile < end ? pieces[piece] : none;
    NodePiece before;
    NodePiece all;
    Scan(temp).ExclusiveScan(own, before, none, JoinPieces(), all);
    if (tile < end) pieces[piece] = JoinPieces()(running, before);
    running = JoinPieces()(running, all);
    __syncthreads();
  }
  if (threadIdx.x == 0) totals[static_cast<std::int64_t>(blockIdx.x) * n_nodes + blockIdx.y] = running;
}

/// Screens that the lanes of a warp look up by node. `needed` is infinite if the node may not use the feature.
template <int kNodes>
struct NodeScreens {
  SegmentScreen screen[kNodes];
};

/// A lane's boundary.
struct LaneBoundary {
  std::int64_t piece;
  std::int32_t node;
  bool passes;  ///< passes the screen; if false the lane only takes part
  Boundary boundary;
};

/// Evaluates the exact formula; rare, so it is kept out of the loop.
__device__ __noinline__ void EvaluateLanes(SplitTask const& task, InterleavedScratch const& scratch,
                                           std::int32_t feature, LaneBoundary const& lane) {
  SegmentCandidate candidate;
  if (lane.passes) {
    std::int64_t const segment = static_cast<std::int64_t>(feature) * task.table.n_nodes + lane.node;
    auto const facts = FactsOf(task, scratch.totals[segment].sum, lane.node, feature);
    ConsiderBoundary(task.param, facts, lane.boundary, FloorOf(task, lane.node), &candidate);
  }
  CommitBest(task, scratch.piece_best, lane.piece, lane.node, candidate);
}

/// A warp's scan along its tile. Sums: LaneSums or HeldSums.
template <int kNodes, typename Sums>
class Multiscan {
 public:
  __device__ Multiscan(SplitTask const& task, InterleavedScratch const& scratch, ColumnTile const& tile, Sums* sums,
                       NodeScreens<kNodes>* screens)
      : task_(task), scratch_(scratch), tile_(tile), sums_(*sums), screens_(*screens), n_nodes_(task.table.n_nodes) {}

  /// Runs with the sums in shared memory, which loads entries twice.
  __device__ void Run() {
    LaneEntries entries(tile_);
    entries.LoadNodes(scratch_.node_of_entry);
    sums_.AddAll(entries, task_.entries);
    LoadScreens();
    StartLanes();
#pragma unroll 1
    for (int quad = 0; quad < kLaneItems / 4; ++quad) Steps(entries.Load(task_.entries, quad));
  }

  /// Runs with the sums in registers, which loads entries once.
  __device__ void RunHeld() {
    LaneEntries entries(tile_);
    entries.LoadNodes(scratch_.node_of_entry);
    HeldEntries held(entries, task_.entries);
    sums_.AddAll(held);
    LoadScreens();
    StartLanes();
#pragma unroll 1
    for (int quad = 0; quad < kLaneItems / 4; ++quad) Steps(held.Take());
  }

 private:
  __device__ __forceinline__ void Steps(Quad const& quad) {
#pragma unroll
    for (int item = 0; item < 4; ++item) {
      Step(quad.HasNode(item), quad.Node(item), quad.pair[item], quad.value[item]);
    }
  }
  __device__ std::int64_t Segment(int node) const { return static_cast<std::int64_t>(tile_.feature) * n_nodes_ + node; }
  __device__ std::int64_t Piece(int node) const { return tile_.tile * n_nodes_ + node; }

  /// Loads the screens, lane n for node n.
  __device__ void LoadScreens() {
    int const node = Lane();
    if (node < n_nodes_) {
      scratch_.piece_best[Piece(node)].state = SegmentCandidate::kNone;
      auto const facts = FactsOf(task_, scratch_.totals[Segment(node)].sum, node, tile_.feature);
      screens_.screen[node] = SegmentScreen(facts, FloorOf(task_, node));
      if (!IsAllowed(task_, node, tile_.feature)) screens_.screen[node].needed = INFINITY;
    }
    __syncwarp();
  }

  __device__ void RefreshScreens() {
    int const node = Lane();
    if (node < n_nodes_ && screens_.screen[node].needed < INFINITY) {
      screens_.screen[node].needed = NeededGain(GainToBeat(task_, node, tile_.feature), FloorOf(task_, node));
    }
    __syncwarp();
  }

  /// Replaces the lanes' own sums by the sums before each lane's entries.
  __device__ void StartLanes() {
    NodePiece const loaded = Lane() < n_nodes_ ? scratch_.pieces[Piece(Lane())] : NodePiece{{0, 0}, -INFINITY};
#pragma unroll
    for (int node = 0; node < kNodes; ++node) {
      NodePiece const own = sums_.Get(node);
      FixedSum const before = FromLane(loaded.sum, node) + (InclusiveScan(own.sum) - own.sum);
      float last = own.last;
#pragma unroll
      for (int step = 1; step < 32; step *= 2) {
        float const other = __shfl_up_sync(kAllLanes, last, static_cast<unsigned>(step));
        if (Lane() >= step) last = fmaxf(last, other);
      }
      float const earlier = __shfl_up_sync(kAllLanes, last, 1);
      float const start = __shfl_sync(kAllLanes, loaded.last, node);
      sums_.Set(node, {before, Lane() == 0 ? start : fmaxf(start, earlier)});
    }
  }

  __device__ __forceinline__ void Step(bool has_node, int node, FixedPair pair, float value) {
    bool passes = false;
    NodePiece before{};
    if (has_node) {
      before = sums_.Get(node);
      auto const& screen = screens_.screen[node];
      if (before.last == -INFINITY) {
        scratch_.smallest[Segment(node)] = value;
      } else if (before.last != value && screen.needed < INFINITY) {
        passes = !task_.screen.usable || screen.MayReach(task_.screen, before.sum);
      }
      sums_.Set(node, {before.sum + FixedSum{pair.gradient, pair.hessian}, value});
    }
    if (__any_sync(kAllLanes, passes)) {
      int const at = passes ? node : 0;
      EvaluateLanes(task_, scratch_, tile_.feature, {Piece(at), at, passes, {before.sum, before.last, value}});
      RefreshScreens();
    }
  }

  SplitTask const& task_;
  InterleavedScratch const& scratch_;
  ColumnTile const& tile_;
  Sums& sums_;
  NodeScreens<kNodes>& screens_;
  std::int32_t n_nodes_;
};

/// Number of blocks per multiprocessor that the registers must allow.
template <int kNodes>
constexpr int kMultiscanBlocks = kNodes <= kMostHeldNodes ? 4 : 6;

template <int kNodes>
__global__ void __launch_bounds__(32 * kInterleavedWarps<kNodes>, kMultiscanBlocks<kNodes>)
    MultiscanKernel(__grid_constant__ SplitTask const task, __grid_constant__ ColumnTiles const tiles,
                    __grid_constant__ InterleavedScratch const scratch) {
  __shared__ NodeScreens<kNodes> screens[kInterleavedWarps<kNodes>];
  ColumnTile const tile = ThisColumnTile(tiles);
  if (tile.tile >= tiles.n_tiles) return;
  int const warp = static_cast<int>(threadIdx.x) / 32;
  if constexpr (kNodes <= kMostHeldNodes) {
    HeldSums<kNodes> sums;
    Multiscan<kNodes, HeldSums<kNodes>>(task, scratch, tile, &sums, &screens[warp]).RunHeld();
  } else {
    __shared__ LaneSums<kNodes> sums[kInterleavedWarps<kNodes>];
    Multiscan<kNodes, LaneSums<kNodes>>(task, scratch, tile, &sums[warp], &screens[warp]).Run();
  }
}

/// One block per feature (blockIdx.x) and node (blockIdx.y).
__global__ void __launch_bounds__(kLongSegmentThreads)
    ReduceNodePiecesKernel(SplitTask task, ColumnTiles tiles, InterleavedScratch scratch) {
  auto const feature = static_cast<std::int32_t>(blockIdx.x);
  auto const node = static_cast<std::int32_t>(blockIdx.y);
  std::int64_t const segment = static_cast<std::int64_t>(feature) * task.table.n_nodes + node;
  SegmentCandidate best;
  for (std::int64_t tile = tiles.first_tile[feature] + threadIdx.x; tile < tiles.first_tile[feature + 1];
       tile += kLongSegmentThreads) {
    best = KeepBetter()(best, scratch.piece_best[tile * task.table.n_nodes + node]);
  }
  best = BlockBest<kLongSegmentThreads>(best);
  if (threadIdx.x != 0) return;
  NodePiece const total = scratch.totals[segment];
  if (total.last != -INFINITY && IsAllowed(task, node, feature)) {
    ConsiderMissingAlone(task.param, FactsOf(task, total.sum, node, feature), scratch.smallest[segment], total.last,
                         FloorOf(task, node), &best);
  }
  scratch.segment_best[segment] = best;
}

template <int kNodes>
void FindWithin(CudaContext const& ctx, SplitTask const& task, ColumnTiles const& tiles,
                std::uint8_t const* node_of_row, InterleavedScratch const& scratch) {
  constexpr int kThreads = 32 * kInterleavedWarps<kNodes>;
  auto const blocks = GridFor(tiles.n_tiles, kInterleavedWarps<kNodes>);
  dim3 const segments(static_cast<unsigned>(tiles.n_features), static_cast<unsigned>(task.table.n_nodes));
  Launch(ctx, blocks, kThreads, MultireduceKernel<kNodes>, task, tiles, node_of_row, scratch);
  LaunchGrid(ctx, segments, kLongSegmentThreads, NodePrefixKernel, tiles, task.table.n_nodes, scratch.pieces,
             scratch.totals);
  Launch(ctx, blocks, kThreads, MultiscanKernel<kNodes>, task, tiles, scratch);
  LaunchGrid(ctx, segments, kLongSegmentThreads, ReduceNodePiecesKernel, task, tiles, scratch);
}

}  // namespace

void FindSplitsInterleaved(CudaContext const& ctx, SplitTask const& task, ColumnTiles const& tiles,
                           std::uint8_t const* node_of_row, InterleavedScratch const& scratch, SplitCandidate* best) {
  auto const find = task.table.n_nodes <= 2    ? FindWithin<2>
                    : task.table.n_nodes <= 4  ? FindWithin<4>
                    : task.table.n_nodes <= 8  ? FindWithin<8>
                    : task.table.n_nodes <= 16 ? FindWithin<16>
                                               : FindWithin<kMostInterleavedNodes>;
  find(ctx, task, tiles, node_of_row, scratch);
  ReduceNodes(ctx, task, scratch.segment_best, task.table.n_nodes, best);
}

}  // namespace kauri::cuda
