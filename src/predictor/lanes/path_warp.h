/// \file Shapley values and interactions of the paths of one bin, one lane per path element (Mitchell et al. 2022,
/// algorithms 2 and 3, corrected).
///
/// The code is written once, over a warp: `Warp::Var<T>` is a variable with a value in each lane, `Each(fn)` runs
/// fn(lane) in every lane, and shuffles read other lanes. On the device a Var is a register; on the host it is an
/// array, so that the same code is tested without a device.
///
/// Vocabulary. A path has n elements on consecutive lanes: the root at rank 0, then the features. z and o are a
/// feature's zero and one fraction; weight[i] is the weight of the subsets of i features (shap_recursive.h).
///
///   EXTEND by the feature of rank u (u features are then on the path), rank r:
///     weight <- (z_u (u - r) weight + o_u r weight of the lane on the left) / (u + 1).
///   UNWOUND SUM for the lane's own feature, d features on the path, j = d - 1 .. 0, next = weight[d]:
///     o = 1: t = next (d + 1) / (j + 1); sum += t; next = weight[j] - t z (d - j) / (d + 1)
///     o = 0: sum += weight[j] (d + 1) / (d - j), which is z times the sum: z cancels against the factor (o - z).
///   phi = v (o - z) sum. The interaction with feature c is phi on the path without c, times (o_c - z_c) / 2. EXTEND
///   skips c; it takes features in any order.
/// The papers' algorithm 2 wrongly has i instead of (i - 1) and omits rank 0; algorithm 3 prints the factor (d + 1) /
/// (j + 1) garbled.
///
/// Cost per path and row: d steps of EXTEND and d of UNWOUND SUM on n lanes, about 28 lane instructions for both; d
/// times this cost for interactions. In float32 the subtraction loses digits if z is near 1 and paths are long, so
/// quadrature is the default.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "kauri/host_device.h"
#include "predictor/lanes/packed_paths.h"

namespace kauri {

/// Largest integer whose reciprocal is in the table that the functions below take.
constexpr int kMaxReciprocal = kWarpLanes + 1;

template <typename Warp>
class PathWarp {
 public:
  template <typename T>
  using Var = typename Warp::template Var<T>;

  /// Loads the elements of a bin. reciprocals: [kMaxReciprocal + 1], 1 / i at i.
  KAURI_HD PathWarp(Warp const& warp, PathFeature const* elements, int n_elements, float const* reciprocals)
      : warp_(warp), reciprocals_(reciprocals) {
    Var<bool> is_root;
    warp_.Each([&](int lane) {
      element_[lane] = lane < n_elements ? elements[lane] : PathFeature{kRootSlot << 2U, 0, 0, 1.0F};
      is_root[lane] = element_[lane].Slot() == kRootSlot;
    });
    auto const roots = warp_.Ballot(is_root);
    Var<std::int32_t> bits;
    Var<std::int32_t> output;
    warp_.Each([&](int lane) {
      auto first = lane;
      while (((roots >> first) & 1U) == 0) --first;
      auto end = lane + 1;
      while (end < kWarpLanes && ((roots >> end) & 1U) == 0) ++end;
      first_[lane] = first;
      last_rank_[lane] = end - first - 1;
      bits[lane] = element_[lane].lower;
      output[lane] = element_[lane].upper;
    });
    bits = warp_.Shuffle(bits, first_);
    output_ = warp_.Shuffle(output, first_);
    warp_.Each([&](int lane) {
      auto const own = bits[lane];
      std::memcpy(&value_[lane], &own, sizeof(own));
    });
    longest_ = warp_.Max(last_rank_);
  }

  KAURI_HD bool IsFeature(int lane) const { return element_[lane].Slot() != kRootSlot; }
  KAURI_HD std::uint32_t Slot(int lane) const { return element_[lane].Slot(); }
  KAURI_HD std::int32_t Output(int lane) const { return output_[lane]; }

  /// Sets the one fractions for a row. keys: [n_slots] of the row.
  KAURI_HD void ReadRow(std::int32_t const* keys, CategoryConditionsView const& categories) {
    warp_.Each([&](int lane) {
      one_[lane] = IsFeature(lane) && Follows(element_[lane], keys[element_[lane].Slot()], categories) ? 1.0F : 0.0F;
    });
  }

  /// Returns phi of each lane's feature; 0 for a root.
  KAURI_HD Var<float> Contributions() const {
    Var<std::int32_t> none;
    warp_.Each([&](int lane) { none[lane] = last_rank_[lane] + 1; });
    return Unwound(Extended(none, 0), 0);
  }

