/// Objectives dist:normal and so on: the parameters of a distribution of the label, one output each
/// (common/distribution/family.h).
///
/// 1. The base scores are the raw scores that fit the labels of all rows best.
/// 2. A row's hessian is the diagonal of its Fisher information, its gradient the natural gradient times that.
/// 3. Trees have vector leaves by default, so that a split serves all parameters. The gain of a leaf, a sum over the
///    parameters, has no unit: it counts log-likelihood.
/// 4. Predictions are the parameters in their natural scale.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "collective/reduce.h"
#include "collective/row_sums.h"
#include "common/distribution/family.h"
#include "common/math.h"
#include "common/threads/parallel_for.h"
#include "kauri/error.h"
#include "kauri/objective.h"
#include "objective/labels.h"
#include "objective/objective_table.h"

namespace kauri {
namespace {

using distribution::Family;
using distribution::kMostParameters;
using distribution::LabelMoments;
using distribution::RowBlock;

/// A label and its weight.
struct WeightedLabel {
  double label;
  double weight;
};

/// Sums over rows of a fixed number of float64 terms.
template <std::size_t kTerms>
struct Terms {
  double of[kTerms] = {};

  Terms& operator+=(Terms const& other) {
    for (std::size_t i = 0; i < kTerms; ++i) of[i] += other.of[i];
    return *this;
  }
};

/// Returns the sum of terms_of(label, weight) over the rows of all ranks, added in the order of the rows.
template <typename Sum, typename TermsOf>
Sum SumLabels(Context const& ctx, MetaInfo const& info, TermsOf&& terms_of) {
  auto const value_of = [&](std::int64_t row) {
    return WeightedLabel{static_cast<double>(info.labels[row]), static_cast<double>(info.Weight(row))};
  };
  auto const add = [&](WeightedLabel const& row, Sum* sum) {
    if (row.weight > 0.0) *sum += terms_of(row.label, row.weight);
  };
  auto const sum_of = [&](std::int64_t begin, std::int64_t end) {
    Sum sum;
    for (auto row = begin; row < end; ++row) add(value_of(row), &sum);
    return sum;
  };
  auto const add_up = [&](BlockValues<WeightedLabel> const& block) {
    Sum sum;
    for (std::int64_t i = 0; i < block.n; ++i) add(block.values[i], &sum);
    return sum;
  };
  return SumRows<Sum>(ctx, info, {}, sum_of, value_of, add_up);
}

/// Returns the moments with bounds that keep the logarithms of variances and shares finite.
LabelMoments MomentsOf(Context const& ctx, MetaInfo const& info, double* total) {
  auto const first = SumLabels<Terms<5>>(ctx, info, [](double label, double weight) {
    auto const above = label > 0.0 ? weight : 0.0;
    return Terms<5>{{weight, weight * label, above, above * label, above > 0.0 ? weight * Log(label) : 0.0}};
  });
  LabelMoments moments;
  *total = first.of[0];
  if (!(*total > 0.0)) return moments;
  auto const above = first.of[2];
  moments.mean = first.of[1] / *total;
  moments.share_above_zero = std::fmin(std::fmax(above / *total, 1e-4), 1.0 - 1e-4);
  moments.mean_above_zero = above > 0.0 ? first.of[3] / above : 1.0;
  moments.log_mean = above > 0.0 ? first.of[4] / above : 0.0;
  auto const second = SumLabels<Terms<2>>(ctx, info, [&](double label, double weight) {
    auto const difference = label - moments.mean;
    auto const of_log = label > 0.0 ? Log(label) - moments.log_mean : 0.0;
    return Terms<2>{{weight * difference * difference, weight * of_log * of_log}};
  });
  auto const least = std::fmax(1e-12 * moments.mean * moments.mean, 1e-30);
  moments.variance = std::fmax(second.of[0] / *total, least);
  moments.log_variance = above > 0.0 ? std::fmax(second.of[1] / above, 1e-12) : 1.0;
  return moments;
}

class DistributionObjective : public Objective {
 public:
  explicit DistributionObjective(Family const& family)
      : family_(family), name_(std::string("dist:") + family.Name()), n_(family.NumParameters()) {}

