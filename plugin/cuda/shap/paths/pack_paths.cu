/// 1. The edges of all trees, merged (FindEdgesOnDevice).
/// 2. The leaves among them are the paths: their sizes are counted, listed and placed.
/// 3. A thread per path goes up from its leaf and writes the path's elements to their place: 16 bytes each.
///
/// Placing the paths:
/// 1. A histogram of the sizes goes to the host, which plans the bins of each size from it (bin_packing.h): a hundred
///    runs, a few microseconds.
/// 2. A radix sort of the paths by size, one digit, gives the order that the plan assumes.
/// 3. A scan of the bins' loads gives the start of each bin.
/// 4. A thread per path finds its run by bisection, and thereby its bin and its place in the bin.
/// Best-fit decreasing is P-complete for items of any size. With 32 sizes only little work is sequential.
///
/// Floor, 6.7 M paths: 5 bytes of key and number read and written twice, 8 written at random: 0.2 GB, below 0.1 ms.
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/launch.h"
#include "cuda/common/memory_plan.h"
#include "cuda/shap/paths/pack_paths.h"
#include "predictor/forest/forest.h"
#include "predictor/lanes/bin_packing.h"
#include "predictor/lanes/packed_paths.h"
#include "predictor/paths/path_steps.h"

namespace kauri::cuda {
namespace {

/// Allocator of Thrust's temporary memory, from the async pool. Holds the memory in use; not shared by threads.
class ThrustMemory {
 public:
  using value_type = char;

  explicit ThrustMemory(CudaContext const& cuda) : cuda_(cuda) {}
  ThrustMemory(ThrustMemory const&) = delete;
  ThrustMemory& operator=(ThrustMemory const&) = delete;

  char* allocate(std::ptrdiff_t bytes) {
    Buffer<char> memory(cuda_, static_cast<std::size_t>(bytes));
    auto* const data = memory.data();
    used_.emplace(data, std::move(memory));
    return data;
  }
  void deallocate(char* data, std::size_t /*bytes*/) { used_.erase(data); }

  /// Policy for calls like thrust::sequence(memory.OnStream(), ...): in the stream's order, without waiting unless the
  /// call returns a value.
  auto OnStream() { return thrust::cuda::par_nosync(*this).on(cuda_.stream); }

