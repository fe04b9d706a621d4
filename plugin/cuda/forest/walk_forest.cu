/// Longer than 400 lines: the kernels of many and of few rows walk by the same steps.
///
/// 1. A block takes a tile of rows. Their keys go to shared memory, [n_slots, n_tile_rows], so that a warp's reads of
///    any mixture of slots hit 32 different banks.
/// 2. The nodes of a chunk of trees are copied to shared memory while the chunk before it is traversed.
/// 3. A thread traverses with kThreadRows rows at once, so that their loads overlap. A leaf is its own child, so all
///    rows take as many steps as the tree is deep.
/// 4. Sums stay in registers until the output changes.
/// If more slots are used than a tile can hold, step 1 is left out and features are read in place.
/// Few rows have a block each and a thread for each tree, and one thread adds up in order: a walk is a chain of waits.
///
/// Floor: a step loads 8 bytes of node and 4 of key from shared memory. A warp's step takes at least 3 cycles of it:
/// two for the node, one for the key; neighbours within a tree's lower levels may collide. 500 trees of depth 6 for
/// 10^6 rows are 3 * 10^9 steps, or 94 * 10^6 of a warp: 2.8 * 10^8 cycles, over 132 multiprocessors at 1.755 GHz 1.2
/// ms. About 11 instructions a step take 1.1 ms of the four schedulers. Device memory: 112 bytes a row, 0.04 ms.
#include <cuda_pipeline_primitives.h>

#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/forest/forest_walk.h"
#include "cuda/forest/walk_forest.h"

