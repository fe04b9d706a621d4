/// \file Games with known Shapley values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "common/random/random.h"
#include "shapley/estimate.h"

namespace kauri {

/// A game given by a function of masks; counts evaluations.
class FunctionGame : public Game {
 public:
  using Worth = std::function<double(std::uint8_t const* mask)>;

  FunctionGame(std::int32_t d, Worth worth) : d_(d), worth_(std::move(worth)) {}

  std::int32_t NumPlayers() const override { return d_; }
  std::int64_t NumOutputs() const override { return 1; }
  void Evaluate(std::int64_t n, Span<std::uint8_t const> masks, Span<double> worth) override {
    for (std::int64_t i = 0; i < n; ++i) worth[i] = worth_(masks.data() + i * d_);
    n_evals += n;
  }

  std::int64_t n_evals = 0;

 private:
  std::int32_t d_;
  Worth worth_;
};

/// A sum of unanimity games. Each is worth its factor if all of its players take part, and each of these gets an equal
/// share of it.
struct UnanimityGames {
  std::int32_t d;
  std::vector<std::vector<std::int32_t>> teams;
  std::vector<double> factors;

  /// Returns n games of `least` to `most` players.
  static UnanimityGames Random(std::int32_t d, std::int64_t n, std::int32_t least, std::int32_t most,
                               std::uint64_t seed) {
    UnanimityGames games{d, {}, {}};
    std::uint64_t counter = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      auto const size =
          least + static_cast<std::int32_t>(RandomBelow(seed, counter++, static_cast<std::uint32_t>(most - least + 1)));
      std::vector<std::int32_t> team;
      while (static_cast<std::int32_t>(team.size()) < size) {
        auto const player = static_cast<std::int32_t>(RandomBelow(seed, counter++, static_cast<std::uint32_t>(d)));
        if (std::find(team.begin(), team.end(), player) == team.end()) team.push_back(player);
      }
      games.teams.push_back(team);
      games.factors.push_back(2.0 * RandomUniform(seed, counter++) - 1.0);
    }
    return games;
  }

  FunctionGame Game() const {
    return {d, [*this](std::uint8_t const* mask) {
              double worth = 0.5;
              for (std::size_t i = 0; i < teams.size(); ++i) {
                auto const takes_part = [&](std::int32_t player) { return mask[player] != 0; };
                if (std::all_of(teams[i].begin(), teams[i].end(), takes_part)) worth += factors[i];
              }
              return worth;
            }};
  }

  std::vector<double> Values() const {
    std::vector<double> values(ToSize(d), 0.0);
    for (std::size_t i = 0; i < teams.size(); ++i) {
      for (auto const player : teams[i]) values[ToSize(player)] += factors[i] / static_cast<double>(teams[i].size());
    }
    return values;
  }
};

inline double SquaredError(std::vector<double> const& values, std::vector<double> const& truth) {
  double sum = 0.0;
  for (std::size_t i = 0; i < truth.size(); ++i) sum += (values[i] - truth[i]) * (values[i] - truth[i]);
  return sum / static_cast<double>(truth.size());
}

}  // namespace kauri
