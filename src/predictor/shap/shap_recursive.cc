#include "predictor/shap/shap_recursive.h"

#include <algorithm>

#include "predictor/forest/cover.h"

namespace kauri {
namespace {

/// Extends a path: sets element `length` and the weights 0 .. length.
void Extend(PathElement* path, std::size_t length, PathElement const& added, double const* reciprocals) {
  path[length] = added;
  path[length].weight = length == 0 ? 1.0 : 0.0;
  auto const scale = reciprocals[length + 1];
  for (auto i = length; i-- > 0;) {
    auto const weight = path[i].weight * scale;
    if (added.one_fraction) path[i + 1].weight += weight * static_cast<double>(i + 1);
    path[i].weight = added.zero_fraction * weight * static_cast<double>(length - i);
  }
}

/// Unwinds one feature with o = 1 from weights[0 .. n] (n features). Sets left[0 .. n-1] to the remaining weights,
/// unless left is nullptr, and returns their sum. weight_of(i) reads a weight.
template <typename WeightOf>
double UnwindHot(WeightOf&& weight_of, std::size_t n, double zero_fraction, double const* reciprocals, double* left) {
  double sum = 0.0;
  auto next = weight_of(n);
  auto const factor = zero_fraction * reciprocals[n + 1];
  for (auto i = n; i-- > 0;) {
    auto const weight = next * (static_cast<double>(n + 1) * reciprocals[i + 1]);
    sum += weight;
    next = weight_of(i) - weight * (factor * static_cast<double>(n - i));
    if (left != nullptr) left[i] = weight;
  }
  return sum;
}

/// Unwinds one feature with o = 0, otherwise like UnwindHot, and multiplies by the feature's zero_fraction, which
/// cancels. The result is the same for every such feature.
template <typename WeightOf>
double UnwindCold(WeightOf&& weight_of, std::size_t n, double const* reciprocals, double* left) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    auto const weight = weight_of(i) * (static_cast<double>(n + 1) * reciprocals[n - i]);
    sum += weight;
    if (left != nullptr) left[i] = weight;
  }
  return sum;
}

/// Removes element `index` of path[0 .. n]; `weights` is scratch.
void Unwind(PathElement* path, std::size_t n, std::size_t index, double const* reciprocals,
            std::vector<double>* weights) {
  weights->resize(n);
  auto const weight_of = [&](std::size_t i) { return path[i].weight; };
  auto const removed = path[index];
  if (removed.one_fraction) {
    UnwindHot(weight_of, n, removed.zero_fraction, reciprocals, weights->data());
  } else {
    UnwindCold(weight_of, n, reciprocals, weights->data());
    for (auto& weight : *weights) weight /= removed.zero_fraction;
  }
  std::copy(path + index + 1, path + n + 1, path + index);
  for (std::size_t i = 0; i < n; ++i) path[i].weight = (*weights)[i];
}

}  // namespace

void TreeShap::PrepareReciprocals(std::int64_t tree) {
  auto const needed = static_cast<std::size_t>(forest_.tree_depth[tree]) + 3;
  for (auto i = reciprocals_.size(); i < needed; ++i)
    reciprocals_.push_back(i == 0 ? 0.0 : 1.0 / static_cast<double>(i));
}

void TreeShap::PushChildren(std::int64_t tree, Branch const& branch, std::int32_t const* keys, std::size_t begin,
                            std::size_t length) {
  auto const split = forest_.Node(tree, branch.node);
  auto* path = paths_.data() + begin;
  auto* const end = path + length;
  auto* const found = std::find_if(path + 1, end, [&](PathElement const& e) { return e.slot == split.slot; });
  PathElement earlier{1.0, 0.0, split.slot, true};
  if (found != end) {
    earlier = *found;
    Unwind(path, length - 1, static_cast<std::size_t>(found - path), reciprocals_.data(), &hot_weights_);
    --length;
  }
  auto const* cover = forest_.cover.data() + forest_.tree_begin[tree];
  auto const taken = split.left + (GoesRight(split, keys[split.slot], forest_.categories) ? 1U : 0U);
  for (auto child : {2 * split.left + 1 - taken, taken}) {
    auto const zero = earlier.zero_fraction * CoverRatio(cover[branch.node], cover[child]);
    auto const one = earlier.one_fraction && child == taken;
    if (one || zero > 0.0) branches_.push_back({begin, length, zero, child, split.slot, one});
  }
}

