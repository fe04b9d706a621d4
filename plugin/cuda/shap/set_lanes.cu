/// 1. A block takes one tree and 64 rows, one per thread. All rows go through the same steps, so no warp diverges.
/// 2. The numbers of the open levels are in shared memory, [place, thread], without bank conflicts; if a row has too
///    many, in device memory.
/// 3. Every term is rounded to units and added to the row's sum of its set. The rows of a sum are neighbours, so each
///    addition of a warp takes 256 consecutive bytes. Integers have the same sum in any order.
/// 4. The values of 32 rows and 32 sets are transposed in shared memory, because the rows of a set and the entries of a
///    row are contiguous.
///
/// Floor, 100 full trees of depth 6, order 3, 3 points: 10,000 operations of doubles for each row and tree
/// (interaction_kernel.h), of which a multiprocessor of an H200 begins 64 a cycle: 10^12 for a million rows, 0.07 s.
/// 765 additions of 8 bytes for each row and tree: 0.6 TB, 0.25 s at 2.5 TB/s of the L2 cache. Results of 1,320 sets:
/// 5.3 GB, 0.1 s of the bus beside it.
#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/shap/set_lanes.h"

namespace kauri::cuda {
namespace {

constexpr int kSetThreads = 64;
constexpr int kSetTile = 32;  ///< rows and entries of a block that writes
/// With more work than this number of blocks, each block takes several turns.
constexpr std::int64_t kMostSetBlocks = 1 << 20;
/// Blocks whose rows have their numbers in device memory, and the memory for them.
constexpr std::int64_t kMostDeepBlocks = 1024;
constexpr std::int64_t kDeepSetBytes = 256 << 20;

struct SetLaneTask {
  InteractionTreeView const* views;
  DeviceSets::Trees trees;
  std::int64_t n_tiles;
  RowKeys keys;
  CategoryConditionsView categories;
  SetSums sums;
  double* deep;  ///< [blocks, most_places, kSetThreads], or nullptr
};

/// A row, and its column of the block's memory.
struct DeviceSetLane {
  SetLaneTask const& task;
  std::int64_t row;
  double* memory;

  KAURI_HD double Load(std::int32_t place) const { return memory[place * kSetThreads]; }
  KAURI_HD void Store(std::int32_t place, double value) const { memory[place * kSetThreads] = value; }
  KAURI_HD std::int32_t Key(std::uint32_t slot) const {
    return task.keys.keys[row * task.keys.row_stride + slot * task.keys.slot_stride];
  }
  KAURI_HD CategoryConditionsView const& Categories() const { return task.categories; }
  KAURI_HD void Add([[maybe_unused]] std::uint32_t set, [[maybe_unused]] double value) const {
#if defined(__CUDA_ARCH__)
    atomicAdd(task.sums.sums + set * task.sums.n_rows + row, static_cast<unsigned long long>(RoundTerm(value)));
#endif
  }
};

template <bool kDeep>
__global__ void __launch_bounds__(kSetThreads) SetLaneKernel(__grid_constant__ SetLaneTask const task) {
  extern __shared__ __align__(16) double shared_places[];
  double* const memory =
      (kDeep ? task.deep + static_cast<std::int64_t>(blockIdx.x) * task.trees.most_places * kSetThreads
             : shared_places) +
      threadIdx.x;
  for (std::int64_t work = blockIdx.x; work < task.trees.size * task.n_tiles; work += gridDim.x) {
    std::int64_t const row = work % task.n_tiles * kSetThreads + threadIdx.x;
    if (row >= task.keys.n_rows) continue;
    InteractionTreeView const tree = task.views[task.trees.numbers[work / task.n_tiles]];
    DeviceSetLane lane{task, row, memory};
    InteractionLane<DeviceSetLane>(tree, task.sums.scale, &lane).Walk();
  }
}

__device__ double ReadSetSum(SetSums const& sums, std::int64_t row, std::int64_t set) {
  return static_cast<double>(static_cast<long long>(sums.sums[set * sums.n_rows + row])) / sums.scale;
}

/// Returns a set's value, with the additions of SetShares::Apply in their order.
__device__ double SetValueOf(SetSums const& sums, SetValues const& values, std::int64_t row, std::uint32_t set) {
  double value = ReadSetSum(sums, row, set);
  if (values.share_begin == nullptr) return value;
  for (std::int64_t i = values.share_begin[set]; i < values.share_begin[set + 1]; ++i) {
    value = value + values.shares[i].share * ReadSetSum(sums, row, values.shares[i].superset);
  }
  return value;
}

__global__ void __launch_bounds__(kBlockThreads)
    WriteSetsKernel(SetSums sums, SetValues values, std::int64_t n_row_tiles) {
  __shared__ float tile[kSetTile][kSetTile + 1];
  std::int64_t const first_row = blockIdx.x % n_row_tiles * kSetTile;
  std::int64_t const first_entry = blockIdx.x / n_row_tiles * kSetTile;
  int const lane = static_cast<int>(threadIdx.x) % kSetTile;
  for (int line = static_cast<int>(threadIdx.x) / kSetTile; line < kSetTile; line += kBlockThreads / kSetTile) {
    if (first_row + lane < sums.n_rows && first_entry + line < values.n_sets) {
      std::uint32_t const set = values.sets[first_entry + line];
      tile[line][lane] = static_cast<float>(SetValueOf(sums, values, first_row + lane, set));
    }
  }
  __syncthreads();
  for (int line = static_cast<int>(threadIdx.x) / kSetTile; line < kSetTile; line += kBlockThreads / kSetTile) {
    if (first_row + line < sums.n_rows && first_entry + lane < values.n_sets) {
      values.out[(first_row + line) * values.row_floats + first_entry + lane] = tile[lane][line];
    }
  }
}

/// Where a tree's part of each array begins.
struct SetOffsets {
  std::size_t steps = 0;
  std::size_t edges = 0;
  std::size_t splits = 0;
  std::size_t levels = 0;
  std::size_t sets = 0;
  std::size_t constants = 0;
  std::size_t cold_gains = 0;
};

template <typename T>
void AppendTo(std::vector<T> const& part, std::vector<T>* all) {
  all->insert(all->end(), part.begin(), part.end());
}

/// Arrays of all trees on the host, on their way to the device.
struct SetArrays {
  std::vector<InteractionStep> steps;
  std::vector<InteractionEdge> edges;
  std::vector<InteractionSplit> splits;
  std::vector<std::uint32_t> levels;
  std::vector<std::uint32_t> sets;
  std::vector<double> constants;
  std::vector<double> cold_gains;
  std::vector<double> weights;
  std::vector<SetOffsets> of_tree;
  std::vector<std::size_t> weights_of_rule;  ///< by n_features

