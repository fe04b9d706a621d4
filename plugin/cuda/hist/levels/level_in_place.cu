#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/hist/histogram/shared_sums.cuh"
#include "cuda/hist/levels/level_in_place.h"

namespace kauri::cuda {
namespace {

constexpr unsigned kAllLanes = 0xFFFFFFFFU;
constexpr std::uint32_t kWarps = kSumThreads / 32;
/// Maximum number of nodes of a set; a queue's entry has two bits for a node of the set.
constexpr std::uint32_t kMostSlots = 4;
constexpr std::uint32_t kSlotBits = 2;
/// Rows that a warp looks at at a time, eight of a lane.
constexpr std::uint32_t kRowsOfLane = 8;
constexpr std::uint32_t kRowsOfLook = 32 * kRowsOfLane;
/// Rows between two moments at which a warp's queues are empty: a row's number in an entry has 14 bits.
constexpr std::uint32_t kRowsOfSpan = 16384;
/// Rows of a turn of all blocks, if they have several sets.
constexpr std::uint32_t kRowsOfTurn = std::uint32_t{1} << 21U;
/// Cost of adding a row up, in costs of looking at its byte.
constexpr std::uint32_t kRowCost = 16;
/// Rows that a warp splits at a time, and adds up at a time: their loads are in flight together.
constexpr std::uint32_t kMostSplit = 128;
constexpr std::uint32_t kMostAdded = 64;
/// Fewer rows than this wait in the queue for more.
constexpr std::uint32_t kLeastSplit = 64;
constexpr std::uint32_t kLeastAdded = 32;

/// Queues of a warp.
struct Queues {
  std::uint16_t found[kRowsOfLook + kLeastSplit];  ///< rows of the block's nodes
  std::uint16_t added[kMostSplit + kLeastAdded];   ///< rows whose child is added up
};

/// A node of the block's set, and its split.
struct alignas(16) Slot {
  std::uint32_t column;
  std::uint32_t left_place;
  std::uint32_t adds_left;
  std::uint32_t is_split;
  std::uint32_t goes_left[8];  ///< a bit for each stored code
  FixedSum* histogram;

  __device__ bool GoesLeft(std::uint32_t stored) const { return (goes_left[stored / 32] >> (stored % 32) & 1U) != 0; }
};

/// Returns which of 32 stored codes, from `first` on, go left.
__device__ __forceinline__ std::uint32_t LeftOfCodes(NodeSplit const& split, std::uint32_t first) {
  std::uint32_t left = 0;
  for (std::uint32_t i = 0; i < 32; ++i) {
    left |= (GoesLeft(split, CodeOfStored(split.place, first + i), nullptr) ? 1U : 0U) << i;
  }
  return left;
}

/// Part of the work that a block has: a range of every turn, for the nodes of a set.
struct Share {
  std::uint32_t first_node;  ///< in the level
  std::uint32_t n_nodes;     ///< 0: none
  std::uint32_t index;       ///< among the blocks of the set
  std::uint32_t n_blocks;
};

struct Arrays : InPlaceTask {
  CodeGroup group;
  std::uint8_t const* codes;
  SumColumn const* columns;
  std::uint32_t nodes_of_set;
  SmallPair const* pairs;
};

/// Cuts the blocks among the sets, by the rows of their nodes. Called by one warp, a lane for each set.
__device__ __forceinline__ void TakeShare(Arrays const& task, Share* share) {
  using Cost = unsigned long long;
  std::uint32_t const set = threadIdx.x;
  std::uint32_t const n_nodes = task.parents.NumNodes();
  std::uint32_t const first = min(set * task.nodes_of_set, n_nodes);
  std::uint32_t const end = min(first + task.nodes_of_set, n_nodes);
  Cost n_rows = 0;
  for (std::uint32_t node = first; node < end; ++node) {
    n_rows += task.rows.splits[task.parents.FirstNode() + node].rows.count;
  }
  Cost const own = n_rows == 0 ? 0 : task.n_rows + kRowCost * n_rows;
  Cost inclusive = own;
  for (unsigned step = 1; step < 32; step *= 2) {
    Cost const other = __shfl_up_sync(kAllLanes, inclusive, step);
    if (set >= step) inclusive += other;
  }
  Cost const all = __shfl_sync(kAllLanes, inclusive, 31);
  unsigned const used = __ballot_sync(kAllLanes, own != 0);
  if (set == 0) share->n_nodes = 0;
  __syncwarp();
  if (own == 0) return;
  Cost const to_spare = gridDim.x - static_cast<std::uint32_t>(__popc(used));
  auto const before = static_cast<std::uint32_t>(__popc(used & ((1U << set) - 1U)));
  std::uint32_t const first_block = before + static_cast<std::uint32_t>(to_spare * (inclusive - own) / all);
  std::uint32_t const end_block = before + 1 + static_cast<std::uint32_t>(to_spare * inclusive / all);
  if (blockIdx.x < first_block || blockIdx.x >= end_block) return;
  *share = {first, end - first, blockIdx.x - first_block, end_block - first_block};
}

/// Rows [begin, end); begin is a multiple of eight, as is end unless it is the last.
struct Range {
  std::uint32_t begin;
  std::uint32_t end;

