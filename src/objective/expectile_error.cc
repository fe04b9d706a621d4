#include <algorithm>
#include <cmath>
#include <numeric>

#include "collective/reduce.h"
#include "collective/row_sums.h"
#include "common/loss/loss_param.h"
#include "common/text/number_list.h"
#include "common/threads/parallel_for.h"
#include "objective/formula.h"
#include "objective/gradient_sizes.h"
#include "objective/labels.h"
#include "objective/objective_table.h"
#include "objective/several_alphas.h"

namespace kauri {
namespace {

constexpr char kName[] = "reg:expectileerror";
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
      : SeveralAlphas(kName, ParseParameters<ExpectileParam>(params).Alphas(kName)), losses_(Losses<ExpectileLoss>()) {}

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
    if (n_rows > 0) FailNoWeight(n_rows, kName);
    return 0.0;
  }

  std::vector<ExpectileLoss> losses_;
};

}  // namespace

void RegisterExpectileError(Registry<ObjectiveFactory>* registry) {
  registry->Add({kName, "Expectiles of the label, one output for each of expectile_alpha; they do not cross.",
                 [](ParamMap const& params) { return std::make_unique<ExpectileError>(params); },
                 DescribeParameters<ExpectileParam>});
}

}  // namespace kauri
