/// 1. A block takes 128 rows, one per thread, and some consecutive trees of one output (512 nodes, or 128 for pairs).
///    All rows go through all splits, so a warp never diverges (shap_lane.h).
/// 2. Contributions are summed in float32 in shared memory over those trees only, in the order of splits. They are then
///    added to the rows' sums as integers: in any order, with the same bits.
/// 3. Paths of more than 16 features take more points than a thread has registers for. Each pass over the trees handles
///    its own points, because points only meet in the sum.
///
/// Floor, covtype with 1000 rounds of depth 16 (6.6 million splits), 10,000 rows, 8 points: 75 lane instructions per
/// split and row (shap_lane.h), 5 * 10^12 in all: 0.15 s at one instruction per scheduler and cycle (33 * 10^12 a
/// second on an H100). Shared memory: 2 accesses of 4 bytes per split for the contribution, and 4 to 5 of 8 floats for
/// the 28 % of the splits that need the stack: 13 wavefronts of a warp per split, 0.12 s beside the arithmetic. Device
/// memory: 65 bytes a split for each tile of 128 rows, 79 of them: 34 GB, 10 ms. XGBoost 3.4.1: about 25 s.
///
/// Memory: a stack of 20 levels of 8 points and 44 contributions take 100 kB of shared memory for 128 rows. That allows
/// two blocks on a multiprocessor and two warps on a scheduler, which wait for loads 3 of 5.5 cycles. Seldom used
/// levels are therefore in local memory (PlanMemory) and four blocks fit: 34 -> 23 ms for 10,000 rows on covtype, 33 ->
/// 26 ms on adult with 6 points. The 300 places of a batch of Fashion-MNIST get no cells: 17 -> 11 ms.
///
/// Counted on an H100: 120 lane instructions per leaf and row at 4 points and 181 at 6, while the floor has 52 and 62.
/// By the disassembly, the rest are moves of the node that was read ahead, addresses, and both predicated halves of the
/// work at a repeated feature. They run at 73 % and 65 % of the issue slots, and at 42 % and more with 8 points on
/// covtype. Reading the data of a repeated feature one node ahead gained 4 % at 8 points and cost 7 % at 4. Two passes
/// of 4 points instead of one of 8 cost 15 %.
#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/shap/quadrature_lane.cuh"
#include "cuda/shap/shap_kernels.h"

namespace kauri::cuda {
namespace {

/// Fewer blocks on a multiprocessor do not have enough warps to hide each other's waits.
constexpr std::int64_t kFewBlocks = 3;

/// Number of cells of a block that cannot have one for each place. With 784 features, 512 splits have about 300 places;
/// adding most values to the rows' sums at once costs less than adding all cells later.
constexpr std::int32_t kFewCells = 16;

/// Memory for stacks in device memory.
constexpr std::int64_t kDeepBytes = 256 << 20;

/// kGeneral: supports categorical splits, more features than cells, and stacks in device memory. Without it, the tests
/// for them are saved.
template <int kPoints, bool kPairs, bool kGeneral>
__global__ void __launch_bounds__(kLaneThreads) QuadratureKernel(__grid_constant__ LaneTask const task) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* stack = reinterpret_cast<float2*>(memory + static_cast<std::size_t>(task.window) * kLaneThreads * 4);
  if (kGeneral && task.deep_stacks != nullptr) stack = task.deep_stacks + blockIdx.x * task.deep_stack_size;
  float2 spilled[kSpilledLevels * kPoints / 2];
  for (std::int64_t work = blockIdx.x; work < task.n_items * task.n_tiles; work += gridDim.x) {
    std::int64_t const row = work % task.n_tiles * kLaneThreads + threadIdx.x;
    using Lane = DeviceLane<kPoints, kPairs, kGeneral>;
    Lane lane(task, task.items[work / task.n_tiles], row, threadIdx.x, {memory, stack + threadIdx.x, spilled});
    lane.ClearPlaces();
    LaneProgram<kPoints, kPairs, kGeneral, Lane>(&lane).Run();
    lane.AddPlaces();
  }
}

using Kernel = void (*)(LaneTask);

template <int kPoints>
Kernel ChooseFor(bool pairs, bool general) {
  if (pairs) return general ? &QuadratureKernel<kPoints, true, true> : &QuadratureKernel<kPoints, true, false>;
  return general ? &QuadratureKernel<kPoints, false, true> : &QuadratureKernel<kPoints, false, false>;
}

Kernel ChooseKernel(std::int32_t points, bool pairs, bool general) {
  switch (points) {
    case 2:
      return ChooseFor<2>(pairs, general);
    case 4:
      return ChooseFor<4>(pairs, general);
    case 6:
      return ChooseFor<6>(pairs, general);
    default:
      return ChooseFor<8>(pairs, general);
  }
}

std::int64_t Attribute(cudaDeviceAttr attribute, int device) {
  int value = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

/// Batches with the same points and passes, and the largest needs among them.
struct ShapeItems {
  std::vector<ProgramItem> items;
  std::int32_t n_places = 0;
  std::int32_t saved_downs = 0;
  std::int32_t saved_firsts = 0;
};

/// Returns the trees of `range`, grouped by (passes, points).
std::vector<ShapeItems> CollectItems(std::vector<ProgramTree> const& trees, std::vector<ProgramBatch> const& batches,
                                     TreeRange range) {
  std::vector<ShapeItems> shapes;
  std::int64_t last_batch = -1;
  for (auto const& tree : trees) {
    if (tree.tree < range.begin || tree.tree >= range.end || tree.node_begin == tree.node_end) continue;
    auto const& batch = batches[tree.batch];
    auto shape = std::find_if(shapes.begin(), shapes.end(), [&](ShapeItems const& other) {
      auto const& first = other.items.front().batch;
      return first.points == batch.points && first.passes == batch.passes;
    });
    if (shape == shapes.end()) shape = shapes.insert(shapes.end(), ShapeItems{});
    if (tree.batch != last_batch) shape->items.push_back({tree.node_begin, tree.node_end, tree.first_slot, batch});
    shape->items.back().node_end = tree.node_end;
    last_batch = tree.batch;
    shape->n_places = std::max(shape->n_places, batch.n_places);
    shape->saved_downs = std::max(shape->saved_downs, batch.saved_downs);
    shape->saved_firsts = std::max(shape->saved_firsts, batch.saved_firsts);
  }
  return shapes;
}

/// The use of a block's shared memory.
struct LaneMemory {
  std::int32_t window;
  std::int32_t spilled_downs;
  std::int32_t spilled_firsts;
  bool is_deep;
  std::int64_t stack_floats;  ///< of a thread, in shared memory or, if deep, in device memory
  std::int64_t shared_bytes;
};

/// Returns the floats that each thread has if this number of blocks shares a multiprocessor.
std::int64_t RoomOf(CudaContext const& cuda, std::int64_t blocks) {
  constexpr std::int64_t kReserved = 1024;  // of each block, by the driver
  auto const all = Attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, cuda.device) / blocks - kReserved;
  return std::min(all, Attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.device)) / (4 * kLaneThreads);
}

