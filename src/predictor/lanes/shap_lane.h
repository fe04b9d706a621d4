/// \file Runs one row through the program of shap_program.h, for all points of a pass. The code is compiled for both
/// sides: a device thread is a lane, and tests run the same code on the host. All fused multiply-adds are explicit, so
/// both sides give the same bits.
///
/// `Lane` gives access to the data:
///   bool HasMore(), void Fetch(ProgramNode*, int32* key)      the next visit and the row's key for its slot
///   float Point(q), Weight(q), Cold(q)         t_q, w_q, -1 / (1 - t_q)
///   PathFeature State(i), void LoadInverse(i, float (&)[Q]), int32 Key(slot), CategoryConditionsView Categories()
///   void Save(stack, depth, float const (&)[Q]), void Load(stack, depth, float (&)[Q])      stack 0: G, 1: S
///   void Add(node, value)                      to the contribution of the node's place
///   int64 PartnersBegin(), PartnersEnd(), ProgramPartner Partner(i)                 of the current visit
///   void AddPair(pair, value)
///
/// Operations per split and row with Q points: about 20 for each visit (reading the node and the key, deciding, adding
/// the contribution) and, per point, 2 for a split of two leaves, 5 with one leaf, 6 without; 2 more if the feature
/// repeats. In XGBoost's trees of depth 16 on covtype these are 37 %, 26 % and 37 % of the splits, 56 % repeat, and a
/// split is visited 1.5 times, so 8 points take about 30 + 8 * 5.4 = 75 operations.
#pragma once

#include <cmath>
#include <cstdint>

#include "kauri/host_device.h"
#include "predictor/lanes/shap_program.h"

namespace kauri {

/// Factors of a split: r = (a + b t) I, and the contribution is kappa * sum of G I I (S_first - S_second). I = 1 unless
/// the feature repeats.
struct SplitFactor {
  float a;
  float b;
  float kappa;
};

/// Runs programs. kCategorical: true if the forest may have categorical splits.
template <int kPoints, bool kPairs, bool kCategorical, typename Lane>
class LaneProgram {
 public:
  using Points = float[kPoints];

  KAURI_HD explicit LaneProgram(Lane* lane) : lane_(*lane) {}

  /// Runs all trees of the lane's program.
  KAURI_HD void Run() {
    constexpr int kLevels = kPairs ? 1 : kRegisterLevels;
    Points down;   // G of the current split
    Points value;  // S of the finished subtree
    int n_downs = 0;
    int n_firsts = 0;
    while (lane_.HasMore()) {
      ProgramNode node;
      std::int32_t key;
      lane_.Fetch(&node, &key);
      auto const step = node.Step();
      if (n_downs == 0) {
        for (int q = 0; q < kPoints; ++q) down[q] = lane_.Weight(q);
      }
      if (step == ProgramStep::kSubtree) {
        Subtree<kLevels>(node, key, down, value);
        continue;
      }
      auto const factor = Factor(node, key);
      Points ratios;
      Ratios(node, factor, ratios);
      if (step == ProgramStep::kDown) {
        lane_.Save(0, n_downs++, down);
        ToFirst(ratios, down, down);
      } else if (step == ProgramStep::kSecond) {
        lane_.Save(1, n_firsts++, value);
        lane_.Load(0, n_downs - 1, down);
        ToSecond(ratios, down, down);
      } else {
        Points second;
        Points first;
        for (int q = 0; q < kPoints; ++q) {
          first[q] = value[q];
          second[q] = step == ProgramStep::kCombine ? value[q] : node.second_value;
        }
        if (step == ProgramStep::kCombine) lane_.Load(1, --n_firsts, first);
        lane_.Load(0, --n_downs, down);
        Combine(node, factor.kappa, ratios, down, first, second, value);
      }
    }
  }

