/// Shapley values from all coalitions: each player's marginals, weighted by |S|! (d - |S| - 1)! / d!.
#include <algorithm>
#include <vector>

#include "shapley/estimators.h"

namespace kauri {
namespace {

/// Returns the worth of all coalitions, indexed by their bits: [2^d, n_outputs].
std::vector<double> WorthOfAll(Evaluations* game) {
  constexpr std::int64_t kMasks = 1 << 14;  // coalitions at a time
  auto const d = game->NumPlayers();
  auto const n_outputs = game->NumOutputs();
  auto const n_coalitions = std::int64_t{1} << d;
  std::vector<double> worth(ToSize(n_coalitions * n_outputs));
  std::vector<std::uint8_t> masks;
  for (std::int64_t begin = 0; begin < n_coalitions; begin += kMasks) {
    auto const n = std::min(kMasks, n_coalitions - begin);
    masks.resize(ToSize(n * d));
    for (std::int64_t i = 0; i < n * d; ++i) {
      masks[ToSize(i)] = static_cast<std::uint8_t>((begin + i / d) >> (i % d) & 1);
    }
    game->Evaluate(n, masks, {worth.data() + begin * n_outputs, n * n_outputs});
  }
  return worth;
}

}  // namespace

void EstimateExactly(Evaluations* game, ShapleyEstimate* estimate) {
  auto const d = game->NumPlayers();
  auto const n_outputs = game->NumOutputs();
  auto const worth = WorthOfAll(game);
  std::vector<double> weights(ToSize(d), 1.0 / d);  // by size: 1 / (d binomial(d - 1, size))
  for (std::int32_t size = 1; size < d; ++size) {
    weights[ToSize(size)] = weights[ToSize(size - 1)] * static_cast<double>(size) / static_cast<double>(d - size);
  }
  for (std::int64_t coalition = 0; coalition < std::int64_t{1} << d; ++coalition) {
    auto const weight_of = [&](int size) { return weights[ToSize(size)]; };
    auto const size = __builtin_popcountll(static_cast<unsigned long long>(coalition));
    for (std::int64_t player = 0; player < d; ++player) {
      auto const with = coalition | std::int64_t{1} << player;
      if (with == coalition) continue;
      for (std::int64_t output = 0; output < n_outputs; ++output) {
        auto const marginal = worth[ToSize(with * n_outputs + output)] - worth[ToSize(coalition * n_outputs + output)];
        estimate->values[ToSize(player * n_outputs + output)] += weight_of(size) * marginal;
      }
    }
  }
}

}  // namespace kauri