  /// Returns part `index` of n.
  __device__ Range Part(std::uint32_t index, std::uint32_t n) const {
    unsigned long long const eights = (end - begin + kRowsOfLane - 1) / kRowsOfLane;
    auto const at = [&](std::uint32_t i) { return begin + kRowsOfLane * static_cast<std::uint32_t>(eights * i / n); };
    return {at(index), min(at(index + 1), end)};
  }
};

/// Returns the four low bits of the bytes' signs.
__device__ __forceinline__ std::uint32_t SignsOf(std::uint32_t bytes) {
  return (((bytes & 0x80808080U) >> 7U) * 0x01020408U) >> 24U & 0xFU;
}

template <int kWordsPerRow>
class InPlaceAdder {
 public:
  using Lane = LaneCodes<kWordsPerRow>;
  using Cells = SumCells<4 * kWordsPerRow, NarrowPairs>;

  struct Shared {
    Share share;
    Slot slots[kMostSlots];
    std::uint32_t counts[2 * kMostSlots];  ///< rows that went left and right
  };

  __device__ InPlaceAdder(Arrays const& task, Shared* shared, std::uint32_t* sums)
      : task_(task),
        codes_(task.codes + task.group.offset),
        shared_(*shared),
        sums_(sums),
        words_of_slot_(
            static_cast<std::uint32_t>(BytesOfSums(task.group, NarrowPairs::kWords) / sizeof(std::uint32_t))),
        queues_(reinterpret_cast<Queues*>(sums + task.nodes_of_set * words_of_slot_)[threadIdx.x / 32]) {}

  __device__ void Run() {
    if (threadIdx.x < 32) TakeShare(task_, &shared_.share);
    __syncthreads();
    Share const share = shared_.share;
    if (share.n_nodes == 0) return;
    Begin(share);
    bool const is_only_set = share.n_nodes == task_.parents.NumNodes();
    std::uint32_t const n_turns = is_only_set ? 1 : max(1U, task_.n_rows / kRowsOfTurn);
    std::uint32_t left = task_.rows_of_flush;
    for (std::uint32_t turn = 0; turn < n_turns; ++turn) {
      Range range = Range{0, task_.n_rows}.Part(turn, n_turns).Part(share.index, share.n_blocks);
      while (range.begin < range.end) {
        Range const piece{range.begin, range.begin + min(range.end - range.begin, left)};
        TakeRows(piece.Part(threadIdx.x / 32, kWarps));
        range.begin = piece.end;
        left -= piece.end - piece.begin;
        if (left > 0) continue;
        Flush(false);
        left = task_.rows_of_flush;
      }
    }
    End();
  }

 private:
  static constexpr std::uint32_t kWidth = 4 * kWordsPerRow;

  __device__ Cells CellsOf(std::uint32_t slot) const { return {sums_ + slot * words_of_slot_, task_.group}; }

  __device__ void Begin(Share const& share) {
    first_place_ = task_.parents.FirstNode() + share.first_node;
    n_slots_ = share.n_nodes;
    if (threadIdx.x < 8 * n_slots_) {
      std::uint32_t const place = first_place_ + threadIdx.x / 8;
      NodeSplit const& split = task_.rows.splits[place];
      Slot& slot = shared_.slots[threadIdx.x / 8];
      slot.goes_left[threadIdx.x % 8] = LeftOfCodes(split, 32 * (threadIdx.x % 8));
      if (threadIdx.x % 8 == 0) {
        HistogramNode const& added = task_.rows.added[task_.parents.PairBelow(place)];
        slot.column = static_cast<std::uint32_t>(split.place.first - task_.group.offset);
        slot.left_place = task_.parents.LeftOf(place);
        slot.adds_left = added.is_left;
        slot.is_split = added.split >= 0 ? 1 : 0;
        slot.histogram = added.histogram;
      }
    }
    if (threadIdx.x < 2 * kMostSlots) shared_.counts[threadIdx.x] = 0;
    for (std::uint32_t slot = 0; slot < n_slots_; ++slot) CellsOf(slot).Clear();
  }

  __device__ void Flush(bool is_last) const {
    for (std::uint32_t slot = 0; slot < n_slots_; ++slot) {
      if (shared_.slots[slot].is_split == 0) continue;
      CellsOf(slot).Flush(task_.group, task_.columns, {shared_.slots[slot].histogram, false, is_last});
    }
  }