/// Levels of the stacks that are used so seldom that they may be in local memory. A level of the first stack is used
/// half as often as the level above it; levels of the second stack are used more seldom from the third on. On covtype
/// with depth 16, 65 % of all visits that use the first stack are to its upper three levels. Interactions keep more
/// levels, because all visits use stacks.
struct SeldomLevels {
  std::int64_t downs;
  std::int64_t firsts;
};

SeldomLevels FindSeldomLevels(ShapeItems const& shape, bool pairs) {
  std::int64_t const firsts = std::max(0, shape.saved_firsts - (pairs ? 5 : 4));
  std::int64_t const downs = pairs ? shape.saved_downs / 2 : shape.saved_downs * 7 / 10;
  return {std::min(downs, kSpilledLevels - std::min<std::int64_t>(firsts, kSpilledLevels)),
          std::min<std::int64_t>(firsts, kSpilledLevels)};
}

/// Plans for as many blocks on a multiprocessor as the registers allow, with as few spilled levels as that needs. If
/// spilling is not enough, it reduces the blocks, down to kFewBlocks; then it gives up cells, or the stack's place in
/// shared memory.
LaneMemory PlanMemory(CudaContext const& cuda, ShapeItems const& shape, std::int32_t points, bool pairs,
                      std::int64_t most_blocks) {
  std::int64_t const levels = shape.saved_downs + shape.saved_firsts;
  auto const seldom = FindSeldomLevels(shape, pairs);
  LaneMemory memory{};
  memory.window = shape.n_places;
  auto blocks = most_blocks;
  auto const kept = [&] { return (RoomOf(cuda, blocks) - memory.window) / points; };
  while (blocks >= kFewBlocks && kept() < levels - seldom.downs - seldom.firsts) --blocks;
  if (blocks < kFewBlocks) {
    blocks = kFewBlocks;
    memory.window = std::min(memory.window, kFewCells);
  }
  auto const excess = std::max<std::int64_t>(0, levels - std::max<std::int64_t>(0, kept()));
  memory.spilled_firsts = static_cast<std::int32_t>(std::min(excess, seldom.firsts));
  memory.spilled_downs = static_cast<std::int32_t>(std::min(excess - memory.spilled_firsts, seldom.downs));
  memory.stack_floats = (levels - memory.spilled_downs - memory.spilled_firsts) * points;
  memory.is_deep = memory.stack_floats + memory.window > RoomOf(cuda, 1);
  memory.shared_bytes = (memory.window + (memory.is_deep ? 0 : memory.stack_floats)) * 4 * kLaneThreads;
  return memory;
}

/// Returns the blocks on a multiprocessor that the registers of a kernel allow.
std::int64_t MostBlocks(Kernel kernel) {
  int blocks = 0;
  KAURI_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, kLaneThreads, 0));
  return blocks;
}

/// Sets the points of a pass.
void SetPoints(PassPoints const& all, std::int32_t points, LaneTask* task) {
  for (std::int32_t q = 0; q < points; ++q) {
    auto const at = static_cast<std::size_t>(task->first_point + q);
    task->point[q] = all.point[at];
    task->weight[q] = all.weight[at];
    task->cold[q] = all.cold[at];
  }
}

