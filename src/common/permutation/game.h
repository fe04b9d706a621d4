/// \file Games of players, of which coalitions are worth something, and what is known of one while it is evaluated.
///
/// A coalition is a mask: a byte for each player, 1 where it takes part.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "kauri/span.h"

namespace kauri {

class Game {
 public:
  virtual ~Game() = default;
  virtual std::int32_t NumPlayers() const = 0;
  /// Numbers that a coalition is worth.
  virtual std::int64_t NumOutputs() const = 0;
  /// masks: [n, n_players]; worth (out): [n, n_outputs].
  virtual void Evaluate(std::int64_t n, Span<std::uint8_t const> masks, Span<double> worth) = 0;
  /// Whether all coalitions of an order cost less together than one by one.
  virtual bool HasOrders() const { return false; }
  /// What the first k players of each order are worth, k = 0 .. n_players. orders: [n, n_players]; worth (out):
  /// [n, n_players + 1, n_outputs]. Of a game that HasOrders().
  virtual void EvaluateOrders(std::int64_t n, Span<std::uint32_t const> orders, Span<double> worth);
};

/// Evaluates a game, no coalition twice among those that recur: all of them with up to 16 players, else those of 0, 1,
/// d - 1 and d of d players.
class Evaluations {
 public:
  explicit Evaluations(Game* game) : game_(*game), d_(game->NumPlayers()), n_outputs_(game->NumOutputs()) {}

  std::int32_t NumPlayers() const { return d_; }
  std::int64_t NumOutputs() const { return n_outputs_; }
  /// Coalitions that the game was asked for.
  std::int64_t Count() const { return count_; }
  /// As the game's.
  void Evaluate(std::int64_t n, Span<std::uint8_t const> masks, Span<double> worth);
  void EvaluateOrders(std::int64_t n, Span<std::uint32_t const> orders, Span<double> worth);
  /// Of nobody, or of all.
  std::vector<double> WorthOf(bool everybody);

 private:
  bool Recurs(std::uint8_t const* mask) const;

  Game& game_;
  std::int32_t d_;
  std::int64_t n_outputs_;
  std::int64_t count_ = 0;
  std::unordered_map<std::string, std::vector<double>> known_;  ///< by mask
};

}  // namespace kauri
