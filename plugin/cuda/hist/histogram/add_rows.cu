#include <algorithm>
#include <type_traits>
#include <vector>

#include "cuda/common/launch.h"
#include "cuda/hist/histogram/add_rows.h"
#include "cuda/hist/histogram/shared_sums.cuh"
#include "cuda/hist/rows/find_stretch.cuh"

namespace kauri::cuda {
namespace {

/// Minimum number of rows that justify a block's clearing and flushing of its sums.
constexpr std::int64_t kLeastRowsPerBlock = 128;

/// Number of waves of blocks after which a group's share is even enough.
constexpr std::int64_t kMostWaves = 8;

/// Returns the number of blocks of each group for which the blocks of all groups fill the device best in whole waves.
std::int64_t ShareOfGroup(std::int64_t n_multiprocessors, std::int64_t n_groups) {
  std::int64_t best = 1;
  double most_used = 0.0;
  for (std::int64_t waves = 1; waves <= kMostWaves; ++waves) {
    auto const places = waves * n_multiprocessors;
    auto const blocks = places / n_groups;
    auto const used = static_cast<double>(blocks * n_groups) / static_cast<double>(places);
    if (used <= most_used) continue;
    most_used = used;
    best = blocks;
    if (used > 0.9) break;  // more blocks mean more flushes
  }
  return best;
}

using Word = unsigned long long;

constexpr int kThreads = kSumThreads;
constexpr std::uint32_t kWarps = kThreads / 32;
constexpr unsigned kAllLanes = 0xFFFFFFFFU;

__device__ __forceinline__ PlannedRows StretchOf(HistogramNode const& node, std::uint32_t const* n_left) {
  PlannedRows rows{0, node.rows.begin, node.rows.count, node.rows.buffer};
  if (node.split < 0) return rows;
  rows.buffer = node.rows.NextBuffer();
  rows.begin += node.is_left != 0 ? 0 : n_left[2 * node.split];
  rows.count = NumRowsOf(node, n_left);
  return rows;
}

/// Lays out the rows of up to kSumThreads nodes, from `first` on, end to end behind `before` rows. Called by all
/// threads of a block. Returns the number of rows up to and including these.
__device__ __forceinline__ std::uint32_t PlanTurn(AddTask const& task, std::uint32_t first, std::uint32_t before,
                                                  std::uint32_t* of_warp, PlannedRows* plan) {
  std::uint32_t const lane = threadIdx.x % 32;
  std::uint32_t const warp = threadIdx.x / 32;
  std::uint32_t const node = first + threadIdx.x;
  bool const is_node = node < task.nodes.size();
  PlannedRows rows{};
  if (is_node) rows = StretchOf(task.nodes.data()[node], task.n_left);
  std::uint32_t inclusive = rows.count;
  for (unsigned step = 1; step < 32; step *= 2) {
    std::uint32_t const other = __shfl_up_sync(kAllLanes, inclusive, step);
    if (lane >= step) inclusive += other;
  }
  if (lane == 31) of_warp[warp] = inclusive;
  __syncthreads();
  std::uint32_t all = before;
  for (std::uint32_t other = 0; other < kWarps; ++other) {
    if (other == warp) inclusive += all;
    all += of_warp[other];
  }
  rows.first_row = inclusive - rows.count;
  if (is_node) plan[node] = rows;
  __syncthreads();
  return all;
}

/// Runs as one block.
__global__ void __launch_bounds__(kThreads) PlanKernel(AddTask task) {
  __shared__ std::uint32_t of_warp[kWarps];
  std::uint32_t n_rows = 0;
  for (std::uint32_t first = 0; first < task.nodes.size(); first += kThreads) {
    n_rows = PlanTurn(task, first, n_rows, of_warp, task.plan.data());
  }
}

/// Rows of all nodes, as a block reads them.
struct RowPlan {
  PlannedRows const* nodes;
  std::uint32_t n_nodes;

