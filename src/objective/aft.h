/// \file survival:aft: accelerated failure time with interval-censored times, see common/loss/aft_loss.h.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/loss/aft_loss.h"
#include "common/loss/loss_param.h"
#include "kauri/objective.h"
#include "kauri/parameter.h"

namespace kauri {

/// Labels are label_lower_bound and label_upper_bound; `labels` is not read.
class Aft : public Objective {
 public:
  static constexpr char kName[] = "survival:aft";

  explicit Aft(ParamMap const& params);

  std::int64_t NumOutputs(MetaInfo const&) const override { return 1; }
  void ValidateInfo(MetaInfo const& info) const override;
  void ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t iteration,
                        Span<GradientPair> out) const override;
  /// Not estimated: 0.5, as in XGBoost.
  std::vector<float> EstimateBaseScore(Context const&, MetaInfo const&) const override { return {0.5F}; }
  float BaseScoreToMargin(float base_score) const override;
  void TransformMargins(Context const& ctx, Span<float> values, std::int64_t n_outputs) const override;
  /// Metrics of survival times are of margins.
  bool EvaluatesMargins() const override { return true; }
  std::string Name() const override { return kName; }
  std::string DefaultMetric() const override { return "aft-nloglik"; }
  std::string ParamKey() const override { return "aft_loss_param"; }
  std::map<std::string, std::string> SaveParams() const override { return param_.__DICT__(); }

  AftLoss Loss() const;

 private:
  AftParam param_;
};

}  // namespace kauri
