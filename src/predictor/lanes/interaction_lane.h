/// \file Runs one row through a tree that is compiled for interactions of sets (interaction_forest.h): the operations
/// of interaction_kernel.cc in their order, so that the terms have the same bits. The code is compiled for both sides:
/// a device thread is a lane, and tests run the same code on the host.
///
/// `Lane` gives access to the data:
///   double Load(place), void Store(place, double)           the row's memory, NumPlaces of doubles
///   int32 Key(slot), CategoryConditionsView Categories()
///   void Add(set, value)                                    value: in units, not rounded
///
/// Operations: those of interaction_kernel.h for a row instead of 8. Every lane of a warp goes through the same steps.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/host_device.h"
#include "predictor/interactions/interaction_forest.h"

namespace kauri {

/// A tree's arrays in the memory of either side. Not owning.
struct InteractionTreeView {
  InteractionStep const* steps;
  std::int64_t n_steps;
  InteractionEdge const* edges;
  InteractionSplit const* splits;
  std::uint32_t const* levels;
  std::uint32_t const* sets;
  double const* constants;
  double const* cold_gain;
  double const* weights;  ///< [order + 1, points], those of size 0 of any value
  std::int32_t points;
  std::int32_t order;
  std::int32_t n_levels;
  bool is_uniform;

  /// Returns the doubles of a level: the edge into it, whether the row is hot there, and four numbers for each point.
  KAURI_HD std::int32_t LevelPlaces() const { return 2 + 4 * points; }
  /// Returns the doubles of a row's memory.
  KAURI_HD std::int32_t NumPlaces() const { return (n_levels + 1) * LevelPlaces(); }
};

/// Runs a tree.
template <typename Lane>
class InteractionLane {
 public:
  /// scale: units of 1.
  KAURI_HD InteractionLane(InteractionTreeView const& tree, double scale, Lane* lane)
      : tree_(tree), scale_(scale), lane_(*lane) {}

  KAURI_HD void Walk() {
    for (std::int32_t q = 0; q < tree_.points; ++q) {
      lane_.Store(Product(here_, q), tree_.is_uniform ? tree_.weights[tree_.points + q] * scale_ : scale_);
      Clear(here_, q);
    }
    std::int64_t edge = 0;
    InteractionSplit const* split = tree_.splits;
    for (std::int64_t i = 0; i < tree_.n_steps; ++i) {
      switch (tree_.steps[i]) {
        case InteractionStep::kLeaf:
          AddLeaf(edge++);
          break;
        case InteractionStep::kDown:
          Descend(edge++);
          break;
        case InteractionStep::kUp:
          Ascend();
          break;
        case InteractionStep::kSplit:
          AddSplit(*split++);
          break;
      }
    }
  }

 private:
  // Places of a level that begins at `level`.
  KAURI_HD std::int32_t Hot(std::int32_t level) const { return level + 1; }
  KAURI_HD std::int32_t Product(std::int32_t level, std::int32_t q) const { return level + 2 + q; }
  KAURI_HD std::int32_t Mass(std::int32_t level, std::int32_t q) const { return level + 2 + tree_.points + q; }
  KAURI_HD std::int32_t Term(std::int32_t level, std::int32_t q) const { return level + 2 + 2 * tree_.points + q; }
  KAURI_HD std::int32_t Gain(std::int32_t level, std::int32_t q) const { return level + 2 + 3 * tree_.points + q; }
  KAURI_HD std::int32_t LevelOf(std::int32_t number) const { return number * tree_.LevelPlaces(); }

  KAURI_HD void Clear(std::int32_t level, std::int32_t q) const {
    lane_.Store(Mass(level, q), 0.0);
    lane_.Store(Term(level, q), 0.0);
  }
  KAURI_HD double const* ConstantsOf(std::int64_t edge) const {
    return tree_.constants + edge * kNumConstants * tree_.points;
  }