  __device__ BlockRange Range() const { return RangeOfBlock(nodes[n_nodes - 1].first_row + nodes[n_nodes - 1].count); }
  __device__ std::uint32_t NodeAt(std::uint32_t row) const {
    return FindStretch(n_nodes, row, [&](std::uint32_t node) { return nodes[node].first_row; });
  }
};

/// Up to this many nodes, each block makes the plan for itself, which costs less than a launch.
constexpr std::size_t kFewNodes = kThreads;

/// shared: [kFewNodes], used if task.plan is empty.
__device__ __forceinline__ RowPlan PlanOf(AddTask const& task, PlannedRows* shared) {
  auto const n_nodes = static_cast<std::uint32_t>(task.nodes.size());
  if (!task.plan.empty()) return {task.plan.data(), n_nodes};
  __shared__ std::uint32_t of_warp[kWarps];
  PlanTurn(task, 0, 0, of_warp, shared);
  return {shared, n_nodes};
}

/// Returns the pairs that a kernel reads, of the tree that a node belongs to.
template <typename Pairs>
__device__ __forceinline__ typename Pairs::Pair const* PairsOf(AddTask const& task, std::uint32_t node) {
  if constexpr (std::is_same_v<Pairs, NarrowPairs>) {
    return task.SmallOf(node);
  } else {
    return task.PairsOf(node);
  }
}

/// Adds codes in bytes, of groups of one width. blockIdx.y: the group.
template <int kWordsPerRow, RecordUse kRecords, typename Pairs = WidePairs>
__global__ void __launch_bounds__(kThreads, 1)
    AddBytesKernel(AddTask task, CodeGroup const* groups, std::uint8_t const* codes, SumColumn const* columns) {
  extern __shared__ uint4 shared[];
  CodeGroup const group = groups[blockIdx.y];
  // The sums come first: their address, which every addition uses, is then a constant.
  auto* const shared_sums = reinterpret_cast<std::uint32_t*>(shared);
  RowPlan const plan = PlanOf(
      task, reinterpret_cast<PlannedRows*>(shared_sums + BytesOfSums(group, Pairs::kWords) / sizeof(shared_sums[0])));
  BlockRange range = plan.Range();
  if (range.begin == range.end) return;
  SharedSums<kWordsPerRow, kRecords, Pairs> sums(shared_sums, group, {codes, task.records});
  sums.Sums().Clear();
  std::uint32_t node = plan.NodeAt(range.begin);
  while (range.begin < range.end) {
    PlannedRows const rows = plan.nodes[node];
    std::uint32_t const skipped = range.begin - rows.first_row;
    std::uint32_t const count = min(min(rows.count - skipped, range.end - range.begin), Pairs::kMostRows);
    if (count > 0) {
      std::uint32_t const* const list = rows.buffer < 0 ? nullptr : task.rows.Of(rows.buffer) + rows.begin + skipped;
      sums.Add({list, skipped, count, PairsOf<Pairs>(task, node)});
      sums.Sums().Flush(
          group, columns,
          {task.nodes.data()[node].histogram + task.first_sum, count == rows.count, range.begin + count == range.end});
    }
    range.begin += count;
    if (range.begin == rows.first_row + rows.count) ++node;
  }
}

/// Places of one row's codes in a histogram; used by a warp.
struct RowCells {
  CodeView const& codes;
  CodeGroup const* groups;
  SumColumn const* columns;
  std::uint32_t n_columns;

  /// Calls add(place) for the lane's codes.
  template <typename Add>
  __device__ void ForEach(std::uint64_t row, Add&& add) const {
    std::uint32_t const lane = threadIdx.x % 32;
    if (codes.form == CodeForm::kCells) {
      for (std::int64_t i = codes.row_ptr[row] + lane; i < codes.row_ptr[row + 1]; i += 32) add(codes.cells[i]);
      return;
    }
    for (std::uint32_t column = lane; column < n_columns; column += 32) {
      add(columns[column].first_cell +
          (codes.form == CodeForm::kWords ? codes.words[row * n_columns + column] : ByteOf(row, column)));
    }
  }