template <typename LeafFn>
void TreeShap::ForEachLeaf(std::int64_t tree, std::int32_t const* keys, LeafFn&& leaf_fn) {
  constexpr std::uint32_t kNoSlot = 0xFFFFFFFFU;
  auto const* leaf_value = forest_.leaf_value.data() + forest_.tree_begin[tree];
  PrepareReciprocals(tree);
  branches_.assign(1, {0, 0, 1.0, 0, kNoSlot, true});
  while (!branches_.empty()) {
    auto const branch = branches_.back();
    branches_.pop_back();
    // The parent's path stays in place until both of its children are finished.
    auto const begin = branch.parent_begin + branch.parent_length;
    auto const length = branch.parent_length + 1;
    if (paths_.size() < begin + length) paths_.resize(2 * (begin + length));
    auto* path = paths_.data() + begin;
    std::copy_n(paths_.data() + branch.parent_begin, branch.parent_length, path);
    Extend(path, branch.parent_length, {branch.zero_fraction, 0.0, branch.slot, branch.one_fraction},
           reciprocals_.data());
    if (forest_.IsLeaf(tree, branch.node)) {
      leaf_fn(path, length - 1, static_cast<double>(leaf_value[branch.node]));
    } else {
      PushChildren(tree, branch, keys, begin, length);
    }
  }
}

void TreeShap::AddLeaf(PathElement const* path, std::size_t n_features, double value, double* phi) {
  auto const weight_of = [&](std::size_t i) { return path[i].weight; };
  auto const cold = -value * UnwindCold(weight_of, n_features, reciprocals_.data(), nullptr);
  for (auto const* element = path + 1; element <= path + n_features; ++element) {
    if (element->one_fraction) {
      auto const sum = UnwindHot(weight_of, n_features, element->zero_fraction, reciprocals_.data(), nullptr);
      phi[element->slot] += value * (1.0 - element->zero_fraction) * sum;
    } else {
      phi[element->slot] += cold;
    }
  }
}

void TreeShap::AddPair(PathElement const& a, PathElement const& b, double value, double* pairs) const {
  auto const n_slots = static_cast<std::size_t>(forest_.NumSlots());
  pairs[std::min(a.slot, b.slot) * n_slots + std::max(a.slot, b.slot)] += value;
}

void TreeShap::AddLeafPairs(PathElement const* path, std::size_t n_features, double value, double* pairs) {
  if (n_features < 2) return;
  auto const n = n_features - 1;  // features on the path without one feature
  auto const* reciprocals = reciprocals_.data();
  auto const* const end = path + n_features + 1;
  auto const weight_of = [&](std::size_t i) { return path[i].weight; };
  cold_weights_.resize(n_features);
  hot_weights_.resize(n_features);
  auto const cold_weight_of = [&](std::size_t i) { return cold_weights_[i]; };
  auto const hot_weight_of = [&](std::size_t i) { return hot_weights_[i]; };
  UnwindCold(weight_of, n_features, reciprocals, cold_weights_.data());
  auto const cold_pair = 0.5 * value * UnwindCold(cold_weight_of, n, reciprocals, nullptr);

  for (auto const* a = path + 1; a < end; ++a) {
    if (!a->one_fraction) {
      for (auto const* b = a + 1; b < end; ++b) {
        if (!b->one_fraction) AddPair(*a, *b, cold_pair, pairs);
      }
      continue;
    }
    auto const effect = 0.5 * value * (1.0 - a->zero_fraction);
    auto const mixed = -effect * UnwindHot(cold_weight_of, n, a->zero_fraction, reciprocals, nullptr);
    UnwindHot(weight_of, n_features, a->zero_fraction, reciprocals, hot_weights_.data());
    for (auto const* b = path + 1; b < end; ++b) {
      if (!b->one_fraction) {
        AddPair(*a, *b, mixed, pairs);
      } else if (b > a) {
        auto const sum = UnwindHot(hot_weight_of, n, b->zero_fraction, reciprocals, nullptr);
        AddPair(*a, *b, effect * (1.0 - b->zero_fraction) * sum, pairs);
      }
    }
  }
}

void TreeShap::AddContributions(std::int64_t tree, std::int32_t const* keys, double* phi) {
  ForEachLeaf(tree, keys, [&](PathElement const* path, std::size_t n_features, double value) {
    AddLeaf(path, n_features, value, phi);
  });
}

void TreeShap::AddInteractions(std::int64_t tree, std::int32_t const* keys, double* phi, double* pairs) {
  ForEachLeaf(tree, keys, [&](PathElement const* path, std::size_t n_features, double value) {
    AddLeaf(path, n_features, value, phi);
    AddLeafPairs(path, n_features, value, pairs);
  });
}

}  // namespace kauri