 private:
  KAURI_HD bool GoesToFirst(ProgramNode const& node, std::int32_t key) const {
    if constexpr (kCategorical) {
      if (node.Is(ProgramNode::kCategorical)) {
        auto const set = static_cast<std::int32_t>(node.first_key);
        auto const goes_right = key == kMissingKey ? !node.Is(ProgramNode::kDefaultLeft)
                                                   : lane_.Categories().sets.Contains(set, ValueOfKey(key));
        return goes_right == node.Is(ProgramNode::kFirstIsRight);
      }
    }
    return static_cast<std::uint32_t>(key) - node.first_key < node.first_range;
  }

  KAURI_HD bool FollowsState(PathFeature const& state, std::int32_t key) const {
    if constexpr (kCategorical) return Follows(state, key, lane_.Categories());
    return FollowsInterval(state, key);
  }

  KAURI_HD SplitFactor Factor(ProgramNode const& node, std::int32_t key) const {
    auto const to_first = GoesToFirst(node, key);
    auto const second_weight = 1.0F - node.first_weight;
    if (node.Is(ProgramNode::kRepeats)) {
      auto const state = lane_.State(node.earlier);
      auto const a = state.zero_fraction * node.first_weight;
      auto const follows = FollowsState(state, key);
      auto const b = follows ? (to_first ? 1.0F - a : -a) : node.first_weight - a;
      auto const kappa = follows ? (to_first ? state.zero_fraction * second_weight : -a) : 0.0F;
      return {a, b, kappa};
    }
    auto const b = to_first ? second_weight : -node.first_weight;
    return {node.first_weight, b, b};
  }

  /// Computes r of the first child.
  KAURI_HD void Ratios(ProgramNode const& node, SplitFactor const& factor, Points& ratios) const {
    for (int q = 0; q < kPoints; ++q) ratios[q] = fmaf(factor.b, lane_.Point(q), factor.a);
    if (node.Is(ProgramNode::kRepeats)) {
      Points inverse;
      lane_.LoadInverse(node.earlier, inverse);
      for (int q = 0; q < kPoints; ++q) ratios[q] *= inverse[q];
    }
  }
  /// Computes G of the first child from G of the split; ToSecond does so for the second child.
  KAURI_HD static void ToFirst(Points const& ratios, Points const& down, Points& first) {
    for (int q = 0; q < kPoints; ++q) first[q] = down[q] * ratios[q];
  }
  KAURI_HD static void ToSecond(Points const& ratios, Points const& down, Points& second) {
    for (int q = 0; q < kPoints; ++q) second[q] = fmaf(-down[q], ratios[q], down[q]);
  }

  /// Computes S of the split into `value` and adds the contribution.
  KAURI_HD void Combine(ProgramNode const& node, float kappa, Points const& ratios, Points const& down,
                        Points const& first, Points const& second, Points& value) {
    Points differences;
    for (int q = 0; q < kPoints; ++q) differences[q] = first[q] - second[q];
    for (int q = 0; q < kPoints; ++q) value[q] = fmaf(ratios[q], differences[q], second[q]);
    float sum;
    if (node.Is(ProgramNode::kRepeats)) {
      Points weights;
      lane_.LoadInverse(node.earlier, weights);
      for (int q = 0; q < kPoints; ++q) {
        differences[q] *= weights[q];
        weights[q] *= down[q];
      }
      sum = SumOfProducts(kappa, weights, differences);
    } else {
      sum = SumOfProducts(kappa, down, differences);
    }
    lane_.Add(node, kappa * sum);
  }

  /// Computes S of a split of two leaves and adds the contribution.
  KAURI_HD void Leaves(ProgramNode const& node, std::int32_t key, Points const& down, Points& value) {
    auto const factor = Factor(node, key);
    auto const difference = node.first_value - node.second_value;
    auto const slope = factor.b * difference;
    auto const base = factor.a * difference;
    auto const kappa = factor.kappa * difference;
    float sum;
    if (node.Is(ProgramNode::kRepeats)) {
      Points inverse;
      Points weights;
      lane_.LoadInverse(node.earlier, inverse);
      for (int q = 0; q < kPoints; ++q) {
        weights[q] = down[q] * inverse[q];
        value[q] = fmaf(fmaf(slope, lane_.Point(q), base), inverse[q], node.second_value);
      }
      sum = SumOfProducts(kappa, weights, inverse);
    } else {
      auto const constant = base + node.second_value;
      for (int q = 0; q < kPoints; ++q) value[q] = fmaf(slope, lane_.Point(q), constant);
      sum = SumOfTerms(kappa, down);
    }
    lane_.Add(node, kappa * sum);
  }

