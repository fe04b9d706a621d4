/// 1. The edges of all trees, merged (find_edges.h).
/// 2. The leaves among them are the paths: their sizes are counted, listed and placed (place_paths.h).
/// 3. A thread per path goes up from its leaf and writes the path's elements to their place: 16 bytes each.
#include <thrust/copy.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "cuda/common/launch.h"
#include "cuda/common/memory_plan.h"
#include "cuda/common/thrust_policy.h"
#include "cuda/shap/paths/find_edges.h"
#include "cuda/shap/paths/pack_paths.h"
#include "cuda/shap/paths/place_paths.h"
#include "predictor/lanes/packed_paths.h"
#include "predictor/lanes/packing_plan.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 256;
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

__global__ void __launch_bounds__(kThreads) WriteElementsKernel(WriteTask task) {
  std::int64_t const path = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
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
  Launch(cuda, GridFor(task.n_paths, kThreads), kThreads, WriteElementsKernel, task);
  packed.bin_begin = std::move(places.bin_begin);
  return packed;
}

}  // namespace

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
