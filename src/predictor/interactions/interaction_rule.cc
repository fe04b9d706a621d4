#include "predictor/interactions/interaction_rule.h"

#include <algorithm>

#include "common/host_math.h"
#include "common/text/quoted.h"
#include "kauri/error.h"
#include "predictor/shap/quadrature_rule.h"

namespace kauri {
namespace {

/// Returns the weights of FSII at the nodes for sets of `size` features. The coefficients are of the polynomials
/// t^(size - 1 + r) (1 - t)^(order - 1 - r).
std::vector<double> FaithfulWeights(QuadratureNodes const& nodes, std::int32_t order, std::int32_t size) {
  std::vector<double> coefficients(static_cast<std::size_t>(order), 0.0);
  coefficients[0] = 1.0;
  for (std::int32_t i = 1; i <= order - size; ++i) {
    for (auto r = order - 1; r >= 0; --r) {
      auto const below = r == 0 ? 0.0 : (order - r) * coefficients[r - 1];
      coefficients[r] = below - (size + r + i) * coefficients[r];
    }
  }
  std::vector<double> weights;
  auto total = 0.0;
  for (std::size_t q = 0; q < nodes.node.size(); ++q) {
    auto value = 0.0;
    for (std::int32_t r = 0; r < order; ++r) {
      value += coefficients[r] * IntegerPower(nodes.node[q], size - 1 + r) *
               IntegerPower(nodes.complement[q], order - 1 - r);
    }
    weights.push_back(nodes.weight[q] * value);
    total += weights.back();
  }
  for (auto& weight : weights) weight /= total;
  return weights;
}

/// Returns the rule that evaluates at one point.
InteractionRule PointRule(double node, std::int32_t order) {
  return {{node}, std::vector<std::vector<double>>(static_cast<std::size_t>(order) + 1, {1.0})};
}

InteractionRule TaylorRule(std::int32_t order, std::int32_t n_features) {
  auto const nodes = MakeGaussLegendre(PointsFor(n_features));
  InteractionRule rule;
  rule.node = nodes.node;
  std::vector<double> largest;
  for (std::size_t q = 0; q < nodes.node.size(); ++q) {
    largest.push_back(nodes.weight[q] * order * IntegerPower(nodes.complement[q], order - 1));
  }
  if (order == 1) return {nodes.node, {largest, largest}};
  rule.node.insert(rule.node.begin(), 0.0);
  largest.insert(largest.begin(), 0.0);
  std::vector<double> smaller(rule.node.size(), 0.0);
  smaller[0] = 1.0;
  rule.weight.assign(static_cast<std::size_t>(order) + 1, smaller);
  rule.weight.back() = largest;
  return rule;
}

InteractionRule FaithfulRule(std::int32_t order, std::int32_t n_features) {
  auto const nodes = MakeGaussLegendre((n_features + order) / 2);
  InteractionRule rule;
  rule.node = nodes.node;
  rule.weight.resize(static_cast<std::size_t>(order) + 1);
  for (std::int32_t size = 1; size <= order; ++size) rule.weight[size] = FaithfulWeights(nodes, order, size);
  return rule;
}

}  // namespace

InteractionIndex InteractionIndexNamed(std::string const& name) {
  if (name == "SII") return InteractionIndex::kSii;
  if (name == "k-SII") return InteractionIndex::kKSii;
  if (name == "STII") return InteractionIndex::kStii;
  if (name == "FSII") return InteractionIndex::kFsii;
  if (name == "BII") return InteractionIndex::kBii;
  Fail(ErrorKind::kParameter, "index is ", Quoted(name), "; expected SII, k-SII, STII, FSII or BII.");
}

InteractionRule MakeInteractionRule(InteractionIndex index, std::int32_t order, std::int32_t n_features) {
  auto const is_moebius = n_features <= order;
  switch (index) {
    case InteractionIndex::kBii:
      return PointRule(0.5, order);
    case InteractionIndex::kStii:
      return is_moebius ? PointRule(0.0, order) : TaylorRule(order, n_features);
    case InteractionIndex::kFsii:
      return is_moebius ? PointRule(0.0, order) : FaithfulRule(order, n_features);
    default:
      break;
  }
  auto const nodes = MakeGaussLegendre(PointsFor(n_features));
  return {nodes.node, std::vector<std::vector<double>>(static_cast<std::size_t>(order) + 1, nodes.weight)};
}

std::vector<double> BernoulliNumbers(std::int32_t n) {
  std::vector<double> numbers{1.0};
  for (std::int32_t m = 1; m <= n; ++m) {
    // Sum over k < m of C(m + 1, k) B_k, by the recurrence of the binomials.
    auto sum = 0.0;
    auto binomial = 1.0;
    for (std::int32_t k = 0; k < m; ++k) {
      sum += binomial * numbers[k];
      binomial *= static_cast<double>(m + 1 - k) / (k + 1);
    }
    numbers.push_back(m > 1 && m % 2 == 1 ? 0.0 : -sum / (m + 1));
  }
  return numbers;
}

}  // namespace kauri