 private:
  __device__ std::uint32_t ByteOf(std::uint64_t row, std::uint32_t column) const {
    CodeGroup const& group = groups[column / groups[0].n_columns];
    return codes.bytes[group.offset + row * group.width + column - group.first_column];
  }
};

/// Adds codes for which shared memory has no room: one warp per row, additions in the second-level cache.
__global__ void __launch_bounds__(kThreads) AddOthersKernel(AddTask task, CodeView codes, CodeGroup const* groups,
                                                            SumColumn const* columns, std::uint32_t n_columns) {
  RowPlan const plan{task.plan.data(), static_cast<std::uint32_t>(task.nodes.size())};
  BlockRange const range = plan.Range();
  RowCells const cells{codes, groups, columns, n_columns};
  for (std::uint32_t at = range.begin + threadIdx.x / 32; at < range.end; at += kWarps) {
    std::uint32_t const node = plan.NodeAt(at);
    PlannedRows const rows = plan.nodes[node];
    std::uint32_t const place = at - rows.first_row;
    std::uint32_t const row = rows.buffer < 0 ? place : task.rows.Of(rows.buffer)[rows.begin + place];
    FixedPair const pair = task.PairsOf(node)[row];
    auto* const histogram = reinterpret_cast<Word*>(task.nodes.data()[node].histogram + task.first_sum);
    cells.ForEach(row, [&](std::uint64_t cell) {
      atomicAdd(histogram + 2 * cell, static_cast<Word>(std::int64_t{pair.gradient}));
      atomicAdd(histogram + 2 * cell + 1, static_cast<Word>(std::int64_t{pair.hessian}));
    });
  }
}

/// Groups of one width that one launch adds up.
using Groups = Span<CodeGroup const>;

constexpr std::size_t kMaxGridY = 65535;

/// Returns the groups from `first` on that have the same width.
Groups NextGroups(std::vector<CodeGroup> const& groups, std::size_t first) {
  std::size_t n = 1;
  while (n < kMaxGridY && first + n < groups.size() && groups[first + n].width == groups[first].width) ++n;
  return {groups.data() + first, n};
}

using BytesKernel = void (*)(AddTask, CodeGroup const*, std::uint8_t const*, SumColumn const*);

/// Returns the kernel for groups of a width that adds pairs without records.
template <typename Pairs>
BytesKernel KernelWithoutRecords(std::uint32_t width) {
  if (width == 4) return AddBytesKernel<1, RecordUse::kNone, Pairs>;
  if (width == 8) return AddBytesKernel<2, RecordUse::kNone, Pairs>;
  if (width == 16) return AddBytesKernel<4, RecordUse::kNone, Pairs>;
  return AddBytesKernel<8, RecordUse::kNone, Pairs>;
}

/// Returns the kernel for groups of a width. Only narrow rows, of up to 8 bytes, have records.
BytesKernel KernelFor(std::uint32_t width, AddTask const& task) {
  if (task.small != nullptr) return KernelWithoutRecords<NarrowPairs>(width);
  if (task.records != nullptr && task.writes_records) {
    return width == 4 ? AddBytesKernel<1, RecordUse::kWrite> : AddBytesKernel<2, RecordUse::kWrite>;
  }
  if (task.records != nullptr) {
    return width == 4 ? AddBytesKernel<1, RecordUse::kRead> : AddBytesKernel<2, RecordUse::kRead>;
  }
  return KernelWithoutRecords<WidePairs>(width);
}

/// Returns the shared memory that the sums of the largest group take.
std::size_t MostBytesOfSums(Groups groups, std::uint32_t n_words) {
  std::size_t most = 0;
  for (auto const& group : groups) most = std::max(most, BytesOfSums(group, n_words));
  return most;
}

bool FitsShared(CudaContext const& cuda, DeviceBins const& bins, std::uint32_t n_words) {
  int most = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.device));
  return std::all_of(bins.groups.begin(), bins.groups.end(), [&](CodeGroup const& group) {
    return BytesOfSums(group, n_words) + kFewNodes * sizeof(PlannedRows) <= static_cast<std::size_t>(most);
  });
}

}  // namespace

unsigned BlocksForRows(CudaContext const& cuda, std::int64_t n_rows, std::int64_t n_groups) {
  int n_multiprocessors = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&n_multiprocessors, cudaDevAttrMultiProcessorCount, cuda.device));
  auto const wanted = (n_rows + kLeastRowsPerBlock - 1) / kLeastRowsPerBlock;
  return static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, ShareOfGroup(n_multiprocessors, n_groups)));
}

void AddRows(CudaContext const& cuda, DeviceBins const& bins, AddTask const& task, Buffer<PlannedRows>* plan) {
  auto const n_words = task.small != nullptr ? NarrowPairs::kWords : WidePairs::kWords;
  auto const in_shared = bins.form == CodeForm::kBytes && FitsShared(cuda, bins, n_words);
  auto planned = task;
  if (!in_shared || task.nodes.size() > kFewNodes) {
    plan->Reserve(cuda, task.nodes.size());
    planned.plan = {plan->data(), task.nodes.size()};
    Launch(cuda, 1, kThreads, PlanKernel, planned);
  }
  if (!in_shared) {
    return Launch(cuda, BlocksForRows(cuda, task.most_rows, 1), kThreads, AddOthersKernel, planned, ViewOf(bins),
                  bins.device_groups.data(), bins.device_columns.data(),
                  static_cast<std::uint32_t>(bins.columns.size()));
  }
  auto const of_plan = planned.plan.empty() ? kFewNodes * sizeof(PlannedRows) : 0;
  for (std::size_t first = 0; first < bins.groups.size();) {
    auto const groups = NextGroups(bins.groups, first);
    auto const n_groups = static_cast<unsigned>(groups.size());
    dim3 const grid(BlocksForRows(cuda, task.most_rows, n_groups), n_groups);
    auto const kernel = KernelFor(groups[0].width, task);
    LaunchSharedGrid(cuda, grid, kThreads, of_plan + MostBytesOfSums(groups, n_words), kernel, planned,
                     bins.device_groups.data() + first, bins.bytes.data(), bins.device_columns.data());
    first += groups.size();
  }
}

}  // namespace kauri::cuda