/// The launch of a shape's items, the same in each pass.
struct ShapeLaunch {
  Kernel kernel;
  std::int64_t n_blocks;
  std::size_t shared_bytes;
  Buffer<ProgramItem> items;
  Buffer<float2> deep_stacks;
};

/// Prepares the launch, and sets the members of `task` that depend on the shape and its memory.
ShapeLaunch PrepareLaunch(CudaContext const& cuda, ShapeItems const& shape, LaneTask* task) {
  auto const& batch = shape.items.front().batch;
  auto const pairs = task->partner_begin != nullptr;
  auto* const simple = ChooseKernel(batch.points, pairs, false);
  auto const memory = PlanMemory(cuda, shape, batch.points, pairs, MostBlocks(simple));
  auto const is_general = task->has_categorical || memory.is_deep || memory.window < shape.n_places;
  ShapeLaunch launch{is_general ? ChooseKernel(batch.points, pairs, true) : simple,
                     0,
                     ToSize(memory.shared_bytes),
                     ToDevice(cuda, shape.items),
                     {}};
  task->items = launch.items.data();
  task->n_items = static_cast<std::int64_t>(shape.items.size());
  task->window = memory.window;
  task->spilled_downs = memory.spilled_downs;
  task->kept_downs = shape.saved_downs - memory.spilled_downs;
  task->kept_firsts = shape.saved_firsts - memory.spilled_firsts;
  task->inverse_bytes = static_cast<std::uint32_t>(batch.points * batch.passes) * 4U;
  launch.n_blocks = task->n_items * task->n_tiles;
  if (memory.is_deep) {
    task->deep_stack_size = memory.stack_floats / 2 * kLaneThreads;
    launch.n_blocks = std::min(launch.n_blocks, std::max<std::int64_t>(1, kDeepBytes / (task->deep_stack_size * 8)));
    launch.deep_stacks = Buffer<float2>(cuda, ToSize(launch.n_blocks * task->deep_stack_size));
    task->deep_stacks = launch.deep_stacks.data();
  }
  return launch;
}

/// Appends a node, because a lane reads one node past the last.
std::vector<ProgramNode> WithPadding(std::vector<ProgramNode> nodes) {
  nodes.resize(nodes.size() + 1);
  return nodes;
}

}  // namespace

DeviceProgram::DeviceProgram(CudaContext const& cuda, ShapProgram const& program)
    : semivalue_(program.semivalue),
      trees_(program.trees),
      batches_(program.batches),
      has_categorical_(!program.categories.Sets().Sets().empty()),
      slot_of_place_(ToDevice(cuda, program.slot_of_place)),
      states_(ToDevice(cuda, program.states)),
      inverses_(ToDevice(cuda, program.inverses)),
      partner_begin_(ToDevice(cuda, program.partner_begin)),
      partners_(ToDevice(cuda, program.partners)),
      conditions_(ToDevice(cuda, program.categories.Conditions())),
      sets_(ToDevice(cuda, program.categories.Sets().Sets())),
      set_data_(ToDevice(cuda, program.categories.Sets().Data())) {
  auto const nodes = WithPadding(program.nodes);
  nodes_ = ToDevice(cuda, nodes);
  cuda.Synchronize();  // for the host's arrays, which their owner frees
}

LaneTask DeviceProgram::TaskOf(RowKeys const& keys, ShapSumsView const& sums) const {
  LaneTask task{};
  task.nodes = nodes_.data();
  task.states = states_.data();
  task.inverses = inverses_.data();
  task.slot_of_place = slot_of_place_.data();
  task.partner_begin = partner_begin_.data();
  task.partners = partners_.data();
  task.has_categorical = has_categorical_;
  task.categories = {conditions_.data(), {sets_.data(), set_data_.data()}};
  task.keys = keys;
  task.key_bytes = static_cast<std::uint32_t>(keys.slot_stride * 4);
  task.sums = sums;
  task.n_tiles = (keys.n_rows + kLaneThreads - 1) / kLaneThreads;
  return task;
}

void DeviceProgram::Add(CudaContext const& cuda, RowKeys const& keys, TreeRange trees, ShapSumsView const& sums) const {
  if (keys.n_rows == 0) return;
  for (auto const& shape : CollectItems(trees_, batches_, trees)) {
    auto task = TaskOf(keys, sums);
    auto const launch = PrepareLaunch(cuda, shape, &task);
    auto const& batch = shape.items.front().batch;
    auto const all_points = MakePassPoints(semivalue_, {batch.points, batch.passes});
    for (std::int32_t pass = 0; pass < batch.passes; ++pass) {
      task.first_point = pass * batch.points;
      SetPoints(all_points, batch.points, &task);
      LaunchShared(cuda, static_cast<unsigned>(launch.n_blocks), kLaneThreads, launch.shared_bytes, launch.kernel,
                   task);
    }
  }
}

}  // namespace kauri::cuda
