/// \file A warp on the host: 32 lanes that execute each step in turn, for the code of path_warp.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "predictor/lanes/packed_paths.h"
#include "predictor/lanes/path_warp.h"

namespace kauri::testing {

struct HostWarp {
  template <typename T>
  struct Var {
    std::array<T, kWarpLanes> values{};
    T& operator[](int lane) { return values[lane]; }
    T const& operator[](int lane) const { return values[lane]; }
  };
  template <typename Fn>
  void Each(Fn&& fn) const {
    for (int lane = 0; lane < kWarpLanes; ++lane) fn(lane);
  }
  template <typename T>
  Var<T> Shuffle(Var<T> const& from, Var<std::int32_t> const& place) const {
    Var<T> to;
    Each([&](int lane) { to[lane] = from.values.at(static_cast<std::size_t>(place[lane])); });
    return to;
  }
  template <typename T>
  Var<T> ShuffleUp(Var<T> const& from) const {
    Var<T> to;
    Each([&](int lane) { to[lane] = from[std::max(lane - 1, 0)]; });
    return to;
  }
  std::uint32_t Ballot(Var<bool> const& from) const {
    std::uint32_t bits = 0;
    Each([&](int lane) { bits |= static_cast<std::uint32_t>(from[lane]) << static_cast<unsigned>(lane); });
    return bits;
  }
  std::int32_t Max(Var<std::int32_t> const& from) const {
    return *std::max_element(from.values.begin(), from.values.end());
  }
};

/// Sums over all bins for one row, without biases: phi [n_outputs, n_slots] and, for slots a < b, pairs [n_outputs,
/// n_slots, n_slots].
struct WarpSums {
  std::vector<double> phi;
  std::vector<double> pairs;
};

inline WarpSums RunWarps(PackedPaths const& paths, Forest const& forest, std::vector<std::int32_t> const& keys) {
  auto const n_slots = static_cast<std::size_t>(forest.NumSlots());
  auto const n_outputs = static_cast<std::size_t>(forest.n_outputs);
  WarpSums sums{std::vector<double>(n_outputs * n_slots), std::vector<double>(n_outputs * n_slots * n_slots)};
  std::array<float, kMaxReciprocal + 1> reciprocals{};
  for (int i = 1; i <= kMaxReciprocal; ++i) reciprocals[i] = 1.0F / static_cast<float>(i);
  HostWarp const warp;
  for (std::size_t bin = 0; bin + 1 < paths.bin_begin.size(); ++bin) {
    auto const begin = paths.bin_begin[bin];
    PathWarp<HostWarp> lanes(warp, paths.elements.data() + begin, static_cast<int>(paths.bin_begin[bin + 1] - begin),
                             reciprocals.data());
    lanes.ReadRow(keys.data(), paths.categories.View());
    auto const phi = lanes.Contributions();
    warp.Each([&](int lane) {
      if (!lanes.IsFeature(lane)) return;
      sums.phi[static_cast<std::size_t>(lanes.Output(lane)) * n_slots + lanes.Slot(lane)] +=
          static_cast<double>(phi[lane]);
    });
    for (int rank = 1; rank <= lanes.Longest(); ++rank) {
      HostWarp::Var<std::uint32_t> other;
      auto const pairs = lanes.Interactions(rank, &other);
      warp.Each([&](int lane) {
        if (!lanes.IsFeature(lane) || other[lane] >= n_slots || other[lane] <= lanes.Slot(lane)) return;
        auto const row = static_cast<std::size_t>(lanes.Output(lane)) * n_slots + lanes.Slot(lane);
        sums.pairs[row * n_slots + other[lane]] += static_cast<double>(pairs[lane]);
      });
    }
  }
  return sums;
}

}  // namespace kauri::testing