  template <int kLevels>
  KAURI_HD void Subtree(ProgramNode const& node, std::int32_t key, Points const& down, Points& value) {
    if constexpr (kLevels > 1) {
      if (node.Is(ProgramNode::kFirstIsSplit)) return Branch<kLevels>(node, key, down, value);
    }
    Leaves(node, key, down, value);
  }

  template <int kLevels>
  KAURI_HD void Branch(ProgramNode const& node, std::int32_t key, Points const& down, Points& value) {
    auto const factor = Factor(node, key);
    Points ratios;
    Ratios(node, factor, ratios);
    ProgramNode child;
    std::int32_t child_key;
    Points below;
    Points first;
    lane_.Fetch(&child, &child_key);
    ToFirst(ratios, down, below);
    Subtree<kLevels - 1>(child, child_key, below, first);
    Points second;
    if (node.Is(ProgramNode::kSecondIsSplit)) {
      lane_.Fetch(&child, &child_key);
      ToSecond(ratios, down, below);
      Subtree<kLevels - 1>(child, child_key, below, second);
    } else {
      for (int q = 0; q < kPoints; ++q) second[q] = node.second_value;
    }
    Combine(node, factor.kappa, ratios, down, first, second, value);
  }

  /// Returns the sum of a[q] b[q]. With pairs, AddPairs distributes kappa times the sum.
  KAURI_HD float SumOfProducts([[maybe_unused]] float kappa, Points const& a, Points const& b) {
    if constexpr (kPairs) {
      Points terms;
      for (int q = 0; q < kPoints; ++q) terms[q] = a[q] * b[q];
      return SumOfTerms(kappa, terms);
    }
    auto even = a[0] * b[0];
    auto odd = a[1] * b[1];
    for (int q = 2; q < kPoints; q += 2) {
      even = fmaf(a[q], b[q], even);
      odd = fmaf(a[q + 1], b[q + 1], odd);
    }
    return even + odd;
  }
  /// Returns the sum of the terms; with pairs, like SumOfProducts.
  KAURI_HD float SumOfTerms([[maybe_unused]] float kappa, Points const& terms) {
    if constexpr (kPairs) AddPairs(kappa, terms);
    auto even = terms[0];
    auto odd = terms[1];
    for (int q = 2; q < kPoints; q += 2) {
      even += terms[q];
      odd += terms[q + 1];
    }
    return even + odd;
  }

  /// Adds the interaction with every other feature above: the same sum, with the factor u of that feature replaced by o
  /// - z.
  KAURI_HD void AddPairs(float kappa, Points const& terms) {
    float cold = 0.0F;
    for (int q = 0; q < kPoints; ++q) cold = fmaf(terms[q], lane_.Cold(q), cold);
    auto const end = lane_.PartnersEnd();
    for (auto i = lane_.PartnersBegin(); i < end; ++i) {
      auto const partner = lane_.Partner(i);
      auto const state = lane_.State(partner.state);
      Points inverse;
      lane_.LoadInverse(partner.state, inverse);
      float hot = 0.0F;
      for (int q = 0; q < kPoints; ++q) hot = fmaf(terms[q], inverse[q], hot);
      auto const follows = FollowsState(state, lane_.Key(state.Slot()));
      auto const effect = follows ? (1.0F - state.zero_fraction) * hot : cold;
      lane_.AddPair(partner.pair, 0.5F * kappa * effect);
    }
  }

  Lane& lane_;
};

}  // namespace kauri
