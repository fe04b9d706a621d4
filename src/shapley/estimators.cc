#include "shapley/estimators.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "common/memory_size.h"
#include "common/random/random.h"
#include "kauri/error.h"
#include "shapley/orders.h"

namespace kauri {
namespace {

// Shapley values from all coalitions: each player's marginals, weighted by |S|! (d - |S| - 1)! / d!.

/// Returns the worth of all coalitions, indexed by their bits: [2^d, n_outputs].
std::vector<double> WorthOfAll(Evaluations* game) {
  constexpr std::int64_t kMasks = 1 << 14;  // coalitions at a time
  auto const d = game->NumPlayers();
  auto const n_outputs = game->NumOutputs();
  auto const n_coalitions = std::int64_t{1} << d;
  std::vector<double> worth(SizeInMemory(n_coalitions * n_outputs));
  std::vector<std::uint8_t> masks;
  for (std::int64_t begin = 0; begin < n_coalitions; begin += kMasks) {
    auto const n = std::min(kMasks, n_coalitions - begin);
    masks.resize(SizeInMemory(n * d));
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

// Estimates Shapley values as integrals over the probability q that other players take part (Owen 1972; section 5.2 of
// the paper, equations 7 and 8). The grid, of max(2, round(sqrt(n))) intervals for n samples, is our choice: the paper
// has none.

namespace {

constexpr std::uint64_t kOwenStream = 0x4F77656EULL;

/// The contributions of each player to random coalitions at one q.
class Toggles {
 public:
  explicit Toggles(Evaluations* game)
      : game_(*game),
        d_(game->NumPlayers()),
        n_outputs_(game->NumOutputs()),
        masks_(SizeInMemory((d_ + 1) * d_)),
        worth_(SizeInMemory((d_ + 1) * n_outputs_)) {}

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

// Stratified sampling (Castro, Gomez, Molina, Tejada 2017, "Improving polynomial estimation of the Shapley value by
// stratified random sampling with optimum allocation"): a stratum for each player and place in the order. Half of the
// draws, at least two each, are shared equally by all strata: with fewer, many strata would seem not to vary. The
// others go to strata whose marginals vary (Neyman's allocation).

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
        n_drawn_(SizeInMemory(d_ * d_), 0),
        moments_(SizeInMemory(d_ * d_ * n_outputs_)) {}

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
  std::vector<std::int64_t> counts(SizeInMemory(d * d), pilot);
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
