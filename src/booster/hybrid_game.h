/// \file The game of a model and a row: hybrid rows with a background, their margins, and what is made of those.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/permutation/game.h"
#include "kauri/context.h"
#include "kauri/objective.h"
#include "metric/row_loss.h"
#include "predictor/hybrid/hybrid_trees.h"

namespace kauri {

/// What all rows of a call share; not owning.
struct HybridScene {
  Context const& ctx;
  HybridTask trees;
  std::vector<std::int32_t> background;  ///< keys, [n_background, n_slots]
  std::int64_t n_background;
  Objective const* objective;  ///< null: margins are explained
  RowLoss const* loss;         ///< null: no losses are

  std::int64_t NumMargins() const { return trees.forest.n_outputs; }
  std::int64_t NumOutputs() const { return loss != nullptr ? 1 : NumMargins(); }
};

class HybridGame : public Game {
 public:
  /// player_of_slot: which of this game's players has it. start: [n_margins].
  HybridGame(HybridScene const& scene, std::int64_t row, std::vector<std::int32_t> const& keys,
             std::vector<std::int32_t> const& player_of_slot, std::int32_t n_players, std::vector<float> start);

  std::int32_t NumPlayers() const override { return trees_.n_players; }
  std::int64_t NumOutputs() const override { return scene_.NumOutputs(); }
  void Evaluate(std::int64_t n, Span<std::uint8_t const> masks, Span<double> worth) override;
  bool HasOrders() const override { return true; }
  void EvaluateOrders(std::int64_t n, Span<std::uint32_t const> orders, Span<double> worth) override;

 private:
  /// sum_all(trees, sums): the fixed sums of n hybrid rows, [n, n_margins], by the trees of x and one row of the
  /// background. worth (out): [n, n_outputs], the mean over the background.
  template <typename SumAll>
  void MeanOverBackground(std::int64_t n, Span<double> worth, SumAll&& sum_all) const;
  /// Adds what n hybrid rows are worth to sums: [n, n_outputs].
  void AddOutputs(std::int64_t n, std::vector<std::int64_t> const& fixed, double* sums) const;

  HybridScene const& scene_;
  std::int64_t row_;
  std::vector<std::int32_t> const& keys_;
  HybridTask trees_;
  std::vector<float> start_;
};

}  // namespace kauri
