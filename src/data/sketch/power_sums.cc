#include "data/sketch/power_sums.h"

#include <algorithm>
#include <cmath>

namespace kauri {
namespace {

using Binomials = std::array<std::array<double, kMaxMoment + 1>, kMaxMoment + 1>;

constexpr Binomials MakeBinomials() {
  Binomials table{};
  for (std::size_t n = 0; n < table.size(); ++n) {
    table[n][0] = 1.0;
    for (std::size_t k = 1; k <= n; ++k) table[n][k] = table[n - 1][k - 1] + (k < n ? table[n - 1][k] : 0.0);
  }
  return table;
}
constexpr Binomials kBinomials = MakeBinomials();

void Rescale(int exponent, PowerSums* sums) {
  if (exponent == sums->exponent) return;
  auto const factor = std::ldexp(1.0, sums->exponent - exponent);
  auto power = factor;
  sums->mean *= factor;
  for (std::size_t k = 2; k < sums->sums.size(); ++k) sums->sums[k] *= power *= factor;
  sums->exponent = exponent;
}

/// The sums of a block by their definition, in two passes.
PowerSums SumBlock(Span<float const> values, Span<float const> weights, int order) {
  PowerSums block;
  block.order = order;
  auto const weight_of = [&](std::size_t i) {
    return std::isnan(values[i]) ? 0.0 : (weights.empty() ? 1.0 : static_cast<double>(weights[i]));
  };
  double sum = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto const weight = weight_of(i);
    if (weight <= 0.0) continue;
    block.min = std::min(block.min, values[i]);
    block.max = std::max(block.max, values[i]);
    block.weight += weight;
    sum += weight * values[i];
  }
  if (block.weight <= 0.0) return block;
  std::frexp(std::max(std::fabs(block.min), std::fabs(block.max)), &block.exponent);
  auto const scale = std::ldexp(1.0, -block.exponent);
  block.mean = sum / block.weight * scale;
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto power = weight_of(i);
    if (power <= 0.0) continue;
    auto const difference = values[i] * scale - block.mean;
    power *= difference;
    for (std::size_t k = 2; k <= static_cast<std::size_t>(order); ++k) block.sums[k] += power *= difference;
  }
  return block;
}

}  // namespace

void PowerSums::Add(Span<float const> values, Span<float const> weights) {
  constexpr std::size_t kBlock = std::size_t{1} << 12U;
  for (std::size_t begin = 0; begin < values.size(); begin += kBlock) {
    auto const n = std::min(kBlock, values.size() - begin);
    Merge(SumBlock(values.subspan(begin, n), weights.empty() ? weights : weights.subspan(begin, n), order));
  }
}

void PowerSums::Merge(PowerSums const& other) {
  if (other.weight <= 0.0) return;
  if (weight <= 0.0) {
    *this = other;
    return;
  }
  auto right = other;
  Rescale(std::max(exponent, other.exponent), this);
  Rescale(exponent, &right);
  auto const total = weight + right.weight;
  auto const delta = right.mean - mean;
  auto const to_left = -right.weight * delta / total;  // from the common mean to the left one, with the sign turned
  auto const to_right = weight * delta / total;
  auto const left = sums;
  std::array<double, kMaxMoment + 1> left_power{1.0};
  std::array<double, kMaxMoment + 1> right_power{1.0};
  for (std::size_t k = 1; k <= static_cast<std::size_t>(order); ++k) {
    left_power[k] = left_power[k - 1] * to_left;
    right_power[k] = right_power[k - 1] * to_right;
    if (k < 2) continue;
    auto sum = weight * left_power[k] + right.weight * right_power[k];
    for (std::size_t i = 0; i + 2 <= k; ++i) {
      sum += kBinomials[k][i] * (left[k - i] * left_power[i] + right.sums[k - i] * right_power[i]);
    }
    sums[k] = sum;
  }
  mean += delta * right.weight / total;
  weight = total;
  min = std::min(min, right.min);
  max = std::max(max, right.max);
}

std::vector<double> PowerSums::MappedMoments() const {
  constexpr double kRounding = 1e-9;
  auto const low = std::ldexp(static_cast<double>(min), -exponent);
  auto const high = std::ldexp(static_cast<double>(max), -exponent);
  auto const scale = 2.0 / (high - low);
  auto const shift = scale * (mean - 0.5 * (low + high));
  std::vector<double> moments{1.0};
  for (std::size_t k = 1; k <= static_cast<std::size_t>(order); ++k) {
    auto moment = std::pow(shift, static_cast<double>(k));
    auto power = scale;
    for (std::size_t i = 2; i <= k; ++i) {
      power *= scale;
      auto const central = sums[i] / weight * power;
      moment += kBinomials[k][i] * central * std::pow(shift, static_cast<double>(k - i));
    }
    auto const limit = k % 2 == 0 ? moments[k - 2] : moments[k - 1];  // even moments fall, odd ones are smaller still
    if (!(std::fabs(moment) <= limit + kRounding) || (k % 2 == 0 && moment < 0.0)) break;
    moments.push_back(moment);
  }
  return moments;
}

}  // namespace kauri