 private:
  CudaContext cuda_;
  std::map<char*, Buffer<char>> used_;
};

constexpr int kSizes = 256;
constexpr int kSizeBits = 6;

/// Returns the number of elements of a bin, or 0 for the place after the last bin.
struct LoadOfBin {
  BinLoad const* loads;
  std::int64_t n_loads;
  std::int64_t n_bins;
  __device__ std::int64_t operator()(std::int64_t bin) const {
    return bin < n_bins ? LastUpTo(loads, n_loads, &BinLoad::first_bin, bin).used : 0;
  }
};

struct RunsView {
  PackingRun const* runs;
  std::int64_t n_runs;
};

/// order: [n_paths], the largest first.
__global__ void __launch_bounds__(kBlockThreads)
    PlaceKernel(RunsView plan, std::uint32_t const* order, std::int64_t n_paths, std::int64_t const* bin_begin,
                std::int64_t* element_of_path) {
  std::int64_t const i = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (i >= n_paths) return;
  ItemPlace const place = PlaceOfItem(plan.runs, plan.n_runs, i);
  element_of_path[order[i]] = bin_begin[place.bin] + place.offset;
}

/// Returns the paths by descending size; paths of one size keep their order.
Buffer<std::uint32_t> SortBySize(CudaContext const& cuda, ThrustMemory* memory, std::uint8_t const* sizes,
                                 std::int64_t n) {
  Buffer<std::uint32_t> order(cuda, ToSize(n));
  Buffer<std::uint32_t> const paths(cuda, ToSize(n));
  Buffer<std::uint8_t> const sorted_sizes(cuda, ToSize(n));
  thrust::sequence(memory->OnStream(), paths.data(), paths.data() + n);
  CubScratch scratch;
  scratch.Run(cuda, [&](void* temp, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairsDescending(temp, bytes, sizes, sorted_sizes.data(),
                                                     static_cast<std::uint32_t const*>(paths.data()), order.data(),
                                                     static_cast<int>(n), 0, kSizeBits, cuda.stream);
  });
  return order;
}

// The edges of trees, merged with earlier edges on the same feature (predictor/paths/tree_paths.h), on the
// device.
//
// Nodes are in breadth-first order, so a level is a range of nodes. The next level begins after it and ends at the
// last of its children. A block takes a tree:
//   1. A thread takes a node of the level and searches the path upwards for the nearest edge on the node's feature.
//   2. It merges the split into that edge, once for each child: interval, fraction of the rows, direction of missing
//      values. Edges above are complete, because their levels are.
//   3. The block waits for the level, then goes on to the next one.
//
// Floor, covtype-large (13.3 M nodes in 8,000 trees): 45 bytes an edge are written and about 30 read, 1 GB, 0.3 ms at
// 3 TB/s. The search up a path of 16 takes 16 loads, of lines that neighbouring threads have loaded.

struct PathTree {
  std::int64_t first_node;  ///< into the device's nodes and leaf values
  std::int64_t first_edge;  ///< into arrays by edge, which have the trees one after the other
  std::int32_t output;
};

/// Edges of all trees of a range. Device memory; not owning.
struct DeviceEdgesView {
  EdgesView edges;
  /// elements of the path that ends at an edge, with its root, at most 255; 0: no path ends here
  std::uint8_t* path_size;
};

class DeviceEdges {
 public:
  DeviceEdges(CudaContext const& cuda, std::size_t n_edges)
      : parent_(cuda, n_edges),
        earlier_(cuda, n_edges),
        feature_(cuda, n_edges),
        zero_fraction_(cuda, n_edges),
        n_features_(cuda, n_edges),
        path_size_(cuda, n_edges) {}
  DeviceEdgesView View() const {
    return {{parent_.data(), earlier_.data(), feature_.data(), zero_fraction_.data(), n_features_.data()},
            path_size_.data()};
  }
  static constexpr std::size_t BytesPerEdge() {
    return 2 * sizeof(std::uint32_t) + sizeof(PathFeature) + sizeof(double) + sizeof(std::int32_t) + 1;
  }

