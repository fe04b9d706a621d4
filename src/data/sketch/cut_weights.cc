#include "data/sketch/cut_weights.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "collective/reduce.h"
#include "data/meta_info.h"
#include "data/sketch/weighted_keys.h"
#include "kauri/error.h"

namespace kauri {
namespace {

/// Returns whether any two weights of all ranks differ; false if no rank has weights. weights: of this rank's rows or
/// queries. The largest key and the largest complement, which stands for the smallest key, take one message.
bool AreUnequal(Context const& ctx, Span<float const> weights) {
  std::array<std::uint64_t, 2> bounds{0, 0};  // the largest key, and the largest complement of a key
  for (auto const weight : weights) {
    auto const key = ToKey(weight);
    bounds[0] = std::max<std::uint64_t>(bounds[0], key);
    bounds[1] = std::max<std::uint64_t>(bounds[1], ~key);
  }
  MaxOverRanks(ctx, Span<std::uint64_t>(bounds.data(), bounds.size()));
  return bounds[0] != 0 && static_cast<std::uint32_t>(bounds[0]) != ~static_cast<std::uint32_t>(bounds[1]);
}

}  // namespace

std::optional<WeightUnit> FindWeightUnit(Context const& ctx, Span<float const> weights, std::int64_t n_rows_here,
                                         std::int64_t n_rows) {
  auto largest = 0.0F;
  for (auto const weight : weights) largest = std::max(largest, weight);
  std::array<std::uint64_t, 2> found{weights.empty() ? 0U : 1U, ToKey(largest)};
  MaxOverRanks(ctx, Span<std::uint64_t>(found.data(), found.size()));
  if (found[0] == 0) return std::nullopt;
  if (weights.empty() && n_rows_here > 0) {
    Fail(ErrorKind::kData, "the ", n_rows_here,
         " rows of this rank have no weights, but rows of other ranks have; give weights on all ranks, or on none.");
  }
  auto const of_all = FromKey(static_cast<std::uint32_t>(found[1]));
  if (!(of_all >= largest && std::isfinite(of_all))) {
    Fail(ErrorKind::kCollective, "the maximum weight over all ranks is wrong: got ", of_all,
         ", but this rank has a weight of ", largest, ". Check that the transport delivers every byte unchanged.");
  }
  return WeightUnit(of_all, n_rows);
}

std::vector<float> WeightPerRow(MetaInfo const& info) {
  CheckQueries(info);
  auto const& given = info.weights;
  if (info.group_ptr.empty() || given.empty()) return given;
  std::vector<float> weights(info.n_rows);
  for (std::size_t group = 0; group + 1 < info.group_ptr.size(); ++group) {
    std::fill(weights.begin() + info.group_ptr[group], weights.begin() + info.group_ptr[group + 1], given[group]);
  }
  return weights;
}

std::vector<float> CutWeights(Context const& ctx, MetaInfo const& info) {
  if (!AreUnequal(ctx, info.weights)) return {};  // equal weights do not move a quantile
  return WeightPerRow(info);
}

}  // namespace kauri
