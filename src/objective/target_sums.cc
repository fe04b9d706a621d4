#include "objective/target_sums.h"

#include "collective/reduce.h"
#include "common/loss/label_elements.h"
#include "objective/labels.h"

namespace kauri {

TargetSums::TargetSums(std::int64_t n_targets) : numerator(ToSize(n_targets)), denominator(ToSize(n_targets)) {}

TargetSums::TargetSums(Span<double const> doubles)
    : numerator(doubles.begin(), doubles.begin() + doubles.size() / 2),
      denominator(doubles.begin() + doubles.size() / 2, doubles.end()) {
  if (numerator.size() != denominator.size())
    FailParcel("expected an even number of sums, got " + std::to_string(doubles.size()));
}

void TargetSums::AppendTo(std::vector<double>* doubles) const {
  doubles->insert(doubles->end(), numerator.begin(), numerator.end());
  doubles->insert(doubles->end(), denominator.begin(), denominator.end());
}

void TargetSums::Require(std::int64_t n_targets) const {
  if (numerator.size() != ToSize(n_targets))
    FailParcel("expected one sum per label column, got " + std::to_string(numerator.size()));
}

void TargetSums::Add(std::int64_t target, double top, double bottom) {
  numerator[target] += top;
  denominator[target] += bottom;
}

TargetSums& TargetSums::operator+=(TargetSums const& other) {
  if (numerator.empty()) return *this = other;
  if (other.numerator.size() != numerator.size()) FailParcel("expected one sum per label column");
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

TargetSums SumByTarget(Context const& ctx, MetaInfo const& info, Span<GradientPair const> pairs) {
  auto const n_targets = info.n_targets;
  auto const sum_of = [&](std::int64_t begin, std::int64_t end) {
    TargetSums block(n_targets);
    for (auto i = begin; i < end; ++i) {
      block.Add(i % n_targets, static_cast<double>(pairs[i].gradient), static_cast<double>(pairs[i].hessian));
    }
    return block;
  };
  auto const term_of = [&](std::int64_t i) {
    return TargetTerm{static_cast<double>(pairs[i].gradient), static_cast<double>(pairs[i].hessian)};
  };
  return SumTargets(ctx, info, {n_targets}, sum_of, term_of);
}

namespace {

/// Returns the sum of the labels [begin, end), added up in their order; none is missing if there is one target.
double SumOf(std::vector<float> const& labels, std::int64_t begin, std::int64_t end) {
  double sum = 0.0;
  for (auto i = begin; i < end; ++i) sum += static_cast<double>(labels[i]);
  return sum;
}

}  // namespace

std::vector<float> MeanLabels(Context const& ctx, MetaInfo const& info, std::string const& objective) {
  auto const n_targets = info.n_targets;
  auto const sum_of = [&](std::int64_t begin, std::int64_t end) {
    TargetSums block(n_targets);
    if (n_targets == 1 && info.weights.empty()) {
      block.Add(0, SumOf(info.labels, begin, end), static_cast<double>(end - begin));
      return block;
    }
    for (auto row = begin / n_targets; row < end / n_targets; ++row) {
      auto const weight = static_cast<double>(info.Weight(row));
      for (std::int64_t target = 0; target < n_targets; ++target) {
        auto const label = info.labels[row * n_targets + target];
        if (IsMissingLabel(label)) continue;
        block.Add(target, weight * static_cast<double>(label), weight);
      }
    }
    return block;
  };
  auto const term_of = [&](std::int64_t element) {
    auto const weight = static_cast<double>(info.Weight(element / n_targets));
    if (IsMissingLabel(info.labels[element])) return TargetTerm{0.0, 0.0};
    return TargetTerm{weight * static_cast<double>(info.labels[element]), weight};
  };
  auto const sums = SumTargets(ctx, info, {n_targets, kRowBlock * n_targets}, sum_of, term_of);
  if (sums.numerator.empty()) return std::vector<float>(ToSize(n_targets), 0.0F);
  std::vector<float> means;
  for (std::int64_t target = 0; target < sums.NumTargets(); ++target) {
    if (!(sums.denominator[target] > 0.0)) {
      RequireKnownTarget(ctx, info, target, objective);
      FailNoWeight(SumOverRanks(ctx, info.n_rows), objective);
    }
    means.push_back(static_cast<float>(sums.numerator[target] / sums.denominator[target]));
  }
  return means;
}

}  // namespace kauri
