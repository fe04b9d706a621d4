/// \file Cooperative games: coalitions of players have a worth; and a cache of the coalitions evaluated so far.
///
/// A coalition is a mask: a byte for each player, 1 if it takes part.
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
  /// Returns how many numbers the worth of a coalition has.
  virtual std::int64_t NumOutputs() const = 0;
  /// Evaluates coalitions. masks: [n, n_players]; worth (out): [n, n_outputs].
  virtual void Evaluate(std::int64_t n, Span<std::uint8_t const> masks, Span<double> worth) = 0;
  /// Returns whether all coalitions of an order cost less together than one by one.
  virtual bool HasOrders() const { return false; }
  /// Computes the worth of the first k players of each order, k = 0 .. n_players. orders: [n, n_players]; worth (out):
  /// [n, n_players + 1, n_outputs]. Only for a game that HasOrders().
  virtual void EvaluateOrders(std::int64_t n, Span<std::uint32_t const> orders, Span<double> worth);
};

/// Evaluates a game, but no recurring coalition twice. With up to 16 players all coalitions recur, otherwise the
/// coalitions of 0, 1, d - 1 and d of d players.
class Evaluations {
 public:
  explicit Evaluations(Game* game) : game_(*game), d_(game->NumPlayers()), n_outputs_(game->NumOutputs()) {}

  std::int32_t NumPlayers() const { return d_; }
  std::int64_t NumOutputs() const { return n_outputs_; }
  /// Returns the number of coalitions that the game evaluated.
  std::int64_t Count() const { return count_; }
  /// Evaluates coalitions, like the game's function.
  void Evaluate(std::int64_t n, Span<std::uint8_t const> masks, Span<double> worth);
  void EvaluateOrders(std::int64_t n, Span<std::uint32_t const> orders, Span<double> worth);
  /// Returns the worth of the empty coalition, or of all players.
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