  std::string Name() const override { return name_; }
  std::int64_t NumOutputs(MetaInfo const&) const override { return n_; }
  void ValidateInfo(Context const& ctx, MetaInfo const& info) const override {
    if (info.n_targets != 1) {
      Fail(ErrorKind::kData, name_, ": ", info.n_targets, " label columns; give one column");
    }
    CheckLabels(ctx, info, {name_, family_.Domain(), family_.Cure()},
                [&](float label) { return family_.Takes(label); });
  }
  void ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t,
                        Span<GradientPair> out) const override {
    RequireOutputs(info.labels.empty() ? n_ : static_cast<std::int64_t>(margins.size() / info.labels.size()));
    CheckGradientSizes(info.labels.size() * ToSize(n_), margins, out);
    ParallelForBlocks(ctx, info.n_rows, kBlockRows, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      RowBlock block;
      for (auto row = begin; row < end; row += block.n) {
        block.n = std::min(RowBlock::kMostRows, end - row);
        ReadRows(margins, info, row, &block);
        family_.BlockGradients(&block);
        WriteRows(block, info, row, out);
      }
    });
  }
  std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const override;
  void TransformMargins(Context const& ctx, Span<float> values, std::int64_t n_outputs) const override {
    RequireOutputs(n_outputs);
    auto const n_rows = static_cast<std::int64_t>(values.size()) / n_;
    ParallelForBlocks(ctx, n_rows, kBlockRows, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      double raw[kMostParameters];
      double parameters[kMostParameters];
      for (auto row = begin; row < end; ++row) {
        auto* const of_row = values.data() + row * n_;
        for (int k = 0; k < n_; ++k) raw[k] = static_cast<double>(of_row[k]);
        family_.Parameters(raw, parameters);
        for (int k = 0; k < n_; ++k) of_row[k] = static_cast<float>(parameters[k]);
      }
    });
  }
  std::string DefaultMetric() const override { return "nll"; }
  /// A bound on hessians is off. A penalty is off where it would depend on the label's unit. Elsewhere the usual
  /// penalty of 1 stays: it is about the information of one row, and without it a leaf whose rows say nearly nothing of
  /// a parameter, such as the size of counts that are mostly zeros, could have any value.
  std::map<std::string, std::string> ParameterDefaults() const override {
    std::map<std::string, std::string> defaults{{"min_child_weight", "0"}};
    if (n_ > 1) defaults["multi_strategy"] = "multi_output_tree";
    if (!family_.IsUnitFree()) defaults["lambda"] = "0";
    return defaults;
  }
  /// Monotone constraints are about the mean of the distribution.
  std::vector<std::uint8_t> FreeOutputs() const override {
    std::vector<std::uint8_t> free;
    for (int k = 0; k < n_; ++k) free.push_back(family_.MovesMean(k) ? 0 : 1);
    return free;
  }

 private:
  static constexpr std::int64_t kBlockRows = 1024;

  /// Copies the rows from `first` on to the block.
  void ReadRows(Span<float const> margins, MetaInfo const& info, std::int64_t first, RowBlock* block) const {
    for (std::int64_t i = 0; i < block->n; ++i) block->label[i] = static_cast<double>(info.labels[first + i]);
    for (int k = 0; k < n_; ++k) {
      for (std::int64_t i = 0; i < block->n; ++i) {
        block->raw[k][i] = static_cast<double>(margins[(first + i) * n_ + k]);
      }
    }
  }
  /// Writes the weighted pairs of a block.
  void WriteRows(RowBlock const& block, MetaInfo const& info, std::int64_t first, Span<GradientPair> out) const {
    for (std::int64_t i = 0; i < block.n; ++i) {
      auto const weight = static_cast<double>(info.Weight(first + i));
      for (int k = 0; k < n_; ++k) {
        out[(first + i) * n_ + k] = {static_cast<float>(block.gradient[k][i] * weight),
                                     static_cast<float>(block.hessian[k][i] * weight)};
      }
    }
  }
  /// \throws Error(kParameter) if the model has another number of outputs, as after a change of `objective`.
  void RequireOutputs(std::int64_t n_outputs) const {
    if (n_outputs == n_) return;
    Fail(ErrorKind::kParameter, "objective=", name_, " needs ", n_, n_ == 1 ? " output" : " outputs",
         " per row, and the model has ", n_outputs, "; set the objective with which the model was trained");
  }

  Family const& family_;
  std::string name_;
  int n_;
};

/// Fisher's scoring: steps of the natural gradient, each at most one unit of information long. The gradient of an
/// absolute difference is a sign, whose steps would pass the maximum for ever: where a gradient changes its sign, the
/// next step has at most half the length of the last one, and later bounds grow by a fifth.
std::vector<float> DistributionObjective::EstimateBaseScore(Context const& ctx, MetaInfo const& info) const {
  constexpr int kMostSteps = 150;
  constexpr double kConverged = 1e-9;
  double total = 0.0;
  auto const moments = MomentsOf(ctx, info, &total);
  auto const n_rows = SumOverRanks(ctx, info.n_rows);
  if (n_rows == 0) return std::vector<float>(ToSize(n_), 0.0F);
  if (!(total > 0.0)) FailNoWeight(n_rows, name_);
  auto raw = family_.Start(moments);
  auto largest = 1.0;
  double last[kMostParameters] = {};
  double most[kMostParameters] = {1.0, 1.0, 1.0};
  for (int step = 0; step < kMostSteps && largest > kConverged; ++step) {
    auto const sums = SumLabels<Terms<2 * kMostParameters>>(ctx, info, [&](double label, double weight) {
      auto const pairs = family_.Gradients(raw.data(), label);
      Terms<2 * kMostParameters> terms;
      for (int k = 0; k < n_; ++k) {
        terms.of[k] = weight * pairs.gradient[k];
        terms.of[kMostParameters + k] = weight * pairs.hessian[k];
      }
      return terms;
    });
    largest = 0.0;
    for (int k = 0; k < n_; ++k) {
      auto const hessian = sums.of[kMostParameters + k];
      if (!(hessian > 0.0)) continue;
      auto const unit = std::sqrt(total / hessian);
      auto const whole = -sums.of[k] / hessian / unit;
      most[k] = whole * last[k] < 0.0 ? 0.5 * std::fabs(last[k]) : std::fmin(1.2 * most[k], 1.0);
      auto const length = std::fmin(std::fmax(whole, -most[k]), most[k]);
      raw[k] += length * unit;
      last[k] = length;
      largest = std::fmax(largest, std::fabs(length));
    }
  }
  return {raw.begin(), raw.end()};
}

}  // namespace

void RegisterDistribution(Registry<ObjectiveFactory>* registry) {
  for (auto const* family : distribution::Families()) {
    registry->Add({std::string("dist:") + family->Name(),
                   std::string(family->Description()) + " Predictions are these parameters.",
                   [family](ParamMap const&) { return std::make_unique<DistributionObjective>(*family); }});
  }
}

}  // namespace kauri
