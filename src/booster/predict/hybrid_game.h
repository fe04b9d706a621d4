/// \file The cooperative game of a model and a row: hybrid rows with a background, their margins, and the outputs
/// computed from the margins.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kauri/context.h"
#include "kauri/objective.h"
#include "metric/row_losses.h"
#include "predictor/hybrid/hybrid_trees.h"
#include "shapley/game.h"

namespace kauri {

/// Inputs shared by all rows of a call; not owning.
struct HybridScene {
  Context const& ctx;
  HybridTask trees;
  std::vector<std::int32_t> background;  ///< keys, [n_background, n_slots]
  std::int64_t n_background;
  Objective const* objective;  ///< null: margins are explained
  RowLoss const* loss;         ///< null: losses are not explained

  std::int64_t NumMargins() const { return trees.forest.n_outputs; }
  std::int64_t NumOutputs() const { return loss != nullptr ? 1 : NumMargins(); }
};

class HybridGame : public Game {
 public:
  /// player_of_slot: player of this game that owns each slot. start: [n_margins].
  HybridGame(HybridScene const& scene, std::int64_t row, std::vector<std::int32_t> const& keys,
             std::vector<std::int32_t> const& player_of_slot, std::int32_t n_players, std::vector<float> start);

  std::int32_t NumPlayers() const override { return trees_.n_players; }
  std::int64_t NumOutputs() const override { return scene_.NumOutputs(); }
  void Evaluate(std::int64_t n, Span<std::uint8_t const> masks, Span<double> worth) override;
  bool HasOrders() const override { return true; }
  void EvaluateOrders(std::int64_t n, Span<std::uint32_t const> orders, Span<double> worth) override;

 private:
  /// Averages the outputs of n hybrid rows over the background. sum_all(trees, sums): writes the fixed-point sums of n
  /// hybrid rows, [n, n_margins], of x and one background row. worth (out): [n, n_outputs].
  template <typename SumAll>
  void MeanOverBackground(std::int64_t n, Span<double> worth, SumAll&& sum_all) const;
  /// Adds the outputs of n hybrid rows to sums: [n, n_outputs].
  void AddOutputs(std::int64_t n, std::vector<std::int64_t> const& fixed, double* sums) const;

  HybridScene const& scene_;
  std::int64_t row_;
  std::vector<std::int32_t> const& keys_;
  HybridTask trees_;
  std::vector<float> start_;
};

}  // namespace kauri