  /// Returns the interaction of each lane's feature with the feature of rank `left_out` (from 1) of the same path, and
  /// stores that feature's slot in `other`. The result is 0 in the lanes of that rank, of roots and of shorter paths.
  KAURI_HD Var<float> Interactions(int left_out, Var<std::uint32_t>* other) const {
    Var<std::int32_t> rank;
    Var<std::int32_t> place;
    Var<float> effect;
    Var<std::uint32_t> slot;
    warp_.Each([&](int lane) {
      rank[lane] = left_out;
      place[lane] = left_out <= last_rank_[lane] ? first_[lane] + left_out : lane;
      effect[lane] = 0.5F * (one_[lane] - element_[lane].zero_fraction);
      slot[lane] = element_[lane].Slot();
    });
    auto values = Unwound(Extended(rank, 1), 1);
    effect = warp_.Shuffle(effect, place);
    *other = warp_.Shuffle(slot, place);
    warp_.Each([&](int lane) {
      auto const in_path = left_out <= last_rank_[lane] && lane != place[lane];
      values[lane] = in_path ? values[lane] * effect[lane] : 0.0F;
    });
    return values;
  }

  /// Returns the number of features of the longest path.
  KAURI_HD int Longest() const { return longest_; }

 private:
  /// Returns the weights after EXTEND by all features except the one of rank `left_out`. n_left_out: features that are
  /// skipped, 0 or 1.
  KAURI_HD Var<float> Extended(Var<std::int32_t> const& left_out, int n_left_out) const {
    Var<float> weight;
    warp_.Each([&](int lane) { weight[lane] = lane == first_[lane] ? 1.0F : 0.0F; });
    for (int u = 1; u <= longest_ - n_left_out; ++u) {
      Var<std::int32_t> added;
      warp_.Each([&](int lane) {
        auto const rank = u < left_out[lane] ? u : u + 1;
        added[lane] = rank <= last_rank_[lane] ? first_[lane] + rank : lane;
      });
      Var<float> zero;
      warp_.Each([&](int lane) { zero[lane] = element_[lane].zero_fraction; });
      zero = warp_.Shuffle(zero, added);
      auto const one = warp_.Shuffle(one_, added);
      auto const left = warp_.ShuffleUp(weight);
      warp_.Each([&](int lane) {
        auto const rank = lane - first_[lane];
        if (u > last_rank_[lane] - n_left_out || rank > u) return;
        auto const from_left = one[lane] * (rank > 0 ? left[lane] : 0.0F) * static_cast<float>(rank);
        weight[lane] = fmaf(zero[lane] * static_cast<float>(u - rank), weight[lane], from_left) * reciprocals_[u + 1];
      });
    }
    return weight;
  }

  /// Returns v (o - z) times the sum of the weights without the lane's own feature.
  KAURI_HD Var<float> Unwound(Var<float> const& weight, int n_left_out) const {
    Var<std::int32_t> place;
    Var<float> hot;
    Var<float> cold;
    warp_.Each([&](int lane) {
      auto const d = last_rank_[lane] - n_left_out;
      place[lane] = d >= 0 ? first_[lane] + d : lane;
      hot[lane] = cold[lane] = 0.0F;
    });
    auto next = warp_.Shuffle(weight, place);
    for (int step = 1; step <= longest_ - n_left_out; ++step) {
      warp_.Each([&](int lane) {
        auto const j = last_rank_[lane] - n_left_out - step;
        place[lane] = j >= 0 ? first_[lane] + j : lane;
      });
      auto const at_j = warp_.Shuffle(weight, place);
      warp_.Each([&](int lane) {
        auto const d = last_rank_[lane] - n_left_out;
        auto const j = d - step;
        if (j < 0) return;
        auto const n = static_cast<float>(d + 1);
        auto const unwound = next[lane] * (n * reciprocals_[j + 1]);
        auto const factor = element_[lane].zero_fraction * (static_cast<float>(step) * reciprocals_[d + 1]);
        hot[lane] += unwound;
        cold[lane] = fmaf(at_j[lane], n * reciprocals_[step], cold[lane]);
        next[lane] = fmaf(-unwound, factor, at_j[lane]);
      });
    }
    Var<float> values;
    warp_.Each([&](int lane) {
      auto const sum = one_[lane] != 0.0F ? (1.0F - element_[lane].zero_fraction) * hot[lane] : -cold[lane];
      values[lane] = IsFeature(lane) ? value_[lane] * sum : 0.0F;
    });
    return values;
  }

  Warp const& warp_;
  float const* reciprocals_;
  Var<PathFeature> element_;
  Var<std::int32_t> first_;      ///< lane of the path's root
  Var<std::int32_t> last_rank_;  ///< number of features of the path
  Var<std::int32_t> output_;
  Var<float> value_;
  Var<float> one_;
  std::int32_t longest_;
};

}  // namespace kauri
