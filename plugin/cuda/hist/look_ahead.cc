#include <algorithm>
#include <utility>

#include "cuda/hist/gpu_hist_grower.h"

namespace kauri::cuda {

/// What children may use, what it costs, what they may weigh and the noise on their gains must follow from their parent
/// alone, not from their numbers, which they get when it is split, or from the splits made until then.
bool GpuHistGrower::CanLookAhead() const {
  return AllMayUseAll() && costs_.empty() && !gain_.monotone && !param_.extra_trees && !HasNoise() &&
         data_->categorical.empty();
}

std::vector<GpuHistGrower::Node const*> GpuHistGrower::WorthALook(Nodes const& open, std::int64_t n_more) const {
  std::vector<Node const*> nodes;
  for (auto const& node : open) nodes.push_back(&node);
  std::sort(nodes.begin(), nodes.end(), [](Node const* a, Node const* b) { return ComesLater(*b, *a); });
  if (static_cast<std::int64_t>(nodes.size()) > n_more) nodes.resize(ToSize(n_more));
  if (nodes.empty() || foreseen_.count(nodes[0]->id) != 0) return {};  // the next one is known
  auto const is_not = [&](Node const* node) { return !IsWorthSplitting(*node) || foreseen_.count(node->id) != 0; };
  nodes.erase(std::remove_if(nodes.begin(), nodes.end(), is_not), nodes.end());
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
  std::vector<std::int32_t> looked_at;  ///< nodes, as their children are in `children`
  for (auto const* parent : parents) {
    auto const id = static_cast<std::int32_t>(children.size());
    children.push_back(MakeChild(*parent, parent->best.left, id));
    children.push_back(MakeChild(*parent, parent->best.right, id + 1));
    auto* small = &children[ToSize(id)];
    auto* large = small + 1;
    if (!HasFewerRows(*small, *large)) std::swap(small, large);
    if (!small->IsOpen() && !large->IsOpen()) {  // nothing to find
      children.resize(ToSize(id));
      continue;
    }
    auto split = MakeCodeSplit(cuts_, parent->best, {});
    split.node = parent->id;
    split.left = id;
    split.right = id + 1;
    looked_at.push_back(parent->id);
    data_->rows.Foresee(split);
    for (auto const& share : data_->shares) share->Foresee(split);
    if (large->IsOpen()) {
      pairs.push_back({small, large, parent->histogram});
    } else {
      pairs.push_back({small, nullptr, nullptr});
    }
  }
  if (pairs.empty()) return;
  FindOnDevice(pairs);
  data_->rows.TakeForeseen();
  for (auto const& share : data_->shares) share->TakeForeseen();
  for (std::size_t i = 0; i < looked_at.size(); ++i) {
    foreseen_[looked_at[i]] = {std::move(children[2 * i]), std::move(children[2 * i + 1])};
  }
}

void GpuHistGrower::TakeForeseenOf(std::vector<CodeSplit> const& splits) {
  for (auto const& split : splits) {
    auto const found = foreseen_.find(split.node);
    if (split.is_last || found == foreseen_.end()) continue;
    foreseen_child_[split.left] = std::move(found->second.left);
    foreseen_child_[split.right] = std::move(found->second.right);
    foreseen_.erase(found);
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
