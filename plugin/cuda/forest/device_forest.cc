#include "cuda/forest/device_forest.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <type_traits>

#include "cuda/common/memory_plan.h"

namespace kauri::cuda {
namespace {

bool SplitsCategories(Model const& model, TreeRange trees) {
  return std::any_of(model.trees.begin() + trees.begin, model.trees.begin() + trees.end,
                     [](Tree const& tree) { return tree.HasCategorical(); });
}

/// Returns the tree numbers ordered by output, stably.
std::vector<std::int64_t> OrderByOutput(Forest const& forest) {
  std::vector<std::int64_t> order(forest.NumTrees());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return forest.output_of_tree[a] < forest.output_of_tree[b]; });
  return order;
}

/// Returns an array over nodes in device order; the padding between trees is never read.
template <typename T>
std::vector<T> Reorder(Forest const& forest, std::vector<std::int64_t> const& order, std::vector<TreeHead> const& heads,
                       std::int64_t n_nodes, std::vector<T> const& from) {
  std::vector<T> to(n_nodes);
  for (std::size_t place = 0; place < order.size(); ++place) {
    auto const first = from.begin() + forest.tree_begin[order[place]];
    auto const last = from.begin() + forest.tree_begin[(order[place]) + 1];
    std::copy(first, last, to.begin() + heads[place].begin);
  }
  return to;
}

constexpr std::size_t kAlignment = 16;  ///< of arrays

/// Appends the values at a place that any type may have. \returns the place.
template <typename Values>
std::size_t Append(Values const& values, std::vector<unsigned char>* bytes) {
  using T = typename Values::value_type;
  static_assert(alignof(T) <= kAlignment && std::is_trivially_copyable_v<T>);
  auto const place = (bytes->size() + kAlignment - 1) / kAlignment * kAlignment;
  bytes->resize(place + values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes->data() + place, values.data(), values.size() * sizeof(T));
  return place;
}

/// Below this size, a query for the free memory takes longer than the upload: a tree or two, every round.
constexpr std::size_t kWorthAsking = 1 << 20;

/// Requires memory for the forest. \returns its bytes, without gaps between arrays.
std::size_t RequireForestMemory(CudaContext const& cuda, Forest const& forest, std::size_t n_nodes) {
  auto const node_bytes = n_nodes * (forest.is_wide ? sizeof(WideNode) : sizeof(NarrowNode));
  auto const leaf_bytes = n_nodes * (sizeof(float) + sizeof(std::int32_t));
  auto const& categories = forest.categories;
  auto const rest = forest.tree_depth.size() * sizeof(TreeHead) + 4 * forest.feature_of_slot.size() +
                    4 * forest.slot_of_feature.size() + sizeof(CategorySet) * categories.Sets().size() +
                    4 * categories.Data().size();
  auto const all = node_bytes + leaf_bytes + rest;
  if (all >= kWorthAsking) {
    RequireMemory(cuda, "a model of " + std::to_string(forest.NumTrees()) + " trees",
                  {{"nodes", node_bytes}, {"leaves", leaf_bytes}, {"features and categories", rest}});
  }
  return all;
}

}  // namespace

DeviceForest::DeviceForest(Context const& ctx, Model const& model, TreeRange range, CoverSource cover_source)
    : forest_(CompileForest(ctx, model, range,
                            SplitsCategories(model, range) ? NodeLayout::kWide : NodeLayout::kSmallest, cover_source)),
      stream_(ctx.device.ordinal),
      order_(OrderByOutput(forest_)) {
  DeviceScope const scope(ctx.device.ordinal);
  auto const& cuda = stream_.Context();
  std::int64_t n_nodes = 0;
  for (auto const tree : order_) {
    host_heads_.push_back({n_nodes, forest_.tree_depth[tree], static_cast<std::int32_t>(forest_.ModelTree(tree))});
    node_count_.push_back(forest_.tree_begin[tree + 1] - forest_.tree_begin[tree]);
    n_nodes += (node_count_.back() + kNodeAlignment - 1) / kNodeAlignment * kNodeAlignment;
  }
  constexpr std::size_t kGaps = 8 * kAlignment;
  std::vector<unsigned char> bytes;
  bytes.reserve(RequireForestMemory(cuda, forest_, ToSize(n_nodes)) + kGaps);
  auto const add = [&](auto const& values) { return Append(values, &bytes); };
  auto const add_nodes = [&](auto const& values) {
    return add(Reorder(forest_, order_, host_heads_, n_nodes, values));
  };
  places_ = {forest_.is_wide ? add_nodes(forest_.wide) : add_nodes(forest_.narrow),
             add_nodes(forest_.leaf_value),
             add_nodes(forest_.node_id),
             add(host_heads_),
             add(forest_.feature_of_slot),
             add(forest_.slot_of_feature),
             add(forest_.categories.Sets()),
             add(forest_.categories.Data())};
  bytes_ = ToDevice(cuda, bytes);
  cuda.Synchronize();  // for the arrays, which other streams read
}

ForestView DeviceForest::View() const {
  ForestView view{};
  view.nodes = At<void>(places_.nodes);
  view.leaf_value = At<float>(places_.leaf_value);
  view.node_id = At<std::int32_t>(places_.node_id);
  view.heads = At<TreeHead>(places_.heads);
  view.slot_bits = forest_.slot_bits;
  view.n_slots = static_cast<std::int32_t>(forest_.NumSlots());
  view.n_outputs = static_cast<std::int32_t>(forest_.n_outputs);
  view.feature_of_slot = At<std::uint32_t>(places_.feature_of_slot);
  view.slot_of_feature = At<std::int32_t>(places_.slot_of_feature);
  view.n_mapped_features = static_cast<std::int64_t>(forest_.slot_of_feature.size());
  view.categories = {At<CategorySet>(places_.sets), At<std::uint32_t>(places_.set_data)};
  return view;
}

std::vector<std::int64_t> DeviceForest::FirstNodes() const {
  std::vector<std::int64_t> first(order_.size());
  for (std::size_t place = 0; place < order_.size(); ++place) first[order_[place]] = host_heads_[place].begin;
  return first;
}

std::vector<TreeChunk> DeviceForest::Chunks(TreeRange range, std::int64_t max_nodes, bool firsts_only) const {
  std::vector<TreeChunk> chunks;
  for (std::size_t place = 0; place < host_heads_.size(); ++place) {
    auto const tree = order_[place];
    if (tree < range.begin || tree >= range.end) continue;
    if (firsts_only && tree > 0 && forest_.ModelTree(tree - 1) == forest_.ModelTree(tree)) continue;
    auto const& head = host_heads_[place];
    auto const output = forest_.output_of_tree[tree];
    auto const index = static_cast<std::int32_t>(place);
    auto const padded = (node_count_[place] + kNodeAlignment - 1) / kNodeAlignment * kNodeAlignment;
    auto* last = chunks.empty() ? nullptr : &chunks.back();
    if (last != nullptr && last->output == output && last->head_end == index && last->n_nodes > 0 &&
        last->n_nodes + padded <= max_nodes) {
      last->n_nodes += static_cast<std::int32_t>(padded);
      last->head_end = index + 1;
    } else {
      auto const copied = padded <= max_nodes ? static_cast<std::int32_t>(padded) : 0;
      chunks.push_back({head.begin, copied, index, index + 1, output});
    }
  }
  return chunks;
}

}  // namespace kauri::cuda
