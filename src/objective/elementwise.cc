#include "objective/elementwise.h"

#include <array>

#include "common/block_sum.h"
#include "common/loss/element_weights.h"
#include "common/parallel_for.h"
#include "kauri/error.h"

namespace kauri {
namespace {

/// One float64 pair per target.
struct TargetSums {
  std::vector<double> numerator;
  std::vector<double> denominator;

  TargetSums() = default;
  explicit TargetSums(std::int64_t n_targets)
      : numerator(static_cast<std::size_t>(n_targets)), denominator(static_cast<std::size_t>(n_targets)) {}

  void Add(std::int64_t target, double top, double bottom) {
    numerator[target] += top;
    denominator[target] += bottom;
  }
  TargetSums& operator+=(TargetSums const& other) {
    if (numerator.empty()) return *this = other;
    for (std::size_t target = 0; target < numerator.size(); ++target) {
      numerator[target] += other.numerator[target];
      denominator[target] += other.denominator[target];
    }
    return *this;
  }
};

}  // namespace

void ElementwiseObjective::ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info,
                                            std::int64_t, Span<GradientPair> out) const {
  auto const n = static_cast<std::int64_t>(info.labels.size());
  if (margins.size() != info.labels.size() || out.size() != info.labels.size()) {
    Fail(ErrorKind::kInternal, "gradients of ", n, " labels asked for ", margins.size(), " margins and ", out.size(),
         " places");
  }
  ParallelForBlocks(ctx, n, kRowBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    ElementBuffer buffer;
    auto const* weights = ElementWeights(info, begin, end, &buffer);
    Gradients({margins.data() + begin, info.labels.data() + begin, weights, out.data() + begin, end - begin});
  });
}

std::vector<float> ElementwiseObjective::MeanLabels(Context const& ctx, MetaInfo const& info) {
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
    if (!(sums.denominator[target] > 0.0)) {
      Fail(ErrorKind::kData, "the weights of the ", info.n_rows, " rows add up to ", sums.denominator[target],
           ", so their labels have no mean; give some row a weight above 0");
    }
    means[target] = static_cast<float>(sums.numerator[target] / sums.denominator[target]);
  }
  return means;
}

std::vector<float> ElementwiseObjective::NewtonStep(Context const& ctx, MetaInfo const& info) const {
  auto const n = static_cast<std::int64_t>(info.labels.size());
  auto const sums = SumBlocks<TargetSums>(ctx, n, kRowBlock, [&](std::int64_t begin, std::int64_t end) {
    ElementBuffer buffer;
    ElementBuffer margins{};
    std::array<GradientPair, kRowBlock> pairs;
    auto const* weights = ElementWeights(info, begin, end, &buffer);
    Gradients({margins.data(), info.labels.data() + begin, weights, pairs.data(), end - begin});
    TargetSums block(info.n_targets);
    for (auto element = begin; element < end; ++element) {
      auto const pair = pairs[element - begin];
      block.Add(element % info.n_targets, static_cast<double>(pair.gradient), static_cast<double>(pair.hessian));
    }
    return block;
  });
  std::vector<float> margins(info.n_targets, 0.0F);
  for (std::size_t target = 0; target < sums.numerator.size(); ++target) {
    auto const hessian = sums.denominator[target];
    if (hessian > 0.0) margins[target] = static_cast<float>(-sums.numerator[target] / hessian);
  }
  return margins;
}

}  // namespace kauri
