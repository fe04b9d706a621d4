/// Stratified sampling (Castro, Gomez, Molina, Tejada 2017, "Improving polynomial estimation of the Shapley value by
/// stratified random sampling with optimum allocation"): a stratum for each player and place in the order. Half of the
/// draws, at least two each, are shared equally by all strata: with fewer, many strata would seem not to vary. The
/// others go to strata whose marginals vary (Neyman's allocation).
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "kauri/error.h"
#include "shapley/estimators.h"
#include "shapley/moments.h"
#include "shapley/samplers.h"

namespace kauri {
namespace {

constexpr std::uint64_t kStrataStream = 0x537472617461ULL;

/// Sampled marginals by stratum, player * d + place.
class Strata {
 public:
  Strata(std::uint64_t seed, Evaluations* game)
      : key_(CombineKeys(seed, kStrataStream)),
        game_(*game),
        d_(game->NumPlayers()),
        n_outputs_(game->NumOutputs()),
        n_drawn_(ToSize(d_ * d_), 0),
        moments_(ToSize(d_ * d_ * n_outputs_)) {}

  /// counts: [d * d], draws of each stratum.
  void Draw(std::vector<std::int64_t> const& counts) {
    for (std::int64_t stratum = 0; stratum < d_ * d_; ++stratum) {
      for (std::int64_t i = 0; i < counts[ToSize(stratum)]; ++i) Queue(stratum);
    }
    Flush();
  }

  /// Returns a stratum's largest standard deviation over the outputs.
  double Deviation(std::int64_t stratum) const {
    auto variance = 0.0;
    for (std::int64_t output = 0; output < n_outputs_; ++output) {
      variance = std::max(variance, moments_[ToSize(stratum * n_outputs_ + output)].Variance());
    }
    return std::sqrt(variance);
  }

  /// Writes the mean of each player's strata, and its standard error.
  void Write(ShapleyEstimate* estimate) const {
    auto const d = static_cast<double>(d_);
    for (std::int64_t cell = 0; cell < d_ * n_outputs_; ++cell) {
      auto mean = 0.0;
      auto variance = 0.0;
      for (std::int64_t place = 0; place < d_; ++place) {
        auto const& moments = moments_[ToSize((cell / n_outputs_ * d_ + place) * n_outputs_ + cell % n_outputs_)];
        mean += moments.Mean() / d;
        variance += moments.VarianceOfMean() / (d * d);
      }
      estimate->values[ToSize(cell)] = mean;
      estimate->errors[ToSize(cell)] = std::sqrt(variance);
    }
  }

 private:
  /// Queues a draw: the first `place` other players in a random order, without and with the player.
  void Queue(std::int64_t stratum) {
    constexpr std::size_t kMostQueued = 1 << 13;
    auto const player = static_cast<std::uint32_t>(stratum / d_);
    auto const draw = static_cast<std::uint64_t>(n_drawn_[ToSize(stratum)]++);
    std::vector<std::uint32_t> order(ToSize(d_));
    UniformOrder(CombineKeys(CombineKeys(key_, static_cast<std::uint64_t>(stratum)), draw), order);
    std::vector<std::uint8_t> mask(ToSize(d_), 0);
    auto left = stratum % d_;
    for (auto const other : order) {
      if (other == player || left == 0) continue;
      mask[other] = 1;
      --left;
    }
    masks_.insert(masks_.end(), mask.begin(), mask.end());
    mask[player] = 1;
    masks_.insert(masks_.end(), mask.begin(), mask.end());
    queued_.push_back(stratum);
    if (queued_.size() == kMostQueued) Flush();
  }

  void Flush() {
    std::vector<double> worth(2 * queued_.size() * ToSize(n_outputs_));
    game_.Evaluate(static_cast<std::int64_t>(2 * queued_.size()), masks_, worth);
    for (std::size_t i = 0; i < queued_.size(); ++i) {
      auto const* without = worth.data() + 2 * i * ToSize(n_outputs_);
      for (std::int64_t output = 0; output < n_outputs_; ++output) {
        moments_[ToSize(queued_[i] * n_outputs_ + output)].Add(without[n_outputs_ + output] - without[output]);
      }
    }
    queued_.clear();
    masks_.clear();
  }

  std::uint64_t key_;
  Evaluations& game_;
  std::int64_t d_;
  std::int64_t n_outputs_;
  std::vector<std::int64_t> n_drawn_;
  std::vector<RunningMoments> moments_;  ///< [d * d, n_outputs]
  std::vector<std::int64_t> queued_;     ///< strata of draws to be evaluated
  std::vector<std::uint8_t> masks_;      ///< their masks, without and with the player
};

}  // namespace

void EstimateByStrata(std::int64_t n, std::uint64_t seed, Evaluations* game, ShapleyEstimate* estimate) {
  constexpr std::int64_t kPilot = 2;
  auto const d = std::int64_t{game->NumPlayers()};
  if (n < kPilot * d * d) {
    Fail(ErrorKind::kParameter, "method=stratified needs at least 2 d^2 = ", kPilot * d * d,
         " marginals, as of n_orders=", kPilot * d, "; raise n_orders or max_evals from ", n,
         " marginals, or use method=orthogonal.");
  }
  auto const pilot = std::max(kPilot, n / (2 * d * d));
  Strata strata(seed, game);
  std::vector<std::int64_t> counts(ToSize(d * d), pilot);
  strata.Draw(counts);
  std::vector<double> deviations;
  for (std::int64_t stratum = 0; stratum < d * d; ++stratum) deviations.push_back(strata.Deviation(stratum));
  auto const total = std::accumulate(deviations.begin(), deviations.end(), 0.0);
  auto const rest = static_cast<double>(n - pilot * d * d);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = total > 0.0 ? static_cast<std::int64_t>(rest * deviations[i] / total) : 0;
  }
  strata.Draw(counts);
  strata.Write(estimate);
}

}  // namespace kauri