  KAURI_HD bool IsHot(InteractionEdge const& edge) const {
    std::int32_t const key = lane_.Key(edge.slot);
    if (edge.has_condition) return Follows(ConditionOf(edge), key, lane_.Categories());
    bool const is_inside = static_cast<std::uint32_t>(key) - static_cast<std::uint32_t>(edge.lower) < edge.width;
    return is_inside | (key == edge.missing);
  }
  /// Returns whether the row is cold at the edge's previous edge.
  KAURI_HD bool WasCold(InteractionEdge const& edge) const {
    return edge.previous != 0 && lane_.Load(Hot(LevelOf(edge.previous))) == 0.0;
  }

  KAURI_HD double Ratio(double const* constants, InteractionEdge const& edge, bool hot, bool was_cold,
                        std::int32_t q) const {
    if (was_cold) return edge.cold_ratio;
    return constants[(hot ? kHotRatio : kColdRatio) * tree_.points + q];
  }
  KAURI_HD void AddMass(double mass, double const* constants, bool hot, bool was_cold, std::int32_t q) const {
    double const step = was_cold ? 0.0 : constants[(hot ? kHotStep : kColdStep) * tree_.points + q];
    lane_.Store(Mass(here_, q), lane_.Load(Mass(here_, q)) + mass);
    lane_.Store(Term(here_, q), lane_.Load(Term(here_, q)) + mass * step);
  }

  KAURI_HD void AddLeaf(std::int64_t number) const {
    InteractionEdge const& edge = tree_.edges[number];
    double const* constants = ConstantsOf(number);
    bool const hot = IsHot(edge);
    bool const was_cold = WasCold(edge);
    for (std::int32_t q = 0; q < tree_.points; ++q) {
      double const product = lane_.Load(Product(here_, q)) * Ratio(constants, edge, hot, was_cold, q);
      AddMass(product * edge.leaf, constants, hot, was_cold, q);
    }
  }

  KAURI_HD void Descend(std::int64_t number) {
    InteractionEdge const& edge = tree_.edges[number];
    double const* constants = ConstantsOf(number);
    bool const hot = IsHot(edge);
    bool const was_cold = WasCold(edge);
    std::int32_t const below = here_ + tree_.LevelPlaces();
    lane_.Store(below, static_cast<double>(number));
    lane_.Store(Hot(below), hot ? 1.0 : 0.0);
    for (std::int32_t q = 0; q < tree_.points; ++q) {
      lane_.Store(Product(below, q), lane_.Load(Product(here_, q)) * Ratio(constants, edge, hot, was_cold, q));
      lane_.Store(Gain(below, q), hot ? constants[kHotGain * tree_.points + q] : tree_.cold_gain[q]);
      Clear(below, q);
    }
    here_ = below;
  }

  KAURI_HD void Ascend() {
    std::int32_t const below = here_;
    auto const number = static_cast<std::int64_t>(lane_.Load(below));
    InteractionEdge const& edge = tree_.edges[number];
    bool const was_cold = WasCold(edge);
    bool const hot = lane_.Load(Hot(below)) != 0.0;
    here_ -= tree_.LevelPlaces();
    for (std::int32_t q = 0; q < tree_.points; ++q) {
      AddMass(lane_.Load(Mass(below, q)), ConstantsOf(number), hot, was_cold, q);
    }
  }

  KAURI_HD void AddSplit(InteractionSplit const& split) const {
    std::int32_t point = 0;
    for (; point + kPointsTogether <= tree_.points; point += kPointsTogether) AddPoints<kPointsTogether>(split, point);
    if (tree_.points - point == 3) AddPoints<3>(split, point);
    if (tree_.points - point == 2) AddPoints<2>(split, point);
    if (tree_.points - point == 1) AddPoints<1>(split, point);
  }

  KAURI_HD double Weighted(double product, std::int32_t size, std::int32_t point) const {
    return tree_.is_uniform ? product : product * tree_.weights[size * tree_.points + point];
  }

