#include "objective/ranking/group_weights.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "collective/parcel.h"
#include "collective/reduce.h"
#include "kauri/error.h"
#include "objective/ranking/rank_pair.h"

namespace kauri {
namespace {

/// Returns the largest weight over all ranks; negative without weights.
float LargestWeight(Context const& ctx, std::string const& objective, std::vector<float> const& weights,
                    std::int64_t n_mine) {
  // For non-negative floats the order of the bits is the order of the values. 0 stands for ranks without weights.
  std::array<std::uint64_t, 2> words{0, n_mine > 0 && weights.empty() ? 1U : 0U};
  for (auto const weight : weights) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &weight, sizeof(bits));
    words[0] = std::max(words[0], std::uint64_t{bits} + 1);
  }
  MaxOverRanks(ctx, {words.data(), words.size()});
  if (words[0] == 0) return -1.0F;
  if (words[1] != 0) {
    Fail(ErrorKind::kData, objective, ": some ranks have query group weights, others have none; give weights ",
         "on all ranks, or on none");
  }
  auto const bits = static_cast<std::uint32_t>(words[0] - 1);
  float largest = 0.0F;
  std::memcpy(&largest, &bits, sizeof(bits));
  return largest;
}

}  // namespace

double WeightScale(Context const& ctx, std::string const& objective, std::vector<float> const& weights,
                   std::int64_t n_mine, std::int64_t n_groups) {
  auto const largest = LargestWeight(ctx, objective, weights, n_mine);
  if (largest < 0.0F) return 1.0;
  if (largest == 0.0F) FailNoGroupWeight(objective, n_groups);
  auto const grid = WeightGrid(n_groups, largest);
  double mine = 0.0;
  for (auto const weight : weights) mine += grid.Round(static_cast<double>(weight));
  // Sums of multiples of the grid's step are exact in any order.
  double sum = 0.0;
  for (auto const& of_rank : GatherOverRanks(ctx, std::vector<double>{mine})) {
    if (of_rank.size() != 1) FailParcel("expected one sum of query group weights per rank");
    sum += of_rank[0];
  }
  return static_cast<double>(n_groups) / sum;
}

void FailNoGroupWeight(std::string const& objective, std::int64_t n_groups) {
  Fail(ErrorKind::kData, objective, ": the weights of the ", n_groups,
       " query groups add up to 0; give some group a weight above 0");
}

}  // namespace kauri
