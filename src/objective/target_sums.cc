#include "objective/target_sums.h"

#include "common/block_sum.h"
#include "objective/labels.h"

namespace kauri {

TargetSums::TargetSums(std::int64_t n_targets) : numerator(ToSize(n_targets)), denominator(ToSize(n_targets)) {}

void TargetSums::Add(std::int64_t target, double top, double bottom) {
  numerator[target] += top;
  denominator[target] += bottom;
}

TargetSums& TargetSums::operator+=(TargetSums const& other) {
  if (numerator.empty()) return *this = other;
  for (std::size_t target = 0; target < numerator.size(); ++target) {
    numerator[target] += other.numerator[target];
    denominator[target] += other.denominator[target];
  }
  return *this;
}

float TargetSums::NewtonStep(std::int64_t target) const {
  auto const hessian = denominator[target];
  return hessian > 0.0 ? static_cast<float>(-numerator[target] / hessian) : 0.0F;
}

TargetSums SumByTarget(Context const& ctx, Span<GradientPair const> pairs, std::int64_t n_targets) {
  auto const n = static_cast<std::int64_t>(pairs.size());
  auto const sums = SumBlocks<TargetSums>(ctx, n, kRowBlock, [&](std::int64_t begin, std::int64_t end) {
    TargetSums block(n_targets);
    for (auto i = begin; i < end; ++i) {
      block.Add(i % n_targets, static_cast<double>(pairs[i].gradient), static_cast<double>(pairs[i].hessian));
    }
    return block;
  });
  return n == 0 ? TargetSums(n_targets) : sums;
}

std::vector<float> MeanLabels(Context const& ctx, MetaInfo const& info, std::string const& objective) {
  auto const sums = SumBlocks<TargetSums>(ctx, info.n_rows, kRowBlock, [&](std::int64_t begin, std::int64_t end) {
    TargetSums block(info.n_targets);
    for (auto row = begin; row < end; ++row) {
      auto const weight = static_cast<double>(info.Weight(row));
      for (std::int64_t target = 0; target < info.n_targets; ++target) {
        auto const label = info.labels[row * info.n_targets + target];
        block.Add(target, weight * static_cast<double>(label), weight);
      }
    }
    return block;
  });
  std::vector<float> means(info.n_targets, 0.0F);
  for (std::size_t target = 0; target < sums.numerator.size(); ++target) {
    if (!(sums.denominator[target] > 0.0)) FailNoWeight(info, objective);
    means[target] = static_cast<float>(sums.numerator[target] / sums.denominator[target]);
  }
  return means;
}

}  // namespace kauri
