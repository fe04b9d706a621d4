#include <queue>
#include <utility>
#include <vector>

#include "cuda/hist/gpu_hist_grower.h"

namespace kauri::cuda {

/// Returns whether everything that decides on children follows from their parent alone: allowed features, costs, weight
/// bounds and noise on gains. It must not depend on their numbers, which are assigned when the parent is split, or on
/// the splits made until then.
bool GpuHistGrower::CanLookAhead() const {
  return AllMayUseAll() && costs_.empty() && !gain_.monotone && !param_.extra_trees && !HasNoise() &&
         bins_.categorical.empty();
}

GpuHistGrower::Foreseen const* GpuHistGrower::ForeseenOf(Node const& node) const {
  auto const found = foreseen_.find(node.id);
  return found == foreseen_.end() ? nullptr : &found->second;
}

bool GpuHistGrower::IsForeseen(Node const& node) const { return ForeseenOf(node) != nullptr || IsLast(node); }

/// Returns the nodes to search ahead. Simulates splitting the known nodes in their order, as if a node whose children
/// are unknown had none. A node that is not reached this way is not split in reality either, whatever the unknown
/// children gain: they could only be split before it.
std::vector<GpuHistGrower::Node const*> GpuHistGrower::WorthALook(Nodes const& open, std::int64_t n_more) const {
  auto const comes_later = [](Node const* a, Node const* b) { return ComesLater(*a, *b); };
  std::priority_queue<Node const*, std::vector<Node const*>, decltype(comes_later)> known(comes_later);
  auto const add = [&](Node const& node) {
    if (node.IsOpen() && IsWorthSplitting(node)) known.push(&node);
  };
  for (auto const& node : open) add(node);
  if (known.empty() || IsForeseen(*known.top())) return {};
  std::vector<Node const*> nodes;
  for (; n_more > 1 && !known.empty(); --n_more) {  // the last node's children are leaves
    auto const& node = *known.top();
    known.pop();
    if (auto const* const children = ForeseenOf(node)) {
      add(children->left);
      add(children->right);
    } else if (!IsLast(node)) {
      nodes.push_back(&node);
    }
  }
  return nodes;
}

void GpuHistGrower::LookAhead(Nodes const& open, std::int64_t n_more) {
  if (!CanLookAhead()) return;
  auto const parents = WorthALook(open, n_more);
  if (!parents.empty()) LookAt(parents);
}

GpuHistGrower::Node GpuHistGrower::MakeChild(Node const& parent, FixedSum sum, std::int32_t id) const {
  Node child;
  child.id = id;
  child.depth = parent.depth + 1;
  child.total = parent.total;
  child.total.sum = sum;
  child.total.gain = NodeGain(sum, gain_, child.total.bounds);
  if (MaySplit(child.total, child.depth)) child.features = AllFeatures();
  return child;
}

void GpuHistGrower::LookAt(std::vector<Node const*> const& parents) {
  Nodes children;
  children.reserve(2 * parents.size());
  Pairs pairs;
  for (auto const* parent : parents) {
    auto const id = kForeseen + n_foreseen_;
    n_foreseen_ += 2;
    children.push_back(MakeChild(*parent, parent->best.left, id));
    children.push_back(MakeChild(*parent, parent->best.right, id + 1));
    auto* large = &children.back();
    auto* small = large - 1;
    if (!HasFewerRows(*small, *large)) std::swap(small, large);
    auto split = MakeCodeSplit(cuts_, parent->best, {});
    split.node = parent->id;
    split.left = id;
    split.right = id + 1;
    rows_.Foresee(split);
    if (large->IsOpen()) {
      pairs.push_back({small, large, parent->histogram});
    } else {
      pairs.push_back({small, nullptr, nullptr});
    }
  }
  FindOnDevice(pairs);
  rows_.TakeForeseen();
  for (std::size_t i = 0; i < parents.size(); ++i) {
    foreseen_[parents[i]->id] = {std::move(children[2 * i]), std::move(children[2 * i + 1])};
  }
}

void GpuHistGrower::TakeForeseenChild(Node* foreseen, std::int32_t node) {
  if (auto const found = foreseen_.find(foreseen->id); found != foreseen_.end()) {
    auto children = std::move(found->second);
    foreseen_.erase(found);
    foreseen_[node] = std::move(children);
  }
  foreseen_child_[node] = std::move(*foreseen);
}

void GpuHistGrower::TakeForeseenOf(std::vector<CodeSplit> const& splits) {
  for (auto const& split : splits) {
    auto const found = foreseen_.find(split.node);
    if (split.is_last || found == foreseen_.end()) continue;
    auto children = std::move(found->second);
    foreseen_.erase(found);
    TakeForeseenChild(&children.left, split.left);
    TakeForeseenChild(&children.right, split.right);
  }
}

GpuHistGrower::Pairs GpuHistGrower::TakeForeseen(Pairs const& pairs) {
  Pairs others;
  for (auto const& pair : pairs) {
    if (foreseen_child_.count(pair.small->id) == 0) {
      others.push_back(pair);
      continue;
    }
    for (auto* node : {pair.small, pair.large}) {
      if (node == nullptr) continue;
      auto const& child = foreseen_child_.at(node->id);
      node->histogram = child.histogram;
      node->best = child.best;
    }
  }
  foreseen_child_.clear();
  return others;
}

}  // namespace kauri::cuda
