/// One thread per row and item (lane_batch.h). An item is a run of leaves of one tree.
/// 1. The thread reads its row's keys of the item's features into its column of shared memory.
/// 2. For each leaf it finds its pattern and adds the pattern's table entries to sums in registers, by position and by
///    pair of positions. All threads of a block are at the same leaf, so conditions are broadcast. Lanes diverge only
///    at pairs of patterns.
/// 3. When the next leaf has another feature at a position, the position's sums are added to the row's sums in device
///    memory. A block has consecutive rows, so each addition of a warp takes 256 consecutive bytes. Sums are integers,
///    so the order of additions does not matter.
///
/// Floor, cal_housing with 100 trees of depth 8 (23,000 leaves of 4.8 features on average), 10,000 rows: 1.1 * 10^9
/// features of leaves and rows of about 12 lane instructions, 1.3 * 10^10 in all: 0.4 ms at 33 * 10^12 a second on an
/// H100. Tables: 40 bytes at a random place of 2 kB for each leaf and row, 9 GB from the L1 and L2 caches: 2 ms at 5
/// TB/s. leaf_tables.cu makes the tables beforehand.
///
/// Floor, 3 million rows, 127 features, 100 trees of depth 6 (6,400 leaves of 6 features): 1.9 * 10^10 leaves and rows.
///   Conditions: 1.2 * 10^11 of about 12 lane instructions, 45 ms.
///   Values: 64 bytes of tables each, 1.2 TB from the caches: 0.25 s at 5 TB/s. 63 additions of 8 bytes for each row
///   and tree, 0.15 TB: 0.06 s at 2.5 TB/s. Pairs, in addition: 128 bytes of tables each, 2.5 TB: 0.5 s. 258 additions
///   for each row and tree, 0.6 TB: 0.25 s, and at most 1.2 TB of device memory behind them, at the same time: 0.25 s
///   at 4.8 TB/s. Matrices of 128 * 128 floats of all rows: 0.2 TB to write, 0.2 TB to clear, 0.4 TB of sums to read:
///   0.2 s.
#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/shap/interventional_lanes.h"
#include "cuda/shap/shap_sums.cuh"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 128;
/// With more work than this number of blocks, each block takes several turns.
constexpr std::int64_t kMostBlocks = 1 << 20;

struct LaneTask {
  LaneLeaves leaves;
  RowKeys keys;
  ShapSumsView sums;
  std::int64_t n_items;
  std::int64_t n_tiles;
};

/// A row, and its column of keys in shared memory.
struct DeviceLeafLane {
  ShapSumsView const& sums;
  std::int64_t row;
  std::int32_t const* keys;

  __device__ std::int32_t Key(std::uint32_t place) const { return keys[place * kThreads]; }
  __device__ void Add(std::int64_t cell, std::int64_t units) const {
    atomicAdd(SumAt(sums, row, cell), static_cast<unsigned long long>(units));
  }
  __device__ static std::uint32_t CountBits(std::uint64_t bits) {
    return static_cast<std::uint32_t>(__popcll(static_cast<unsigned long long>(bits)));  // the type that it takes
  }
};

/// A thread reads only what it wrote itself, so there are no barriers.
template <std::uint32_t kWidth, bool kPairs>
__global__ void __launch_bounds__(kThreads) InterventionalKernel(__grid_constant__ LaneTask const task) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* const keys = reinterpret_cast<std::int32_t*>(memory) + threadIdx.x;
  for (std::int64_t work = blockIdx.x; work < task.n_items * task.n_tiles; work += gridDim.x) {
    std::int64_t const row = work % task.n_tiles * kThreads + threadIdx.x;
    if (row >= task.keys.n_rows) continue;
    LaneItem const item = task.leaves.items[work / task.n_tiles];
    std::uint32_t const* slots = task.leaves.slot_of_place + item.first_place;
    for (std::uint32_t place = 0; place < item.n_places; ++place) {
      keys[place * kThreads] = task.keys.keys[row * task.keys.row_stride + slots[place] * task.keys.slot_stride];
    }
    DeviceLeafLane lane{task.sums, row, keys};
    LeafLane<DeviceLeafLane, kWidth, kPairs> adder(task.leaves, item, &lane);
    for (std::uint32_t leaf = item.leaf_begin; leaf < item.leaf_end; ++leaf) adder.AddLeaf(task.leaves.leaves[leaf]);
  }
}