namespace kauri::cuda {
namespace {

constexpr int kThreadRows = 4;
constexpr int kMaxThreads = 384;
/// Fewer threads with a tile hide less latency than all threads without one.
constexpr int kMinTileThreads = 64;
/// Size of each of the two buffers for nodes and leaves.
constexpr std::int64_t kBufferBytes = 24 << 10;
/// Tables of at most this number of rows are few rows; threads of their blocks.
constexpr std::int64_t kFewRows = 512;
constexpr int kFewThreads = 256;
constexpr std::int64_t kAllNodes = std::int64_t{1} << 30;  // of a chunk, for few rows
/// Steps between checks whether any row of a warp still moves.
constexpr int kStepsBetweenChecks = 8;

struct WalkTask {
  ForestView forest;
  DeviceRows rows;
  TreeChunk const* chunks;
  std::int32_t n_chunks;
  std::int32_t max_nodes;  ///< nodes of a buffer
  bool writes_leaves;
  std::int64_t first_tree;  ///< first of the model's trees in the range, for the columns of leaves
  std::int64_t width;       ///< floats per row of out
  float* out;
};

template <typename Node>
struct ReaderOf;
template <>
struct ReaderOf<NarrowNode> {
  static __device__ __forceinline__ NarrowReader Make(ForestView const& forest, NarrowNode const* nodes) {
    return {nodes, (1U << forest.slot_bits) - 1U, forest.slot_bits + 2U};
  }
};
template <>
struct ReaderOf<WideNode> {
  static __device__ __forceinline__ WideReader Make(ForestView const&, WideNode const* nodes) { return {nodes}; }
};

/// Returns the key of a CSR row's feature.
__device__ std::int32_t FindEntry(DeviceRows const& rows, std::int64_t row, std::uint32_t feature) {
  std::int64_t low = rows.row_ptr[row];
  std::int64_t const end = rows.row_ptr[row + 1];
  for (std::int64_t high = end; low < high;) {
    std::int64_t const middle = (low + high) / 2;
    if (rows.features[middle] < feature) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < end && rows.features[low] == feature ? KeyOf(rows.entries[low]) : kMissingKey;
}

__device__ __forceinline__ std::int32_t DenseKey(ForestView const& forest, DeviceRows const& rows, std::int64_t row,
                                                 std::uint32_t slot) {
  std::int64_t const column = rows.columns_are_slots ? slot : forest.feature_of_slot[slot];
  return column < rows.n_cols ? KeyOf(rows.values[row * rows.row_stride + column * rows.col_stride]) : kMissingKey;
}

/// The rows of a thread: its row i is tile row threadIdx.x + i * blockDim.x.
struct ThreadRows {
  std::int64_t first;
  __device__ std::int64_t Row(int i) const { return first + i * static_cast<int>(blockDim.x); }
};

/// Reads keys from the tile in shared memory.
struct TileKeys {
  std::int32_t* keys;  ///< keys of the thread's first row
  __device__ __forceinline__ std::int32_t& At(std::uint32_t slot, int i) const {
    return keys[(slot * kThreadRows + i) * blockDim.x];
  }
  __device__ __forceinline__ std::int32_t operator()(std::uint32_t slot, int i) const { return At(slot, i); }
};

/// Reads keys from the features in device memory.
struct GatheredKeys {
  ForestView const& forest;
  DeviceRows const& rows;
  ThreadRows own;
  __device__ __forceinline__ std::int32_t operator()(std::uint32_t slot, int i) const {
    std::int64_t const row = own.Row(i);
    if (row >= rows.n_rows) return kMissingKey;
    if (rows.row_ptr == nullptr) return DenseKey(forest, rows, row, slot);
    return FindEntry(rows, row, forest.feature_of_slot[slot]);
  }
};

/// Fills the tile. Every thread fills the columns of its own rows, so no barrier is needed before it reads them.
__device__ void FillTile(ForestView const& forest, DeviceRows const& rows, ThreadRows own, TileKeys const& tile) {
  if (rows.row_ptr == nullptr) {
#pragma unroll 4
    for (std::int32_t slot = 0; slot < forest.n_slots; ++slot) {
#pragma unroll
      for (int i = 0; i < kThreadRows; ++i) {
        std::int64_t const row = own.Row(i);
        tile.At(slot, i) = row < rows.n_rows ? DenseKey(forest, rows, row, slot) : kMissingKey;
      }
    }
    return;
  }
  for (int i = 0; i < kThreadRows; ++i) {
    for (std::int32_t slot = 0; slot < forest.n_slots; ++slot) tile.At(slot, i) = kMissingKey;
    std::int64_t const row = own.Row(i);
    if (row >= rows.n_rows) continue;
    std::int64_t const end = rows.row_ptr[row + 1];
    for (std::int64_t entry = rows.row_ptr[row]; entry < end; ++entry) {
      std::uint32_t const feature = rows.features[entry];
      std::int32_t const slot = feature < forest.n_mapped_features ? forest.slot_of_feature[feature] : -1;
      if (slot >= 0) tile.At(slot, i) = KeyOf(rows.entries[entry]);
    }
  }
}

/// Copies sixteen bytes at a time; `count` elements of T must be a multiple of that.
template <typename T>
__device__ __forceinline__ void CopyAsync(T* to, T const* from, std::int32_t count) {
  constexpr int kPiece = 16 / static_cast<int>(sizeof(T));
  for (int i = static_cast<int>(threadIdx.x) * kPiece; i < count; i += static_cast<int>(blockDim.x) * kPiece) {
    __pipeline_memcpy_async(to + i, from + i, 16);
  }
}

/// One of the two buffers: nodes, then the values or ids of leaves.
template <typename Node>
struct ChunkBuffer {
  Node* nodes;
  std::uint32_t* worth;

  __device__ ChunkBuffer(unsigned char* memory, std::int32_t max_nodes)
      : nodes(reinterpret_cast<Node*>(memory)), worth(reinterpret_cast<std::uint32_t*>(nodes + max_nodes)) {}
};

template <typename Node>
__device__ __forceinline__ std::uint32_t const* Worth(WalkTask const& task) {
  return task.writes_leaves ? reinterpret_cast<std::uint32_t const*>(task.forest.node_id)
                            : reinterpret_cast<std::uint32_t const*>(task.forest.leaf_value);
}

template <typename Node>
__device__ void BeginCopy(WalkTask const& task, std::int32_t chunk, ChunkBuffer<Node> const& to) {
  if (chunk < task.n_chunks) {
    TreeChunk const& from = task.chunks[chunk];
    CopyAsync(to.nodes, static_cast<Node const*>(task.forest.nodes) + from.node_begin, from.n_nodes);
    CopyAsync(to.worth, Worth<Node>(task) + from.node_begin, from.n_nodes);
  }
  __pipeline_commit();
}

template <bool kCategorical, typename Reader, typename Keys>
__device__ __forceinline__ std::uint32_t Step(ForestView const& forest, Reader const& reader, Keys const& keys,
                                              std::uint32_t node, int i) {
  SplitNode const split = reader.Read(node);
  std::int32_t const key = keys(split.slot, i);
  if constexpr (kCategorical) return split.left + (GoesRight(split, key, forest.categories) ? 1U : 0U);
  return split.left + (GoesRightAtThreshold(split, key) ? 1U : 0U);
}

/// Moves all rows of the thread to their leaves. Every lane of the warp calls it.
template <bool kCategorical, typename Reader, typename Keys>
__device__ __forceinline__ void WalkTree(ForestView const& forest, Reader const& reader, Keys const& keys, int depth,
                                         std::uint32_t (&nodes)[kThreadRows]) {
#pragma unroll
  for (int i = 0; i < kThreadRows; ++i) nodes[i] = 0;
  while (true) {
    int const steps = depth < kStepsBetweenChecks ? depth : kStepsBetweenChecks;
    for (int step = 0; step < steps; ++step) {
#pragma unroll
      for (int i = 0; i < kThreadRows; ++i) nodes[i] = Step<kCategorical>(forest, reader, keys, nodes[i], i);
    }
    depth -= steps;
    if (depth == 0) return;
    bool moves = false;
#pragma unroll
    for (int i = 0; i < kThreadRows; ++i) moves |= reader.Read(nodes[i]).left != nodes[i];
    if (__any_sync(0xFFFFFFFFU, moves) == 0) return;
  }
}

/// The nodes of a chunk, and their values or ids as leaves.
template <typename Node>
struct ChunkNodes {
  Node const* nodes;
  std::uint32_t const* worth;
};

__device__ __forceinline__ void WriteLeaf(WalkTask const& task, std::int64_t row, TreeHead const& tree,
                                          std::uint32_t id) {
  task.out[row * task.width + tree.tree - task.first_tree] = static_cast<float>(static_cast<std::int32_t>(id));
}

/// Traverses the trees of a chunk.
template <bool kCategorical, typename Node, typename Keys>
__device__ __forceinline__ void WalkChunk(WalkTask const& task, TreeChunk const& chunk, ChunkNodes<Node> const& from,
                                          Keys const& keys, ThreadRows own, float (&sums)[kThreadRows]) {
  TreeHead head = task.forest.heads[chunk.head_begin];
  for (std::int32_t tree = chunk.head_begin; tree < chunk.head_end; ++tree) {
    TreeHead const current = head;
    if (tree + 1 < chunk.head_end) head = task.forest.heads[tree + 1];
    auto const offset = static_cast<std::int32_t>(current.begin - chunk.node_begin);
    std::uint32_t leaves[kThreadRows];
    WalkTree<kCategorical>(task.forest, ReaderOf<Node>::Make(task.forest, from.nodes + offset), keys, current.depth,
                           leaves);
#pragma unroll
    for (int i = 0; i < kThreadRows; ++i) {
      std::uint32_t const bits = from.worth[offset + static_cast<std::int32_t>(leaves[i])];
      if (!task.writes_leaves) sums[i] += __uint_as_float(bits);
      if (task.writes_leaves && own.Row(i) < task.rows.n_rows) WriteLeaf(task, own.Row(i), current, bits);
    }
  }
}

__device__ __forceinline__ void ReadSums(WalkTask const& task, std::int32_t output, ThreadRows own,
                                         float (&sums)[kThreadRows]) {
#pragma unroll
  for (int i = 0; i < kThreadRows; ++i) {
    sums[i] = own.Row(i) < task.rows.n_rows ? task.out[own.Row(i) * task.width + output] : 0.0F;
  }
}

__device__ __forceinline__ void WriteSums(WalkTask const& task, std::int32_t output, ThreadRows own,
                                          float const (&sums)[kThreadRows]) {
#pragma unroll
  for (int i = 0; i < kThreadRows; ++i) {
    if (own.Row(i) < task.rows.n_rows) task.out[own.Row(i) * task.width + output] = sums[i];
  }
}

/// Traverses all chunks for the rows of the block. memory: the two buffers.
template <bool kCategorical, typename Node, typename Keys>
__device__ __forceinline__ void WalkChunks(WalkTask const& task, unsigned char* memory, Keys const& keys,
                                           ThreadRows own) {
  float sums[kThreadRows] = {};
  std::int32_t output = -1;
  for (std::int32_t index = 0; index < task.n_chunks; ++index) {
    BeginCopy<Node>(task, index + 1, {memory + (index + 1) % 2 * kBufferBytes, task.max_nodes});
    __pipeline_wait_prior(1);
    __syncthreads();
    TreeChunk const chunk = task.chunks[index];
    if (chunk.output != output && !task.writes_leaves) {
      if (output >= 0) WriteSums(task, output, own, sums);
      output = chunk.output;
      ReadSums(task, output, own, sums);
    }
    if (chunk.n_nodes > 0) {
      ChunkBuffer<Node> const buffer(memory + index % 2 * kBufferBytes, task.max_nodes);
      WalkChunk<kCategorical, Node>(task, chunk, {buffer.nodes, buffer.worth}, keys, own, sums);
    } else {
      WalkChunk<kCategorical, Node>(
          task, chunk,
          {static_cast<Node const*>(task.forest.nodes) + chunk.node_begin, Worth<Node>(task) + chunk.node_begin}, keys,
          own, sums);
    }
    __syncthreads();  // before the buffer is filled again
  }
  if (output >= 0) WriteSums(task, output, own, sums);
}

template <typename Node, bool kCategorical, bool kTile>
__global__ void __launch_bounds__(kMaxThreads, 1) WalkForestKernel(WalkTask task) {
  extern __shared__ __align__(16) unsigned char memory[];
  BeginCopy<Node>(task, 0, {memory, task.max_nodes});
  ThreadRows const own{static_cast<std::int64_t>(blockIdx.x) * kThreadRows * blockDim.x + threadIdx.x};
  if constexpr (kTile) {
    TileKeys const tile{reinterpret_cast<std::int32_t*>(memory + 2 * kBufferBytes) + threadIdx.x};
    FillTile(task.forest, task.rows, own, tile);
    WalkChunks<kCategorical, Node>(task, memory, tile, own);
  } else {
    WalkChunks<kCategorical, Node>(task, memory, GatheredKeys{task.forest, task.rows, own}, own);
  }
}

/// Reads the keys of one row in place.
struct KeysOfRow {
  WalkTask const& task;
  std::int64_t row;
  __device__ __forceinline__ std::int32_t operator()(std::uint32_t slot, int) const {
    if (task.rows.row_ptr == nullptr) return DenseKey(task.forest, task.rows, row, slot);
    return FindEntry(task.rows, row, task.forest.feature_of_slot[slot]);
  }
};

/// blockIdx.x: the row. The chunks have all trees of their output.
template <typename Node, bool kCategorical>
__global__ void __launch_bounds__(kFewThreads) WalkFewRowsKernel(WalkTask task) {
  __shared__ float leaves[kFewThreads];
  KeysOfRow const keys{task, blockIdx.x};
  for (std::int32_t index = 0; index < task.n_chunks; ++index) {
    TreeChunk const chunk = task.chunks[index];
    for (std::int32_t first = chunk.head_begin; first < chunk.head_end; first += kFewThreads) {
      std::int32_t const place = first + static_cast<int>(threadIdx.x);
      if (place < chunk.head_end) {
        TreeHead const tree = task.forest.heads[place];
        auto const reader = ReaderOf<Node>::Make(task.forest, static_cast<Node const*>(task.forest.nodes) + tree.begin);
        std::uint32_t node = 0;
        for (int step = 0; step < tree.depth; ++step) node = Step<kCategorical>(task.forest, reader, keys, node, 0);
        std::uint32_t const bits = Worth<Node>(task)[tree.begin + node];
        if (!task.writes_leaves) leaves[threadIdx.x] = __uint_as_float(bits);
        if (task.writes_leaves) WriteLeaf(task, keys.row, tree, bits);
      }
      __syncthreads();
      if (threadIdx.x == 0 && !task.writes_leaves) {
        float sum = task.out[keys.row * task.width + chunk.output];
        for (int i = 0; i < min(kFewThreads, chunk.head_end - first); ++i) sum += leaves[i];
        task.out[keys.row * task.width + chunk.output] = sum;
      }
      __syncthreads();
    }
  }
}

/// A block's threads and whether it has a tile.
struct Shape {
  int threads;
  bool has_tile;
};

int Attribute(cudaDeviceAttr attribute, int device) {
  int value = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

/// Returns the shape of blocks. Few rows are spread over all multiprocessors.
Shape ChooseShape(CudaContext const& cuda, std::int64_t n_slots, std::int64_t n_rows) {
  std::int64_t const shared = Attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.device);
  auto const warps = (n_rows + 32 * kThreadRows - 1) / (32 * kThreadRows);
  auto const warps_each = std::max<std::int64_t>(1, warps / Attribute(cudaDevAttrMultiProcessorCount, cuda.device));
  auto const wanted = static_cast<int>(std::min<std::int64_t>(kMaxThreads, 32 * warps_each));
  auto const per_thread = std::max<std::int64_t>(1, n_slots * kThreadRows * 4);
  auto const fitting = std::min<std::int64_t>(kMaxThreads, (shared - 2 * kBufferBytes) / per_thread / 32 * 32);
  if (fitting < std::min(kMinTileThreads, wanted)) return {wanted, false};
  return {std::min(wanted, static_cast<int>(fitting)), true};
}

}  // namespace

ForestWalk::ForestWalk(CudaContext const& cuda, DeviceForest const& forest, PredictKind kind, TreeRange trees,
                       std::int64_t most_rows)
    : forest_(forest), kind_(kind), trees_(trees), has_few_rows_(most_rows <= kFewRows) {
  if (kind != PredictKind::kMargin && kind != PredictKind::kLeaf) {
    Fail(ErrorKind::kInternal, "expected prediction type 1 (margin) or 6 (leaf), got ", static_cast<int>(kind));
  }
  auto const is_wide = forest.OnHost().is_wide;
  auto const node_bytes = static_cast<std::int64_t>((is_wide ? sizeof(WideNode) : sizeof(NarrowNode)) + sizeof(float));
  max_nodes_ = kBufferBytes / node_bytes / kNodeAlignment * kNodeAlignment;
  auto const most_nodes = has_few_rows_ ? kAllNodes : max_nodes_;
  if (trees.begin != trees.end) chunks_ = ToDevice(cuda, forest.Chunks(trees, most_nodes, kind == PredictKind::kLeaf));
}

void ForestWalk::Run(CudaContext const& cuda, DeviceRows const& rows, float* out) const {
  if (rows.n_rows == 0 || trees_.begin == trees_.end) return;
  auto const& host = forest_.OnHost();
  auto const writes_leaves = kind_ == PredictKind::kLeaf;
  WalkTask const task{forest_.View(),
                      rows,
                      chunks_.data(),
                      static_cast<std::int32_t>(chunks_.size()),
                      static_cast<std::int32_t>(max_nodes_),
                      writes_leaves,
                      host.ModelTree(trees_.begin),
                      writes_leaves ? host.LeafWidth(trees_) : host.n_outputs,
                      out};
  if (has_few_rows_) {
    auto* const few = host.is_wide ? &WalkFewRowsKernel<WideNode, true> : &WalkFewRowsKernel<NarrowNode, false>;
    return Launch(cuda, static_cast<unsigned>(rows.n_rows), kFewThreads, few, task);
  }
  auto const shape = ChooseShape(cuda, host.NumSlots(), rows.n_rows);
  auto const tile_bytes = shape.has_tile ? host.NumSlots() * kThreadRows * shape.threads * 4 : 0;
  auto* kernel = &WalkForestKernel<NarrowNode, false, true>;
  if (host.is_wide) {
    kernel = shape.has_tile ? &WalkForestKernel<WideNode, true, true> : &WalkForestKernel<WideNode, true, false>;
  } else if (!shape.has_tile) {
    kernel = &WalkForestKernel<NarrowNode, false, false>;
  }
  LaunchShared(cuda, GridFor(rows.n_rows, shape.threads * kThreadRows), shape.threads,
               static_cast<std::size_t>(2 * kBufferBytes + tile_bytes), kernel, task);
}

void WalkForest(CudaContext const& cuda, DeviceForest const& forest, DeviceRows const& rows, PredictKind kind,
                TreeRange trees, float* out) {
  ForestWalk(cuda, forest, kind, trees, rows.n_rows).Run(cuda, rows, out);
}

}  // namespace kauri::cuda