  __device__ void End() const {
    Flush(true);
    if (threadIdx.x >= 2 * n_slots_) return;
    std::uint32_t const count = shared_.counts[threadIdx.x];
    if (count != 0) atomicAdd(task_.rows.n_left + 2 * first_place_ + threadIdx.x, count);
  }

  /// Takes the rows of a warp's range.
  __device__ void TakeRows(Range const& range) {
    for (base_ = range.begin; base_ < range.end; base_ += kRowsOfSpan) {
      std::uint32_t const end = min(range.end, base_ + kRowsOfSpan);
      for (std::uint32_t first = base_; first < end; first += kRowsOfLook) {
        Look(first, end);
        EmptyQueues(first + kRowsOfLook >= end);
      }
    }
  }

  /// Takes rows from the queues while there are enough, or all of them at the end of a span.
  __device__ __forceinline__ void EmptyQueues(bool takes_all) {
    while (true) {
      if (n_added_ >= (takes_all && n_found_ == 0 ? 1 : kLeastAdded)) {
        std::uint32_t const count = min(n_added_, kMostAdded);
        n_added_ -= count;
        AddRows(n_added_, count);
      } else if (n_found_ >= (takes_all ? 1 : kLeastSplit)) {
        std::uint32_t const count = min(n_found_, kMostSplit);
        n_found_ -= count;
        Split(n_found_, count);
      } else {
        return;
      }
    }
  }

  /// Returns one bit for each of the lane's eight rows that belongs to a node of the set.
  __device__ std::uint32_t MatchesOf(uint2 nodes) const {
    auto const matches = [&](std::uint32_t four) {
      std::uint32_t const signs = four | 0x80808080U;
      std::uint32_t const from_first = signs - 0x01010101U * first_place_;
      std::uint32_t const from_end = signs - 0x01010101U * (first_place_ + n_slots_);
      return SignsOf(from_first & ~from_end);
    };
    return matches(nodes.x) | matches(nodes.y) << 4U;
  }

  /// Appends the rows of the set's nodes to the queue.
  __device__ void Look(std::uint32_t first, std::uint32_t end) {
    std::uint32_t const lane = threadIdx.x % 32;
    std::uint32_t const row = first + kRowsOfLane * lane;
    uint2 nodes{0, 0};
    std::uint32_t mask = 0;
    if (row < end) {
      if (task_.parents.depth > 0) nodes = *reinterpret_cast<uint2 const*>(task_.node_of_row + row);
      mask = MatchesOf(nodes);
      if (end - row < kRowsOfLane) mask &= (1U << (end - row)) - 1U;
    }
    auto const count = static_cast<std::uint32_t>(__popc(mask));
    std::uint32_t inclusive = count;
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2) {
      std::uint32_t const other = __shfl_up_sync(kAllLanes, inclusive, step);
      if (lane >= step) inclusive += other;
    }
    std::uint32_t place = n_found_ + inclusive - count;
    for (; mask != 0; mask &= mask - 1) {
      auto const i = static_cast<std::uint32_t>(__ffs(static_cast<int>(mask))) - 1;
      std::uint32_t const node = (i < 4 ? nodes.x : nodes.y) >> (8 * (i % 4)) & 0xFFU;
      queues_.found[place] = static_cast<std::uint16_t>((row + i - base_) << kSlotBits | (node - first_place_));
      ++place;
    }
    n_found_ += __shfl_sync(kAllLanes, inclusive, 31);
    __syncwarp();
  }

