#include "objective/ranking/position_bias.h"

#include <algorithm>
#include <string>

#include "common/math.h"

namespace kauri {
namespace {

constexpr double kSmallest = BiasView::kSmallest;

std::vector<double> Biases(ObjectiveState const& state, std::string const& key, std::int64_t n_positions) {
  std::vector<double> biases(n_positions, 1.0);
  auto const found = state.find(key);
  if (found == state.end()) return biases;
  std::copy_n(found->second.begin(), std::min(biases.size(), found->second.size()), biases.begin());
  return biases;
}

double SmallestUsable(std::vector<double> const& biases) {
  double smallest = 1.0;
  for (auto const bias : biases) smallest = bias >= kSmallest ? std::min(smallest, bias) : smallest;
  return smallest;
}

void LearnFrom(std::vector<double> const& costs, double power, std::vector<double>* biases) {
  if (costs.empty() || costs[0] < kSmallest) return;
  for (std::size_t position = 0; position < costs.size(); ++position) {
    auto const ratio = costs[position] / costs[0];
    (*biases)[position] = ratio > 0.0 ? Exp(power * Log(ratio)) : 0.0;
  }
}

}  // namespace

PositionCosts& PositionCosts::operator+=(PositionCosts const& costs) {
  if (relevant.empty()) return *this = costs;
  for (std::size_t position = 0; position < relevant.size(); ++position) {
    relevant[position] += costs.relevant[position];
    other[position] += costs.other[position];
  }
  return *this;
}

PositionBias::PositionBias(ObjectiveState const& state, std::int64_t n_positions)
    : relevant_(Biases(state, kRelevantKey, n_positions)), other_(Biases(state, kOtherKey, n_positions)) {}

double PositionBias::LargestFactor() const { return 1.0 / (SmallestUsable(relevant_) * SmallestUsable(other_)); }

void PositionBias::AddCost(std::int64_t relevant, std::int64_t other, double cost, PositionCosts* costs) const {
  if (!View().IsTracked(relevant, other)) return;
  auto const of_pair = View().Costs(relevant, other, cost);
  costs->relevant[static_cast<std::size_t>(relevant)] += of_pair.relevant;
  costs->other[static_cast<std::size_t>(other)] += of_pair.other;
}

void PositionBias::Learn(PositionCosts const& costs, double norm) {
  auto const power = 1.0 / (1.0 + norm);
  LearnFrom(costs.relevant, power, &relevant_);
  LearnFrom(costs.other, power, &other_);
}

void PositionBias::Store(ObjectiveState* state) const {
  (*state)[kRelevantKey].assign(relevant_.begin(), relevant_.end());
  (*state)[kOtherKey].assign(other_.begin(), other_.end());
}

}  // namespace kauri