  explicit SetArrays(InteractionForest const& forest) {
    for (auto const& rule : forest.rules) {
      weights_of_rule.push_back(weights.size());
      AppendTo(WeightsOfLanes(rule), &weights);
    }
    for (auto const& tree : forest.trees) {
      of_tree.push_back(
          {steps.size(), edges.size(), splits.size(), levels.size(), sets.size(), constants.size(), cold_gains.size()});
      AppendTo(tree.steps, &steps);
      AppendTo(tree.edges, &edges);
      AppendTo(tree.splits, &splits);
      AppendTo(tree.levels, &levels);
      AppendTo(tree.sets, &sets);
      AppendTo(tree.constants, &constants);
      AppendTo(tree.cold_gain, &cold_gains);
    }
  }
};

}  // namespace

DeviceSets::DeviceSets(CudaContext const& cuda, InteractionForest const& forest) {
  SetArrays const arrays(forest);
  steps_ = ToDevice(cuda, arrays.steps);
  edges_ = ToDevice(cuda, arrays.edges);
  splits_ = ToDevice(cuda, arrays.splits);
  levels_ = ToDevice(cuda, arrays.levels);
  sets_ = ToDevice(cuda, arrays.sets);
  constants_ = ToDevice(cuda, arrays.constants);
  cold_gains_ = ToDevice(cuda, arrays.cold_gains);
  weights_ = ToDevice(cuda, arrays.weights);
  conditions_ = ToDevice(cuda, forest.categories.Conditions());
  category_sets_ = ToDevice(cuda, forest.categories.Sets().Sets());
  category_data_ = ToDevice(cuda, forest.categories.Sets().Data());
  std::vector<InteractionTreeView> views;
  for (std::size_t tree = 0; tree < forest.trees.size(); ++tree) {
    auto const& from = arrays.of_tree[tree];
    auto view = ViewOfTree(forest, static_cast<std::int64_t>(tree));
    view.steps = steps_.data() + from.steps;
    view.edges = edges_.data() + from.edges;
    view.splits = splits_.data() + from.splits;
    view.levels = levels_.data() + from.levels;
    view.sets = sets_.data() + from.sets;
    view.constants = constants_.data() + from.constants;
    view.cold_gain = cold_gains_.data() + from.cold_gains;
    view.weights = weights_.data() + arrays.weights_of_rule[ToSize(forest.trees[tree].n_features)];
    places_.push_back(view.NumPlaces());
    views.push_back(view);
  }
  views_ = ToDevice(cuda, views);
  cuda.Synchronize();  // for the host's arrays; other streams read the copies
}

void DeviceSets::Add(CudaContext const& cuda, RowKeys const& keys, Trees const& trees, SetSums const& sums) const {
  SetLaneTask task{};
  task.views = views_.data();
  task.trees = trees;
  task.n_tiles = (keys.n_rows + kSetThreads - 1) / kSetThreads;
  task.keys = keys;
  task.categories = {conditions_.data(), {category_sets_.data(), category_data_.data()}};
  task.sums = sums;
  auto const n_work = trees.size * task.n_tiles;
  auto const bytes = std::int64_t{trees.most_places} * kSetThreads * static_cast<std::int64_t>(sizeof(double));
  auto const most_shared =
      static_cast<std::int64_t>(MostShared(cuda, reinterpret_cast<void const*>(&SetLaneKernel<false>)));
  if (bytes <= most_shared / 2) {  // two blocks on a multiprocessor
    auto const n_blocks = static_cast<unsigned>(std::min(n_work, kMostSetBlocks));
    return LaunchShared(cuda, n_blocks, kSetThreads, static_cast<std::size_t>(bytes), &SetLaneKernel<false>, task);
  }
  auto const n_blocks = std::min({n_work, kMostDeepBlocks, std::max<std::int64_t>(1, kDeepSetBytes / bytes)});
  Buffer<double> const deep(cuda, ToSize(n_blocks * bytes / static_cast<std::int64_t>(sizeof(double))));
  task.deep = deep.data();
  Launch(cuda, static_cast<unsigned>(n_blocks), kSetThreads, &SetLaneKernel<true>, task);
}

void WriteSetValues(CudaContext const& cuda, SetSums const& sums, SetValues const& values) {
  auto const n_row_tiles = (sums.n_rows + kSetTile - 1) / kSetTile;
  auto const n_tiles = n_row_tiles * ((values.n_sets + kSetTile - 1) / kSetTile);
  Launch(cuda, static_cast<unsigned>(n_tiles), kBlockThreads, &WriteSetsKernel, sums, values, n_row_tiles);
}

}  // namespace kauri::cuda