 private:
  Buffer<std::uint32_t> parent_;
  Buffer<std::uint32_t> earlier_;
  Buffer<PathFeature> feature_;
  Buffer<double> zero_fraction_;
  Buffer<std::int32_t> n_features_;
  Buffer<std::uint8_t> path_size_;
};

constexpr int kTreeThreads = 256;
constexpr std::int32_t kLargestSize = 255;

__device__ void SetRoot(EdgesView const& edges) {
  edges.parent[0] = 0;
  edges.earlier[0] = kNoEdge;
  edges.zero_fraction[0] = 1.0;
  edges.n_features[0] = 0;
}

__global__ void __launch_bounds__(kTreeThreads)
    FindEdgesKernel(NarrowReader nodes, PathTree const* trees, float const* cover, DeviceEdgesView to) {
  __shared__ unsigned next_end;
  PathTree const tree = trees[blockIdx.x];
  NarrowReader const own = nodes.From(tree.first_node);
  EdgesView const edges = to.edges.From(tree.first_edge);
  if (threadIdx.x == 0) SetRoot(edges);
  unsigned begin = 0;
  for (unsigned end = 1; begin < end;) {
    if (threadIdx.x == 0) next_end = end;
    __syncthreads();
    for (unsigned node = begin + threadIdx.x; node < end; node += kTreeThreads) {
      SplitNode const split = own.Read(node);
      bool const is_leaf = split.left == node;
      std::int32_t const size = is_leaf && node > 0 ? edges.n_features[node] + 1 : 0;
      to.path_size[tree.first_edge + node] = static_cast<std::uint8_t>(size < kLargestSize ? size : kLargestSize);
      if (is_leaf) continue;
      auto const merge = [&](PathFeature const& above, bool right) { return MergeNumber(above, split, right); };
      AddChildEdges(edges, cover + tree.first_edge, split, node, merge);
      atomicMax(&next_end, split.left + 2);
    }
    __syncthreads();
    begin = end;
    end = next_end;
    __syncthreads();  // all threads have read it
  }
}

/// Finds the edges of trees without categorical splits. trees: [n_trees], cover: by edge; all in device memory. The
/// result has the bits of FindEdges on the host.
void FindEdgesOnDevice(CudaContext const& cuda, NarrowReader const& nodes, PathTree const* trees, std::int64_t n_trees,
                       float const* cover, DeviceEdgesView const& to) {
  Launch(cuda, static_cast<unsigned>(n_trees), kTreeThreads, FindEdgesKernel, nodes, trees, cover, to);
}

constexpr std::int64_t kMostEdges = std::int64_t{1} << 31U;
/// Further bytes per edge: its cover, and half of a path's number, place and sort keys, as half of the edges end a
/// path.
constexpr std::size_t kOtherBytesPerEdge = 20;

struct EndsPath {
  __device__ bool operator()(std::uint8_t size) const { return size != 0; }
};

struct WriteTask {
  DeviceEdgesView edges;
  PathTree const* trees;
  std::int64_t n_trees;
  float const* leaf_value;  ///< by node
  std::uint32_t const* leaf_of_path;
  std::int64_t const* element_of_path;
  std::int64_t n_paths;
  PathFeature* elements;
};

__global__ void __launch_bounds__(kBlockThreads) WriteElementsKernel(WriteTask task) {
  std::int64_t const path = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (path >= task.n_paths) return;
  std::int64_t const edge = task.leaf_of_path[path];
  PathTree const& tree = LastUpTo(task.trees, task.n_trees, &PathTree::first_edge, edge);
  auto const leaf = static_cast<std::uint32_t>(edge - tree.first_edge);
  EdgesView const edges = task.edges.edges.From(tree.first_edge);
  PathFeature* to = task.elements + task.element_of_path[path];
  *to++ = RootElement(task.leaf_value[tree.first_node + leaf], tree.output);
  ForEachShortPathEdge(edges.parent, edges.earlier, leaf, [&](std::uint32_t above) { *to++ = edges.feature[above]; });
}

/// Lists the trees in the forest's order.
std::vector<PathTree> ListTrees(DeviceForest const& forest, TreeRange range) {
  auto const& on_host = forest.OnHost();
  auto const first_nodes = forest.FirstNodes();
  std::vector<PathTree> trees;
  for (auto tree = range.begin; tree < range.end; ++tree) {
    auto const first_edge = on_host.tree_begin[tree] - on_host.tree_begin[range.begin];
    trees.push_back({first_nodes[tree], first_edge, on_host.output_of_tree[tree]});
  }
  return trees;
}

bool FitsDevice(CudaContext const& cuda, Forest const& forest, std::int64_t n_edges) {
  if (forest.has_categorical || forest.is_wide || n_edges == 0 || n_edges >= kMostEdges) return false;
  auto const bytes = ToSize(n_edges) * (DeviceEdges::BytesPerEdge() + kOtherBytesPerEdge);
  return MakeRoom(cuda, bytes) >= bytes;
}

PackedOnDevice WriteElements(CudaContext const& cuda, WriteTask task, std::int64_t n_edges,
                             std::vector<std::int64_t> const& counts) {
  task.n_paths = std::accumulate(counts.begin() + 1, counts.end(), std::int64_t{0});
  Buffer<std::uint32_t> const leaf_of_path(cuda, ToSize(task.n_paths));
  Buffer<std::uint8_t> const sizes(cuda, ToSize(task.n_paths));
  ThrustMemory memory(cuda);
  thrust::counting_iterator<std::uint32_t> const all(0);
  thrust::copy_if(memory.OnStream(), all, all + n_edges, task.edges.path_size, leaf_of_path.data(), EndsPath{});
  thrust::gather(memory.OnStream(), leaf_of_path.data(), leaf_of_path.data() + task.n_paths, task.edges.path_size,
                 sizes.data());
  auto places = PlacePaths(cuda, sizes.data(), counts);
  PackedOnDevice packed;
  packed.elements = Buffer<PathFeature>(cuda, ToSize(places.n_elements));
  packed.n_bins = places.n_bins;
  if (places.n_bins > 0) {
    packed.utilisation = static_cast<double>(places.n_elements) / (static_cast<double>(places.n_bins) * kWarpLanes);
  }
  task.leaf_of_path = leaf_of_path.data();
  task.element_of_path = places.element_of_path.data();
  task.elements = packed.elements.data();
  Launch(cuda, GridFor(task.n_paths, kBlockThreads), kBlockThreads, WriteElementsKernel, task);
  packed.bin_begin = std::move(places.bin_begin);
  return packed;
}

}  // namespace

std::vector<std::int64_t> CountSizes(CudaContext const& cuda, std::uint8_t const* sizes, std::int64_t n) {
  if (n == 0) return std::vector<std::int64_t>(kSizes, 0);
  Buffer<std::uint32_t> const counts(cuda, kSizes);
  CubScratch scratch;
  scratch.Run(cuda, [&](void* temp, std::size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(temp, bytes, sizes, counts.data(), kSizes + 1, 0, kSizes,
                                               static_cast<int>(n), cuda.stream);
  });
  auto const found = ToHost(cuda, counts.data(), counts.size());
  return {found.begin(), found.end()};
}

PathPlaces PlacePaths(CudaContext const& cuda, std::uint8_t const* sizes, std::vector<std::int64_t> const& counts) {
  auto const plan = PlanBestFit({counts.data(), kWarpLanes + 1}, kWarpLanes);
  std::int64_t n_paths = 0;
  PathPlaces places;
  places.n_bins = plan.n_bins;
  for (std::int64_t size = 1; size <= kWarpLanes; ++size) {
    n_paths += counts[size];
    places.n_elements += size * counts[size];
  }
  auto const runs = ToDevice(cuda, plan.runs);
  auto const loads = ToDevice(cuda, plan.loads);
  places.element_of_path = Buffer<std::int64_t>(cuda, ToSize(n_paths));
  places.bin_begin = Buffer<std::int64_t>(cuda, ToSize(plan.n_bins) + 1);
  ThrustMemory memory(cuda);
  LoadOfBin const load{loads.data(), static_cast<std::int64_t>(plan.loads.size()), plan.n_bins};
  auto const first = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), load);
  thrust::exclusive_scan(memory.OnStream(), first, first + plan.n_bins + 1, places.bin_begin.data(), std::int64_t{0});
  auto const order = SortBySize(cuda, &memory, sizes, n_paths);
  Launch(cuda, GridFor(n_paths, kBlockThreads), kBlockThreads, PlaceKernel,
         RunsView{runs.data(), static_cast<std::int64_t>(plan.runs.size())}, order.data(), n_paths,
         places.bin_begin.data(), places.element_of_path.data());
  cuda.Synchronize();  // for the plan
  return places;
}

