/// One thread per row and item (lane_batch.h). An item is a run of leaves of one tree.
/// 1. The thread reads its row's keys of the item's features into its column of shared memory.
/// 2. For each leaf it finds its pattern and adds the pattern's table entries to sums in its column. All threads of a
///    block are at the same leaf, so conditions are broadcast. Lanes diverge only at pairs of patterns.
/// 3. It adds the sums to the row's sums as integers. An item is part of one tree, so its sums have one order, and the
///    order of the items does not matter.
///
/// Floor, cal_housing with 100 trees of depth 8 (23,000 leaves of 4.8 features on average), 10,000 rows: 1.1 * 10^9
/// features of leaves and rows of about 12 lane instructions, 1.3 * 10^10 in all: 0.4 ms at 33 * 10^12 a second on an
/// H100. Tables: 40 bytes at a random place of 2 kB for each leaf and row, 9 GB from the L1 and L2 caches: 2 ms at 5
/// TB/s. leaf_tables.cu makes the tables beforehand.
#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/shap/interventional_lanes.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 128;
/// With more work than this number of blocks, each block takes several turns.
constexpr std::int64_t kMostBlocks = 1 << 20;

struct LaneTask {
  LaneLeaves leaves;
  RowKeys keys;
  InterventionalSums sums;
  std::int64_t n_items;
  std::int64_t n_tiles;
  std::uint32_t most_places;
};

/// Columns of a thread in shared memory.
struct DeviceLeafLane {
  double* sums;
  std::int32_t* keys;

  __device__ std::int32_t Key(std::uint32_t place) const { return keys[place * kThreads]; }
  __device__ void Add(std::uint32_t place, double value) const { sums[place * kThreads] += value; }
  __device__ static std::uint32_t CountBits(std::uint64_t bits) {
    return static_cast<std::uint32_t>(__popcll(static_cast<unsigned long long>(bits)));  // the type that it takes
  }
};

__device__ void AddItem(LaneTask const& task, LaneItem const& item, std::int64_t row, DeviceLeafLane lane) {
  std::uint32_t const* slots = task.leaves.slot_of_place + item.first_place;
  for (std::uint32_t place = 0; place < item.n_places; ++place) {
    lane.sums[place * kThreads] = 0.0;
    lane.keys[place * kThreads] = task.keys.keys[row * task.keys.row_stride + slots[place] * task.keys.slot_stride];
  }
  LeafLane<DeviceLeafLane> adder(task.leaves, &lane);
  for (std::uint32_t leaf = item.leaf_begin; leaf < item.leaf_end; ++leaf) adder.AddLeaf(task.leaves.leaves[leaf]);
  for (std::uint32_t place = 0; place < item.n_places; ++place) {
    std::int64_t const cell = item.output * task.sums.n_slots + slots[place];
    auto const value = __double2ll_rn(lane.sums[place * kThreads] * task.sums.scale);
    atomicAdd(task.sums.sums + cell * task.sums.n_rows + row, static_cast<unsigned long long>(value));
  }
}

/// A thread reads only what it wrote itself, so there are no barriers.
__global__ void __launch_bounds__(kThreads) InterventionalKernel(__grid_constant__ LaneTask const task) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* const sums = reinterpret_cast<double*>(memory);
  auto* const keys = reinterpret_cast<std::int32_t*>(sums + task.most_places * kThreads);
  for (std::int64_t work = blockIdx.x; work < task.n_items * task.n_tiles; work += gridDim.x) {
    std::int64_t const row = work % task.n_tiles * kThreads + threadIdx.x;
    if (row >= task.sums.n_rows) continue;
    AddItem(task, task.leaves.items[work / task.n_tiles], row, {sums + threadIdx.x, keys + threadIdx.x});
  }
}

__global__ void SumsToValuesKernel(InterventionalSums sums, std::int64_t n_values, double* values) {
  std::int64_t const index = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (index < n_values) values[index] = static_cast<double>(static_cast<long long>(sums.sums[index])) / sums.scale;
}

}  // namespace

void AddLanes(CudaContext const& cuda, LaneWork const& work, RowKeys const& keys, InterventionalSums const& sums) {
  LaneTask const task{work.leaves, keys, sums, work.n_items, (sums.n_rows + kThreads - 1) / kThreads, work.most_places};
  auto const n_blocks = std::min(task.n_items * task.n_tiles, kMostBlocks);
  LaunchShared(cuda, static_cast<unsigned>(n_blocks), kThreads,
               work.most_places * kThreads * (sizeof(double) + sizeof(std::int32_t)), InterventionalKernel, task);
}

DeviceLanes::DeviceLanes(CudaContext const& cuda, LaneBatch const& batch)
    : n_items_(static_cast<std::int64_t>(batch.items.size())),
      most_places_(batch.most_places),
      items_(ToDevice(cuda, batch.items)),
      leaves_(ToDevice(cuda, batch.leaves)),
      features_(ToDevice(cuda, batch.features)),
      slot_of_place_(ToDevice(cuda, batch.slot_of_place)) {}

LaneWork DeviceLanes::Work() const {
  LaneWork work{};
  work.leaves.items = items_.data();
  work.leaves.leaves = leaves_.data();
  work.leaves.features = features_.data();
  work.leaves.slot_of_place = slot_of_place_.data();
  work.n_items = n_items_;
  work.most_places = most_places_;
  return work;
}

CategoriesOnDevice::CategoriesOnDevice(CudaContext const& cuda, PathCategories const& categories)
    : conditions_(ToDevice(cuda, categories.Conditions())),
      sets_(ToDevice(cuda, categories.Sets().Sets())),
      set_data_(ToDevice(cuda, categories.Sets().Data())) {}

DeviceLaneBatch::DeviceLaneBatch(CudaContext const& cuda, Forest const& forest, BackgroundBatches const& batch)
    : DeviceLaneBatch(cuda, MakeLaneBatch(forest, batch), batch) {}

DeviceLaneBatch::DeviceLaneBatch(CudaContext const& cuda, LaneBatch const& lanes, BackgroundBatches const& batch)
    : lanes_(cuda, lanes),
      weights_size_(batch.Weights().Size()),
      patterns_(ToDevice(cuda, lanes.patterns)),
      tables_(cuda, ToSize(lanes.table_size)),
      weights_(ToDevice(cuda, batch.Weights().All())),
      categories_(cuda, batch.AllCategories()) {
  for (auto const& tree : lanes.trees) {
    CopyToDevice(cuda, batch.Tree(tree.tree).tables.Data(), ToSize(tree.table_end - tree.table_begin),
                 tables_.data() + tree.table_begin);
  }
  cuda.Synchronize();  // for the host's arrays, which the next batch reuses
}

void DeviceLaneBatch::Add(CudaContext const& cuda, RowKeys const& keys, InterventionalSums const& sums) const {
  auto work = lanes_.Work();
  work.leaves.tables = tables_.data();
  work.leaves.patterns = patterns_.data();
  work.leaves.weights = weights_.data();
  work.leaves.weights_size = weights_size_;
  work.leaves.categories = categories_.View();
  AddLanes(cuda, work, keys, sums);
}

void SumsToValues(CudaContext const& cuda, InterventionalSums const& sums, std::int64_t n_values, double* values) {
  Launch(cuda, GridFor(n_values, kThreads), kThreads, SumsToValuesKernel, sums, n_values, values);
}

}  // namespace kauri::cuda