  /// Sends rows of the queue to their children, and appends the ones that are added up to the next queue.
  __device__ void Split(std::uint32_t first, std::uint32_t count) {
    constexpr int kSteps = kMostSplit / 32;
    std::uint32_t const lane = threadIdx.x % 32;
    std::uint32_t entries[kSteps];
    std::uint32_t codes[kSteps];
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      std::uint32_t const place = 32 * step + lane;
      entries[step] = queues_.found[first + (place < count ? place : 0)];
      std::uint64_t const row = base_ + (entries[step] >> kSlotBits);
      codes[step] = codes_[row * kWidth + shared_.slots[entries[step] % kMostSlots].column];
    }
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      std::uint32_t const entry = entries[step];
      Slot const& slot = shared_.slots[entry % kMostSlots];
      bool is_added = false;
      if (32 * step + lane < count && slot.is_split != 0) {
        bool const is_left = slot.GoesLeft(codes[step]);
        task_.node_of_row[base_ + (entry >> kSlotBits)] =
            static_cast<std::uint8_t>(slot.left_place + (is_left ? 0 : 1));
        atomicAdd(shared_.counts + 2 * (entry % kMostSlots) + (is_left ? 0 : 1), 1U);
        is_added = is_left == (slot.adds_left != 0);
      }
      unsigned const added = __ballot_sync(kAllLanes, is_added);
      if (is_added) {
        queues_.added[n_added_ + static_cast<std::uint32_t>(__popc(added & ((1U << lane) - 1U)))] =
            static_cast<std::uint16_t>(entry);
      }
      n_added_ += static_cast<std::uint32_t>(__popc(added));
    }
    __syncwarp();
  }

  /// Adds up rows of the second queue.
  __device__ void AddRows(std::uint32_t first, std::uint32_t count) {
    constexpr int kSteps = kMostAdded / Lane::kRowsPerStep;
    typename Lane::Words words[kSteps];
    SmallPair pairs[kSteps];
    std::uint32_t slots[kSteps];
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      auto const place = static_cast<std::uint32_t>(step * Lane::kRowsPerStep + lane_.Row());
      std::uint32_t const entry = queues_.added[first + (place < count ? place : 0)];
      std::uint32_t const row = base_ + (entry >> kSlotBits);
      slots[step] = entry % kMostSlots;
      words[step] = lane_.Load(codes_, row);
      pairs[step] = task_.pairs[row];
    }
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      if (static_cast<std::uint32_t>(step * Lane::kRowsPerStep + lane_.Row()) >= count) continue;
      CellsOf(slots[step]).Add(lane_, words[step], pairs[step]);
    }
    __syncwarp();
  }

  Arrays const& task_;
  std::uint8_t const* codes_;
  Shared& shared_;
  std::uint32_t* sums_;  ///< [slots, words of a slot], and then the queues of the warps
  std::uint32_t words_of_slot_;
  Queues& queues_;
  Lane lane_;
  std::uint32_t first_place_ = 0;
  std::uint32_t n_slots_ = 0;
  std::uint32_t base_ = 0;     ///< first row of the warp's span
  std::uint32_t n_found_ = 0;  ///< length of the queues
  std::uint32_t n_added_ = 0;
};

template <int kWordsPerRow>
__global__ void __launch_bounds__(kSumThreads, 1) InPlaceKernel(__grid_constant__ Arrays const task) {
  using Adder = InPlaceAdder<kWordsPerRow>;
  extern __shared__ uint4 sums[];
  __shared__ typename Adder::Shared shared;
  Adder(task, &shared, reinterpret_cast<std::uint32_t*>(sums)).Run();
}

int NumMultiprocessors(CudaContext const& cuda) {
  int n_multiprocessors = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&n_multiprocessors, cudaDevAttrMultiProcessorCount, cuda.device));
  return n_multiprocessors;
}

/// Returns the number of nodes whose sums a block has room for.
std::uint32_t NodesOfBlock(CudaContext const& cuda, CodeGroup const& group) {
  constexpr std::size_t kDeclared = 1024;  // the kernels declare less
  int most = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.device));
  auto const taken = kDeclared + kWarps * sizeof(Queues);
  if (static_cast<std::size_t>(most) <= taken) return 0;
  auto const has_room_for = (static_cast<std::size_t>(most) - taken) / BytesOfSums(group, NarrowPairs::kWords);
  return static_cast<std::uint32_t>(std::min<std::size_t>(has_room_for, kMostSlots));
}

}  // namespace

bool CanAddInPlace(CudaContext const& cuda, DeviceBins const& bins) {
  constexpr int kLeastBlocks = 32;  // one for each set at least
  if (bins.form != CodeForm::kBytes || !bins.bytes.IsOnDevice() || bins.groups.size() != 1) return false;
  auto const& group = bins.groups[0];
  return group.width >= 16 && NodesOfBlock(cuda, group) > 0 && NumMultiprocessors(cuda) >= kLeastBlocks;
}

void AddInPlace(CudaContext const& cuda, InPlaceTask const& task, SmallPair const* pairs) {
  auto const& group = task.bins->groups[0];
  auto const n_nodes = task.parents.NumNodes();
  auto const most = NodesOfBlock(cuda, group);
  auto const n_sets = (n_nodes + most - 1) / most;
  auto const nodes_of_set = (n_nodes + n_sets - 1) / n_sets;
  Arrays const arrays{task, group, task.bins->bytes.data(), task.bins->device_columns.data(), nodes_of_set, pairs};
  auto const bytes = arrays.nodes_of_set * BytesOfSums(group, NarrowPairs::kWords) + kWarps * sizeof(Queues);
  auto const n_blocks = static_cast<unsigned>(NumMultiprocessors(cuda));
  auto* const kernel = group.width == 32 ? InPlaceKernel<8> : InPlaceKernel<4>;
  LaunchShared(cuda, n_blocks, kSumThreads, bytes, kernel, arrays);
}

}  // namespace kauri::cuda