template <bool kPairs>
auto KernelOf(std::uint32_t most_features) {
  if (most_features <= 4) return &InterventionalKernel<4, kPairs>;
  if (most_features <= 6) return &InterventionalKernel<6, kPairs>;
  if (most_features <= kMostValueFeatures) return &InterventionalKernel<kMostValueFeatures, kPairs>;
  return &InterventionalKernel<kMostPartFeatures, kPairs>;
}

}  // namespace

void AddLanes(CudaContext const& cuda, LaneWork const& work, RowKeys const& keys, ShapSumsView const& sums) {
  LaneTask task{work.leaves, keys, sums, work.n_items, (keys.n_rows + kThreads - 1) / kThreads};
  task.leaves.n_slots = sums.cells.n_slots;
  auto const n_blocks = std::min(task.n_items * task.n_tiles, kMostBlocks);
  auto* const kernel =
      sums.cells.n_pairs > 0 ? KernelOf<true>(work.most_features) : KernelOf<false>(work.most_features);
  LaunchShared(cuda, static_cast<unsigned>(n_blocks), kThreads, work.most_places * kThreads * sizeof(std::int32_t),
               kernel, task);
}

DeviceLanes::DeviceLanes(CudaContext const& cuda, LaneBatch const& batch)
    : n_items_(static_cast<std::int64_t>(batch.items.size())),
      most_places_(batch.most_places),
      most_features_(batch.most_features),
      items_(ToDevice(cuda, batch.items)),
      leaves_(ToDevice(cuda, batch.leaves)),
      features_(ToDevice(cuda, batch.features)),
      slot_of_place_(ToDevice(cuda, batch.slot_of_place)),
      pair_cells_(ToDevice(cuda, batch.pair_cells)) {}

LaneWork DeviceLanes::Work() const {
  LaneWork work{};
  work.leaves.items = items_.data();
  work.leaves.leaves = leaves_.data();
  work.leaves.features = features_.data();
  work.leaves.slot_of_place = slot_of_place_.data();
  work.leaves.pair_cells = pair_cells_.data();
  work.n_items = n_items_;
  work.most_places = most_places_;
  work.most_features = most_features_;
  return work;
}

CategoriesOnDevice::CategoriesOnDevice(CudaContext const& cuda, PathCategories const& categories)
    : conditions_(ToDevice(cuda, categories.Conditions())),
      sets_(ToDevice(cuda, categories.Sets().Sets())),
      set_data_(ToDevice(cuda, categories.Sets().Data())) {}

DeviceLaneBatch::DeviceLaneBatch(CudaContext const& cuda, Forest const& forest, BackgroundBatches const& batch,
                                 PathPairs const* pairs)
    : DeviceLaneBatch(cuda, MakeLaneBatch(forest, batch, pairs), batch) {}

DeviceLaneBatch::DeviceLaneBatch(CudaContext const& cuda, LaneBatch const& lanes, BackgroundBatches const& batch)
    : lanes_(cuda, lanes),
      patterns_(ToDevice(cuda, lanes.patterns)),
      tables_(cuda, ToSize(lanes.table_size)),
      pair_tables_(cuda, ToSize(lanes.pair_table_size)),
      weights_(ToDevice(cuda, batch.AllWeights())),
      weights_view_(batch.Weights()),
      categories_(cuda, batch.AllCategories()) {
  weights_view_.weights = weights_.data();
  for (auto const& tree : lanes.trees) {
    auto const& made = batch.Tree(tree.tree);
    CopyToDevice(cuda, made.tables.Data(), ToSize(tree.table_end - tree.table_begin),
                 tables_.data() + tree.table_begin);
    CopyToDevice(cuda, made.pair_tables.Data(), ToSize(tree.pair_end - tree.pair_begin),
                 pair_tables_.data() + tree.pair_begin);
  }
  cuda.Synchronize();  // for the host's arrays, which the next batch reuses
}

void DeviceLaneBatch::Add(CudaContext const& cuda, RowKeys const& keys, ShapSumsView const& sums) const {
  auto work = lanes_.Work();
  work.leaves.tables = tables_.data();
  work.leaves.pair_tables = pair_tables_.data();
  work.leaves.patterns = patterns_.data();
  work.leaves.weights = weights_view_;
  work.leaves.categories = categories_.View();
  AddLanes(cuda, work, keys, sums);
}

}  // namespace kauri::cuda