  /// Adds a split's terms to the sets of its feature and of other features above it, in the order of ForEachSubset,
  /// with a stack in place of the recursion.
  template <int kPoints>
  KAURI_HD void AddPoints(InteractionSplit const& split, std::int32_t point) const {
    double product[kMostOrder][kPoints];  // of the sets of 1, 2, ... features
    std::uint32_t next[kMostOrder];
    for (int q = 0; q < kPoints; ++q) product[0][q] = lane_.Load(Term(here_, point + q));
    std::uint32_t const* set = tree_.sets + split.sum_begin;
    double sum = Weighted(product[0][0], 1, point);
    for (int q = 1; q < kPoints; ++q) sum = sum + Weighted(product[0][q], 1, point + q);
    lane_.Add(*set++, sum);
    next[0] = 0;
    std::int32_t size = 1;
    set = AddExtensions<kPoints>(split, point, product[0], size, 0, set);
    while (size > 0) {
      std::uint32_t& other = next[size - 1];
      if (size + 1 >= tree_.order || other + 1 >= split.n_others) {
        --size;
        continue;
      }
      std::int32_t const gain = GainOf(split, other, point);
      for (int q = 0; q < kPoints; ++q) product[size][q] = product[size - 1][q] * lane_.Load(gain + q);
      next[size] = ++other;
      ++size;
      set = AddExtensions<kPoints>(split, point, product[size - 1], size, next[size - 1], set);
    }
  }

  /// Adds to the sets with one more feature, from the other feature `first` on. Returns the next set.
  template <int kPoints>
  KAURI_HD std::uint32_t const* AddExtensions(InteractionSplit const& split, std::int32_t point, double const* product,
                                              std::int32_t size, std::uint32_t first, std::uint32_t const* set) const {
    if (size == tree_.order) return set;
    double weighted[kPoints];
    for (int q = 0; q < kPoints; ++q) weighted[q] = Weighted(product[q], size + 1, point + q);
    for (std::uint32_t other = first; other < split.n_others; ++other) {
      std::int32_t const gain = GainOf(split, other, point);
      double sum = weighted[0] * lane_.Load(gain);
      for (int q = 1; q < kPoints; ++q) sum = sum + weighted[q] * lane_.Load(gain + q);
      lane_.Add(*set++, sum);
    }
    return set;
  }

  /// Returns the place of the gain in force of another feature.
  KAURI_HD std::int32_t GainOf(InteractionSplit const& split, std::uint32_t other, std::int32_t point) const {
    return Gain(LevelOf(static_cast<std::int32_t>(tree_.levels[split.level_begin + other])), point);
  }

  KAURI_HD static PathFeature ConditionOf(InteractionEdge const& edge) {
    return {edge.slot << 2U | 2U | (edge.missing == kMissingKey ? 1U : 0U), edge.lower, 0, 0.0F};
  }

  InteractionTreeView const& tree_;
  double scale_;
  Lane& lane_;
  std::int32_t here_ = 0;  ///< place of the level of the split that is open
};

/// Returns the weights of a rule for InteractionTreeView, which has no weights of the size 0.
inline std::vector<double> WeightsOfLanes(InteractionRule const& rule) {
  std::vector<double> weights(rule.node.size(), 0.0);
  for (std::size_t size = 1; size < rule.weight.size(); ++size) {
    weights.insert(weights.end(), rule.weight[size].begin(), rule.weight[size].end());
  }
  return weights;
}

/// Returns the view of a tree in host memory, without weights.
inline InteractionTreeView ViewOfTree(InteractionForest const& forest, std::int64_t number) {
  auto const& tree = forest.trees[ToSize(number)];
  InteractionTreeView view{};
  view.steps = tree.steps.data();
  view.n_steps = static_cast<std::int64_t>(tree.steps.size());
  view.edges = tree.edges.data();
  view.splits = tree.splits.data();
  view.levels = tree.levels.data();
  view.sets = tree.sets.data();
  view.constants = tree.constants.data();
  view.cold_gain = tree.cold_gain.data();
  view.points = static_cast<std::int32_t>(tree.cold_gain.size());
  view.order = forest.order;
  view.n_levels = tree.n_levels;
  view.is_uniform = forest.IsUniform();
  return view;
}

}  // namespace kauri
