#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "collective/all_rows.h"
#include "collective/reduce.h"
#include "collective/row_sums.h"
#include "common/loss/loss_param.h"
#include "common/quantile.h"
#include "common/sums.h"
#include "common/text/number_list.h"
#include "common/threads/parallel_for.h"
#include "kauri/context.h"
#include "kauri/error.h"
#include "kauri/meta_info.h"
#include "kauri/objective.h"
#include "objective/formula.h"
#include "objective/labels.h"
#include "objective/objective_table.h"
#include "objective/scaled_gradients.h"

namespace kauri {
namespace {

// Objectives of one label column that fit several statistics of the labels' distribution, with one output
// for each.

class SeveralAlphas : public Objective {
 public:
  SeveralAlphas(std::string name, std::vector<float> alphas) : name_(std::move(name)), alphas_(std::move(alphas)) {}

  std::int64_t NumOutputs(MetaInfo const&) const override { return NumAlphas(); }
  void ValidateInfo(Context const& ctx, MetaInfo const& info) const override;
  std::string Name() const override { return name_; }

 protected:
  std::vector<float> const& Alphas() const { return alphas_; }
  std::int64_t NumAlphas() const { return static_cast<std::int64_t>(alphas_.size()); }
  /// Returns Loss{alpha} for every alpha.
  template <typename Loss>
  std::vector<Loss> Losses() const {
    std::vector<Loss> losses;
    for (auto const alpha : alphas_) losses.push_back({alpha});
    return losses;
  }

 private:
  std::string name_;
  std::vector<float> alphas_;
};

void SeveralAlphas::ValidateInfo(Context const& ctx, MetaInfo const& info) const {
  if (info.n_targets != 1) {
    Fail(ErrorKind::kData, name_, ": ", info.n_targets, " label columns; give one column");
  }
  CheckLabelsAre<FiniteLabels>(ctx, info, name_);
}

// Base scores that are quantiles of the labels.

float LabelQuantile(MetaInfo const& info, float quantile) {
  std::vector<float> labels;
  std::vector<WeightedValue> weighted;
  for (std::int64_t row = 0; row < info.n_rows; ++row) {
    auto const label = info.labels[row];
    if (info.weights.empty()) {
      labels.push_back(label);
    } else {
      weighted.push_back({label, info.Weight(row)});
    }
  }
  return info.weights.empty() ? Quantile(labels, quantile) : Quantile(weighted, quantile);
}

/// Returns the weighted quantiles of the only column of labels, [quantiles.size()], or 0 without rows. With several
/// ranks, every rank receives the labels and weights of all rows, 8 bytes per row. \throws Error(kData) if all weights
/// are 0.
std::vector<float> LabelQuantiles(Context const& ctx, MetaInfo const& info, std::vector<float> const& quantiles,
                                  std::string const& objective) {
  if (IsDistributed(ctx)) return LabelQuantiles(Alone(ctx), GatherLabels(ctx, info, {}).info, quantiles, objective);
  std::vector<float> result(quantiles.size(), 0.0F);
  if (info.n_rows == 0) return result;
  auto const has_weight = [](float weight) { return weight > 0.0F; };
  if (!info.weights.empty() && std::none_of(info.weights.begin(), info.weights.end(), has_weight)) {
    FailNoWeight(info.n_rows, objective);
  }
  ParallelFor(ctx, static_cast<std::int64_t>(quantiles.size()),
              [&](std::int64_t output) { result[output] = LabelQuantile(info, quantiles[output]); });
  return result;
}

constexpr char kExpectileError[] = "reg:expectileerror";
/// Smallest initial gap between two expectiles: softplus cannot return 0.
constexpr double kMinGap = 1e-6;

/// Sums of weight times share, with and without the label as a factor.
struct ShareSums {
  double labels = 0.0;
  double shares = 0.0;

  ShareSums& operator+=(ShareSums const& other) {
    labels += other.labels;
    shares += other.shares;
    return *this;
  }
};

class ExpectileError : public SeveralAlphas {
 public:
  explicit ExpectileError(ParamMap const& params)
      : SeveralAlphas(kExpectileError, ParseParameters<ExpectileParam>(params).Alphas(kExpectileError)),
        losses_(Losses<ExpectileLoss>()) {}

