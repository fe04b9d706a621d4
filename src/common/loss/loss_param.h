/// \file Parameters of losses that are both objectives and metrics.
#pragma once

#include <dmlc/parameter.h>

#include <string>
#include <vector>

namespace kauri {

struct PseudoHuberParam : public dmlc::Parameter<PseudoHuberParam> {
  static constexpr char kModelKey[] = "pseudo_huber_param";

  float huber_slope;

  DMLC_DECLARE_PARAMETER(PseudoHuberParam) {
    DMLC_DECLARE_FIELD(huber_slope)
        .set_default(1.0F)
        .describe("Differences at which the Huber and pseudo-Huber losses turn from squared to absolute; not 0.");
  }
  /// \throws Error(kParameter) unless the slope is finite and not 0.
  void Validate() const;
};

struct FairParam : public dmlc::Parameter<FairParam> {
  static constexpr char kModelKey[] = "fair_param";

  float fair_c;

  DMLC_DECLARE_PARAMETER(FairParam) {
    DMLC_DECLARE_FIELD(fair_c).set_default(1.0F).describe(
        "Differences at which the Fair loss turns from squared to absolute; above 0.");
  }
  /// \throws Error(kParameter) unless it is finite and above 0.
  void Validate() const;
};

struct FocalParam : public dmlc::Parameter<FocalParam> {
  static constexpr char kModelKey[] = "focal_param";

  float focal_gamma;
  float focal_alpha;

  DMLC_DECLARE_PARAMETER(FocalParam) {
    DMLC_DECLARE_FIELD(focal_gamma)
        .set_default(2.0F)
        .set_range(0.0F, 100.0F)
        .describe("Power of the probability of the wrong class that focal losses weigh rows by; 0 weighs them alike.");
    DMLC_DECLARE_FIELD(focal_alpha)
        .set_default(0.25F)
        .set_range(0.0F, 1.0F)
        .describe("Weight of rows whose label is 1 in focal losses; those whose label is 0 weigh 1 - focal_alpha.");
  }
  void Validate() const {}
};

struct QuantileParam : public dmlc::Parameter<QuantileParam> {
  std::string quantile_alpha;

  DMLC_DECLARE_PARAMETER(QuantileParam) {
    DMLC_DECLARE_FIELD(quantile_alpha)
        .set_default("")
        .describe("Quantiles to fit, in [0, 1]: 0.5, or several as in [0.1, 0.5, 0.9].");
  }
  /// \throws Error(kParameter) unless each number is in [0, 1].
  void Validate() const;
  /// \throws Error(kParameter) when there are none. user: the objective or metric that needs them.
  std::vector<float> Alphas(std::string const& user) const;
};

struct ExpectileParam : public dmlc::Parameter<ExpectileParam> {
  std::string expectile_alpha;

  DMLC_DECLARE_PARAMETER(ExpectileParam) {
    DMLC_DECLARE_FIELD(expectile_alpha)
        .set_default("")
        .describe("Expectiles to fit, in (0, 1): 0.5, or several in ascending order as in [0.1, 0.5, 0.9].");
  }
  /// \throws Error(kParameter) unless the numbers are in (0, 1) and ascend.
  void Validate() const;
  /// \throws Error(kParameter) when there are none. user: the objective or metric that needs them.
  std::vector<float> Alphas(std::string const& user) const;
};

struct AftParam : public dmlc::Parameter<AftParam> {
  enum Distribution { kNormal = 0, kLogistic = 1, kExtreme = 2 };

  int aft_loss_distribution;
  float aft_loss_distribution_scale;

  DMLC_DECLARE_PARAMETER(AftParam) {
    DMLC_DECLARE_FIELD(aft_loss_distribution)
        .set_default(kNormal)
        .add_enum("normal", kNormal)
        .add_enum("logistic", kLogistic)
        .add_enum("extreme", kExtreme)
        .describe("Distribution of the noise that is added to the logarithm of survival times.");
    DMLC_DECLARE_FIELD(aft_loss_distribution_scale)
        .set_default(1.0F)
        .describe("What that noise is multiplied by; above 0.");
  }
  /// \throws Error(kParameter) unless the scale is finite and above 0.
  void Validate() const;
};

}  // namespace kauri
