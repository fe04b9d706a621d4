/// Estimates Shapley values as integrals over the probability q that other players take part (Owen 1972; section 5.2 of
/// the paper, equations 7 and 8). The grid, of max(2, round(sqrt(n))) intervals for n samples, is our choice: the paper
/// has none.
#include <algorithm>
#include <cmath>
#include <vector>

#include "common/random/random.h"
#include "shapley/estimators.h"
#include "shapley/moments.h"

namespace kauri {
namespace {

constexpr std::uint64_t kOwenStream = 0x4F77656EULL;

/// The contributions of each player to random coalitions at one q.
class Toggles {
 public:
  explicit Toggles(Evaluations* game)
      : game_(*game),
        d_(game->NumPlayers()),
        n_outputs_(game->NumOutputs()),
        masks_(ToSize((d_ + 1) * d_)),
        worth_(ToSize((d_ + 1) * n_outputs_)) {}

  /// Adds to marginals, [d, n_outputs], each player's contribution to the others of `mask`.
  void Add(std::vector<std::uint8_t> const& mask, std::vector<double>* marginals) {
    for (std::int64_t i = 0; i <= d_; ++i) {  // the coalition, and then with player i - 1 in or out
      std::copy(mask.begin(), mask.end(), masks_.begin() + i * d_);
      if (i > 0) masks_[ToSize(i * d_ + i - 1)] ^= 1U;
    }
    game_.Evaluate(d_ + 1, masks_, worth_);
    for (std::int64_t cell = 0; cell < d_ * n_outputs_; ++cell) {
      auto const toggled = worth_[ToSize(n_outputs_ + cell)] - worth_[ToSize(cell % n_outputs_)];
      (*marginals)[ToSize(cell)] += mask[ToSize(cell / n_outputs_)] != 0 ? -toggled : toggled;
    }
  }

 private:
  Evaluations& game_;
  std::int64_t d_;
  std::int64_t n_outputs_;
  std::vector<std::uint8_t> masks_;
  std::vector<double> worth_;
};

std::vector<std::uint8_t> RandomMask(std::uint64_t key, double q, std::int32_t d) {
  std::vector<std::uint8_t> mask(ToSize(d));
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = RandomUniform(key, i) < q ? 1 : 0;
  return mask;
}

}  // namespace

void EstimateByOwen(std::int64_t n, bool halved, std::uint64_t seed, Evaluations* game, ShapleyEstimate* estimate) {
  auto const d = game->NumPlayers();
  auto const n_masks = halved ? std::max<std::int64_t>(1, n / 2) : n;  // a complement is also a sample
  auto const n_steps = std::max<std::int64_t>(2, std::llround(std::sqrt(static_cast<double>(n_masks))));
  auto const n_inner = std::max<std::int64_t>(1, n_masks / n_steps);
  auto const length = (halved ? 0.5 : 1.0) / static_cast<double>(n_steps);
  Toggles toggles(game);
  std::vector<double> variances(estimate->values.size(), 0.0);
  for (std::int64_t step = 0; step <= n_steps; ++step) {
    auto const is_end = step == 0 || step == n_steps;
    auto const weight = is_end ? 0.5 * length : length;
    // The coalition is not random at q = 0 or 1: one sample is exact.
    auto const is_sure = step == 0 || (step == n_steps && !halved);
    auto const q = length * static_cast<double>(step);
    std::vector<RunningMoments> moments(variances.size());
    for (std::int64_t sample = 0; sample < (is_sure ? 1 : n_inner); ++sample) {
      auto const number = static_cast<std::uint64_t>(step * n_inner + sample);
      auto mask = RandomMask(CombineKeys(CombineKeys(seed, kOwenStream), number), q, d);
      std::vector<double> marginals(variances.size(), 0.0);
      toggles.Add(mask, &marginals);
      if (halved) {
        for (auto& bit : mask) bit ^= 1U;
        toggles.Add(mask, &marginals);
      }
      for (std::size_t cell = 0; cell < moments.size(); ++cell) moments[cell].Add(marginals[cell]);
    }
    for (std::size_t cell = 0; cell < moments.size(); ++cell) {
      estimate->values[cell] += weight * moments[cell].Mean();
      variances[cell] += is_sure ? 0.0 : weight * weight * moments[cell].VarianceOfMean();
    }
  }
  for (std::size_t cell = 0; cell < variances.size(); ++cell) estimate->errors[cell] = std::sqrt(variances[cell]);
}

}  // namespace kauri
