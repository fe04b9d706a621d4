#include "data/sketch/power_sums.h"

#include <utility>

#include "common/host_math.h"

namespace kauri {
namespace {

using Lanes = std::array<double, kPowerLanes>;

constexpr auto kBinomials = power_sums::MakeBinomials();

double Join(Lanes lanes) {
  for (auto half = kPowerLanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

/// A block of values and weights, with 0 in place of skipped values and their weights.
struct CleanBlock {
  std::size_t n = 0;  ///< a multiple of kPowerLanes
  std::array<double, kPowerBlock> values;
  std::array<double, kPowerBlock> weights;

  CleanBlock(Span<float const> from, Span<float const> with) {
    n = (from.size() + kPowerLanes - 1) / kPowerLanes * kPowerLanes;
    for (std::size_t i = 0; i < n; ++i) {
      auto const is_there = i < from.size() && !std::isnan(from[i]) && (with.empty() || with[i] > 0.0F);
      values[i] = is_there ? static_cast<double>(from[i]) : 0.0;
      weights[i] = is_there ? (with.empty() ? 1.0 : static_cast<double>(with[i])) : 0.0;
    }
  }
};

/// Adds weight * (x - mean)^k for each k. A weight of 0 adds zeros, which change no bit.
void AddPowers(CleanBlock const& block, double scale, PowerSums* sums) {
  auto const order = static_cast<std::size_t>(sums->order);
  std::array<Lanes, kMaxMoment + 1> lanes{};
  for (std::size_t begin = 0; begin < block.n; begin += kPowerLanes) {
    Lanes difference;
    Lanes power;
    for (std::size_t lane = 0; lane < kPowerLanes; ++lane) {
      difference[lane] = block.values[begin + lane] * scale - sums->mean;
      power[lane] = block.weights[begin + lane] * difference[lane];
    }
    for (std::size_t k = 2; k <= order; ++k) {
      for (std::size_t lane = 0; lane < kPowerLanes; ++lane) {
        power[lane] *= difference[lane];
        lanes[k][lane] += power[lane];
      }
    }
  }
  for (std::size_t k = 2; k <= order; ++k) sums->sums[k] = Join(lanes[k]);
}

}  // namespace

PowerSums SumBlock(Span<float const> values, Span<float const> weights, int order) {
  PowerSums sums;
  sums.order = order;
  CleanBlock const block(values, weights);
  Lanes lane_weight{};
  Lanes lane_sum{};
  for (std::size_t begin = 0; begin < block.n; begin += kPowerLanes) {
    for (std::size_t lane = 0; lane < kPowerLanes; ++lane) {
      lane_weight[lane] += block.weights[begin + lane];
      lane_sum[lane] += block.weights[begin + lane] * block.values[begin + lane];
    }
  }
  sums.weight = Join(lane_weight);
  if (sums.weight <= 0.0) return sums;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (block.weights[i] <= 0.0) continue;
    sums.min = std::min(sums.min, values[i] + 0.0F);  // both zeros become one
    sums.max = std::max(sums.max, values[i] + 0.0F);
  }
  sums.exponent = power_sums::ExponentOf(sums.min, sums.max);
  auto const scale = std::ldexp(1.0, -sums.exponent);
  sums.mean = Join(lane_sum) / sums.weight * scale;
  AddPowers(block, scale, &sums);
  return sums;
}

PowerSums PowerSums::MergedWith(PowerSums const& next) const {
  auto both = *this;
  power_sums::MergeInto(next, &both, kBinomials);
  return both;
}

std::vector<double> PowerSums::MappedMoments() const {
  constexpr double kRounding = 1e-9;
  auto const low = std::ldexp(static_cast<double>(min), -exponent);
  auto const high = std::ldexp(static_cast<double>(max), -exponent);
  auto const scale = 2.0 / (high - low);
  auto const shift = scale * (mean - 0.5 * (low + high));
  std::vector<double> moments{1.0};
  for (std::size_t k = 1; k <= static_cast<std::size_t>(order); ++k) {
    auto moment = IntegerPower(shift, static_cast<std::int32_t>(k));
    auto power = scale;
    for (std::size_t i = 2; i <= k; ++i) {
      power *= scale;
      auto const central = sums[i] / weight * power;
      moment += kBinomials.rows[k][i] * central * IntegerPower(shift, static_cast<std::int32_t>(k - i));
    }
    // even moments do not increase, odd ones are smaller than the even one before
    auto const limit = k % 2 == 0 ? moments[k - 2] : moments[k - 1];
    if (!(std::fabs(moment) <= limit + kRounding) || (k % 2 == 0 && moment < 0.0)) break;
    moments.push_back(moment);
  }
  return moments;
}

void PowerSumTree::Add(Span<float const> values, Span<float const> weights) {
  for (std::size_t begin = 0; begin < values.size(); begin += kPowerBlock) {
    auto const n = std::min(kPowerBlock, values.size() - begin);
    AddBlock(SumBlock(values.subspan(begin, n), weights.empty() ? weights : weights.subspan(begin, n), order_));
  }
}

void PowerSumTree::AddBlock(PowerSums block) {
  std::size_t level = 0;
  for (; (n_blocks_ >> level) % 2 == 1; ++level) block = std::exchange(levels_[level], PowerSums()).MergedWith(block);
  if (level == levels_.size()) levels_.emplace_back();
  levels_[level] = block;
  ++n_blocks_;
}

PowerSums PowerSumTree::Sums() const {
  PowerSums sums;
  sums.order = order_;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    if ((n_blocks_ >> level) % 2 == 1) sums = levels_[level].MergedWith(sums);
  }
  return sums;
}

}  // namespace kauri