  void ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t,
                        Span<GradientPair> out) const override {
    auto const n_alphas = NumAlphas();
    CheckGradientSizes(info.labels.size() * losses_.size(), margins, out);
    ParallelForBlocks(ctx, info.n_rows, kRowBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      for (auto row = begin; row < end; ++row) {
        ExpectileLoss::RowGradients(losses_.data(), n_alphas, margins.data() + row * n_alphas, info.labels[row],
                                    info.Weight(row), out.data() + row * n_alphas);
      }
    });
  }
  /// One Newton step from the mean label, towards the expectiles.
  std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const override {
    auto const mean = MeanAt(ctx, info, ExpectileLoss{0.5F}, 0.0);
    std::vector<float> scores;
    for (auto const& loss : losses_) scores.push_back(static_cast<float>(MeanAt(ctx, info, loss, mean)));
    return scores;
  }
  /// Maps the gaps between the scores through the inverse of softplus.
  std::vector<float> StartMargins(std::vector<float> const& base_scores) const override {
    auto margins = base_scores;
    for (std::size_t k = 1; k < margins.size(); ++k) {
      auto const gap = static_cast<double>(base_scores[k]) - static_cast<double>(base_scores[k - 1]);
      margins[k] = static_cast<float>(InverseSoftPlus(std::max(gap, kMinGap)));
    }
    return margins;
  }
  void TransformMargins(Context const& ctx, Span<float> values, std::int64_t n_outputs) const override {
    auto const n_rows = static_cast<std::int64_t>(values.size()) / n_outputs;
    ParallelForBlocks(ctx, n_rows, kRowBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      for (auto row = begin; row < end; ++row) ExpectileLoss::RowValues(n_outputs, values.data() + row * n_outputs);
    });
  }
  std::string DefaultMetric() const override { return "expectile"; }
  std::string ParamKey() const override { return "expectile_loss_param"; }
  std::map<std::string, std::string> SaveParams() const override {
    return {{"expectile_alpha", NumbersText(Alphas())}};
  }
  ObjectiveFormula Formula() const override { return {losses_}; }

 private:
  /// Returns x with ln(1 + e^x) = gap.
  static double InverseSoftPlus(double gap) { return gap + Log(1.0 - Exp(-gap)); }

  /// Returns the mean label, with the shares at `value` as weights.
  static double MeanAt(Context const& ctx, MetaInfo const& info, ExpectileLoss const& loss, double value) {
    auto const share_of = [&](std::int64_t row) {
      auto const label = info.labels[row];
      auto const share = static_cast<double>(info.Weight(row)) * loss.Share(value, label);
      return ShareSums{share * static_cast<double>(label), share};
    };
    auto const sum_of = [&](std::int64_t begin, std::int64_t end) {
      ShareSums block;
      for (auto row = begin; row < end; ++row) block += share_of(row);
      return block;
    };
    auto const add_up = [](BlockValues<ShareSums> const& block) {
      return std::accumulate(block.values, block.values + block.n, ShareSums{},
                             [](ShareSums sum, ShareSums const& share) { return sum += share; });
    };
    auto const sums = SumRows<ShareSums>(ctx, info, {}, sum_of, share_of, add_up);
    if (sums.shares > 0.0) return sums.labels / sums.shares;
    auto const n_rows = SumOverRanks(ctx, info.n_rows);
    if (n_rows > 0) FailNoWeight(n_rows, kExpectileError);
    return 0.0;
  }

  std::vector<ExpectileLoss> losses_;
};

}  // namespace

void RegisterExpectileError(Registry<ObjectiveFactory>* registry) {
  registry->Add({kExpectileError, "Expectiles of the label, one output for each of expectile_alpha; they do not cross.",
                 [](ParamMap const& params) { return std::make_unique<ExpectileError>(params); },
                 DescribeParameters<ExpectileParam>});
}

namespace {

constexpr char kQuantileError[] = "reg:quantileerror";

class QuantileError : public SeveralAlphas {
 public:
  explicit QuantileError(ParamMap const& params)
      : SeveralAlphas(kQuantileError, ParseParameters<QuantileParam>(params).Alphas(kQuantileError)),
        losses_(Losses<QuantileLoss>()) {}

  void ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t,
                        Span<GradientPair> out) const override {
    ScaledGradients(ctx, losses_, margins, info, out);
  }
  std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const override {
    return LabelQuantiles(ctx, info, Alphas(), kQuantileError);
  }
  /// Sorts each row, so that its quantiles do not cross, as margins may.
  void TransformMargins(Context const& ctx, Span<float> values, std::int64_t n_outputs) const override {
    if (n_outputs == 1) return;
    auto const n_rows = static_cast<std::int64_t>(values.size()) / n_outputs;
    ParallelForBlocks(ctx, n_rows, kRowBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      for (auto row = begin; row < end; ++row) QuantileLoss::SortRow(n_outputs, values.data() + row * n_outputs);
    });
  }
  std::string DefaultMetric() const override { return "quantile"; }
  std::string ParamKey() const override { return "quantile_loss_param"; }
  std::map<std::string, std::string> SaveParams() const override { return {{"quantile_alpha", NumbersText(Alphas())}}; }
  ObjectiveFormula Formula() const override { return {losses_}; }

 private:
  std::vector<QuantileLoss> losses_;
};

}  // namespace

void RegisterQuantileError(Registry<ObjectiveFactory>* registry) {
  registry->Add({kQuantileError, "Quantiles of the label, one output for each of quantile_alpha; they do not cross.",
                 [](ParamMap const& params) { return std::make_unique<QuantileError>(params); },
                 DescribeParameters<QuantileParam>});
}

}  // namespace kauri
