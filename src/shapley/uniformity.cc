#include "shapley/uniformity.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "common/loss/aft_loss.h"
#include "common/math.h"
#include "common/threads/parallel_for.h"
#include "kauri/error.h"
#include "shapley/mallows.h"

namespace kauri {
namespace {

constexpr std::int64_t kPairsPerBlock = 64;

/// Returns the bound of Hoeffding on the probability that the mean of n_pairs values in [0, 1] is as far from its
/// expectation as this.
double HoeffdingBound(double distance, double n_pairs) {
  return std::min(1.0, 2.0 * Exp(-2.0 * n_pairs * distance * distance));
}

double NormalPValue(double distance, double deviation) {
  return std::min(1.0, 2.0 * NormalTail(std::fabs(distance) / deviation));
}

}  // namespace

UniformityTest TestUniformity(Context const& ctx, Span<std::uint32_t const> permutations, std::int32_t d,
                              double lambda) {
  constexpr std::int64_t kFewPairs = 50;  // 100 permutations
  constexpr double kLeastLambda = 1.0;    // below, the variance is lost in rounding
  constexpr double kMostLambda = 100.0;   // above, the means of long permutations are
  auto const n = static_cast<std::int64_t>(permutations.size()) / std::max(1, d);
  if (d < 2 || n < 2) {
    Fail(ErrorKind::kParameter, "there are ", n, " permutations of ", d,
         " elements; a test of uniformity needs two at least, of two elements at least.");
  }
  if (!(lambda >= kLeastLambda && lambda <= kMostLambda)) {
    Fail(ErrorKind::kParameter, "lambda is ", lambda, "; expected a number from ", kLeastLambda, " to ", kMostLambda,
         "; the papers have 5.");
  }
  CheckOrders(permutations, n, d);
  auto const n_pairs = n / 2;
  auto const n_all = 0.5 * static_cast<double>(d) * static_cast<double>(d - 1);
  std::vector<double> similarity(ToSize(n_pairs));
  ParallelForBlocks(ctx, n_pairs, kPairsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto pair = begin; pair < end; ++pair) {
      auto const* const first = permutations.data() + 2 * pair * d;
      auto const discordant = CountDiscordant({first, d}, {first + d, d});
      similarity[ToSize(pair)] = Exp(-lambda * static_cast<double>(discordant) / n_all);
    }
  });
  auto const count = static_cast<double>(n_pairs);
  auto const statistic = std::accumulate(similarity.begin(), similarity.end(), 0.0) / count - MallowsMean(d, lambda);
  if (n_pairs < kFewPairs) return {statistic, HoeffdingBound(statistic, count)};
  return {statistic, NormalPValue(statistic, std::sqrt(MallowsVariance(d, lambda) / count))};
}

}  // namespace kauri
