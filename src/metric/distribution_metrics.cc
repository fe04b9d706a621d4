/// nll and crps: means over rows of the score of a distribution whose parameters are the predictions of an objective
/// dist:...
#include <memory>
#include <string>
#include <utility>

#include "collective/row_ranges.h"
#include "common/distribution/family.h"
#include "kauri/error.h"
#include "kauri/metric.h"
#include "metric/formula.h"
#include "metric/inputs.h"
#include "metric/metric_table.h"
#include "metric/row_losses.h"

namespace kauri {
namespace {

using distribution::Family;
using distribution::kMostParameters;

double NegativeLogLikelihood(Family const& family, double const* parameters, double label) {
  return -family.LogDensity(parameters, label);
}
double RankedProbabilityScore(Family const& family, double const* parameters, double label) {
  return family.Crps(parameters, label);
}
using Score = double (*)(Family const&, double const*, double);

class DistributionMetric : public Metric {
 public:
  DistributionMetric(std::string name, Family const& family, Score score)
      : name_(std::move(name)), family_(family), score_(score), n_(family.NumParameters()) {}

  std::string Name() const override { return name_; }
  void Validate(MetaInfo const& info, std::int64_t n_outputs) const override {
    CheckInputs(name_, info);
    if (info.n_targets != 1) Fail(ErrorKind::kData, name_, ": ", info.n_targets, " label columns; give one column");
    if (info.n_rows > 0 && n_outputs != n_) {
      Fail(ErrorKind::kData, name_, ": ", n_outputs, " predictions per row for the ", n_,
           " parameters of dist:", family_.Name(), "; evaluate what was trained with that objective");
    }
    for (std::int64_t row = 0; row < info.n_rows; ++row) {
      if (family_.Takes(info.labels[row])) continue;
      Fail(ErrorKind::kData, name_, ": label ", info.labels[row], " of row ", GlobalRow(info, row), " is not ",
           family_.Domain(), ", as dist:", family_.Name(), " needs; ", family_.Cure());
    }
  }
  double Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const override {
    Validate(info, OutputsPerRow(name_, predictions, info));
    auto const loss_of = [&](std::int64_t row) {
      double parameters[kMostParameters];
      for (int k = 0; k < n_; ++k) parameters[k] = static_cast<double>(predictions[row * n_ + k]);
      auto const score = static_cast<float>(score_(family_, parameters, static_cast<double>(info.labels[row])));
      auto const weight = info.Weight(row);
      return WeightedLoss{weight > 0.0F ? score * weight : 0.0F, weight};
    };
    return SumLossesOfRows(ctx, info, 1, loss_of).Mean();
  }

 private:
  std::string name_;
  Family const& family_;
  Score score_;
  int n_;
};

/// Returns the family of the objective in the parameters. \throws Error(kParameter) for another objective.
Family const& FamilyIn(ParamMap const& params, std::string const& metric) {
  constexpr char kPrefix[] = "dist:";
  auto const found = params.find("objective");
  auto const objective = found == params.end() ? std::string("reg:squarederror") : found->second;
  auto const* const family =
      objective.rfind(kPrefix, 0) == 0 ? distribution::FindFamily(objective.substr(sizeof(kPrefix) - 1)) : nullptr;
  if (family != nullptr) return *family;
  Fail(ErrorKind::kParameter, "metric ", metric, " scores a whole distribution, and objective=", objective,
       " predicts none; train with an objective such as dist:normal, or use another metric");
}

MetricFactory MakeDistributionFactory(std::string const& name, Score score) {
  return [name, score](std::string const&, ParamMap const& params) {
    return std::make_unique<DistributionMetric>(name, FamilyIn(params, name), score);
  };
}

}  // namespace

void RegisterDistributionMetrics(Registry<MetricFactory>* registry) {
  registry->Add({"nll", "Mean negative log-likelihood of the distribution of objective=dist:...",
                 MakeDistributionFactory("nll", NegativeLogLikelihood)});
  registry->Add({"crps", "Mean continuous ranked probability score of the distribution of objective=dist:...",
                 MakeDistributionFactory("crps", RankedProbabilityScore)});
}

}  // namespace kauri