std::optional<PackedOnDevice> PackPathsOnDevice(CudaContext const& cuda, DeviceForest const& forest, TreeRange trees) {
  auto const& on_host = forest.OnHost();
  auto const first = on_host.tree_begin[trees.begin];
  auto const n_edges = on_host.tree_begin[trees.end] - first;
  if (!FitsDevice(cuda, on_host, n_edges)) return std::nullopt;
  auto const host_trees = ListTrees(forest, trees);
  auto const of_tree = ToDevice(cuda, host_trees);
  Buffer<float> const cover(cuda, ToSize(n_edges));
  CopyToDevice(cuda, on_host.cover.data() + first, ToSize(n_edges), cover.data());
  DeviceEdges const edges(cuda, ToSize(n_edges));
  auto const view = forest.View();
  NarrowReader const nodes{static_cast<NarrowNode const*>(view.nodes), (1U << view.slot_bits) - 1U,
                           view.slot_bits + 2U};
  auto const n_trees = trees.end - trees.begin;
  FindEdgesOnDevice(cuda, nodes, of_tree.data(), n_trees, cover.data(), edges.View());
  auto const counts = CountSizes(cuda, edges.View().path_size, n_edges);
  if (std::any_of(counts.begin() + kWarpLanes + 1, counts.end(), [](std::int64_t count) { return count > 0; })) {
    return std::nullopt;
  }
  WriteTask const task{edges.View(), of_tree.data(), n_trees, view.leaf_value, nullptr, nullptr, 0, nullptr};
  auto packed = WriteElements(cuda, task, n_edges, counts);
  cuda.Synchronize();  // for the arrays, which other streams read, and for `host_trees`
  return packed;
}

}  // namespace kauri::cuda
