/// Families of labels above 0, and of labels of 0 or more.
#include "common/distribution/members.h"
#include "common/distribution/normal_rows.h"

namespace kauri::distribution {
namespace {

constexpr double kRootHalf = 0.70710678118654752440;

class PositiveFamily : public Family {
 public:
  char const* Domain() const override { return "above 0"; }
  char const* Cure() const override { return "remove the row or give it a positive label"; }
  bool Takes(float label) const override { return label > 0.0F && std::isfinite(label); }
};

/// The log-normal distribution: the logarithm of a label has the mean `mean_log` and the standard deviation
/// `scale_log`; raw: mean_log and ln(scale_log).
class LogNormal : public PositiveFamily {
 public:
  char const* Name() const override { return "lognormal"; }
  char const* Description() const override {
    return "Log-normal distribution: mean and scale of the logarithm of a positive label.";
  }
  std::vector<std::string> ParameterNames() const override { return {"mean_log", "scale_log"}; }
  bool MovesMean(int) const override { return true; }
  void Parameters(double const* raw, double* parameters) const override { NormalFamily().Parameters(raw, parameters); }
  RowGradients Gradients(double const* raw, double label) const override {
    return NormalGradients(raw[0], raw[1], Log(label));
  }
  void BlockGradients(RowBlock* block) const override {
    TakeLogarithms(block);
    ComputeNormalGradients(block);
  }
  std::vector<double> Start(LabelMoments const& labels) const override {
    return {labels.log_mean, 0.5 * Log(labels.log_variance)};
  }
  double LogDensity(double const* parameters, double label) const override {
    if (!(label > 0.0)) return -detail::Infinity();
    return NormalFamily().LogDensity(parameters, Log(label)) - Log(label);
  }
  Tails Cumulative(double const* parameters, double label) const override {
    return label > 0.0 ? NormalFamily().Cumulative(parameters, Log(label)) : Tails{0.0, 1.0};
  }
  double Quantile(double const* parameters, double p) const override {
    return Exp(NormalFamily().Quantile(parameters, p));
  }
  double Mean(double const* parameters) const override {
    return Exp(parameters[0] + 0.5 * parameters[1] * parameters[1]);
  }
  double Deviation(double const* parameters) const override {
    double const variance = parameters[1] * parameters[1];
    if (variance > 1e-2) return Mean(parameters) * std::sqrt(Exp(variance) - 1.0);
    double sum = 1.0;  // (e^variance - 1) / variance
    for (int k = 8; k >= 2; --k) sum = 1.0 + sum * variance / k;
    return Mean(parameters) * parameters[1] * std::sqrt(sum);
  }
  /// Baran and Lerch 2015, "Log-normal distribution based EMOS models for probabilistic wind speed forecasting".
  double Crps(double const* parameters, double label) const override {
    double const scale = parameters[1];
    if (Mean(parameters) == detail::Infinity()) return detail::Infinity();
    double const z = label > 0.0 ? (Log(label) - parameters[0]) / scale : -detail::Infinity();
    auto const tails = label > 0.0 ? NormalTails(z) : Tails{0.0, 1.0};
    double const shifted = label > 0.0 ? NormalTails(z - scale).lower : 0.0;
    double const spread = NormalTails(scale * kRootHalf).upper;
    return label * (tails.lower - tails.upper) - 2.0 * Mean(parameters) * (shifted - spread);
  }
};

/// The gamma distribution: mean and shape (its standard deviation is mean / sqrt(shape)), raw: their logarithms. The
/// two are orthogonal: the Fisher information is diagonal.
class Gamma : public PositiveFamily {
 public:
  char const* Name() const override { return "gamma"; }
  char const* Description() const override { return "Gamma distribution of a positive label: mean and shape."; }
  std::vector<std::string> ParameterNames() const override { return {"mean", "shape"}; }
  bool IsUnitFree() const override { return true; }
  void Parameters(double const* raw, double* parameters) const override {
    parameters[0] = ExpOf(raw[0]);
    parameters[1] = ExpOf(raw[1]);
  }
  RowGradients Gradients(double const* raw, double label) const override {
    double const shape = ExpOf(raw[1]);
    double const ratio = label * ExpOf(-raw[0]);
    double const of_shape = Digamma(shape) - Bounded(raw[1]) + (ratio - 1.0) - Log(ratio);
    // shape^2 trigamma(shape) - shape, which for large shapes is the difference of two large numbers.
    double const curvature = shape > 1e4 ? 0.5 + 1.0 / (6.0 * shape) : shape * (shape * Trigamma(shape) - 1.0);
    RowGradients row{{shape * (1.0 - ratio), shape * of_shape}, {shape, curvature}};
    KeepWithin(raw[0], 0, &row);
    KeepWithin(raw[1], 1, &row);
    return row;
  }
  std::vector<double> Start(LabelMoments const& labels) const override {
    double const difference = Log(labels.mean_above_zero) - labels.log_mean;  // >= 0
    double const shape = (3.0 - difference + std::sqrt((difference - 3.0) * (difference - 3.0) + 24.0 * difference)) /
                         (12.0 * (difference > 1e-12 ? difference : 1e-12));
    return {Log(labels.mean_above_zero), Log(shape)};
  }
  double LogDensity(double const* parameters, double label) const override {
    if (!(label > 0.0)) return -detail::Infinity();
    double const shape = parameters[1];
    double const x = label * shape / parameters[0];
    return shape * Log(x) - x - LogGamma(shape) - Log(label);
  }
  Tails Cumulative(double const* parameters, double label) const override {
    return GammaTails(parameters[1], label * parameters[1] / parameters[0]);
  }
  double Quantile(double const* parameters, double p) const override {
    double const shape = parameters[1];
    auto const log_density = [&](double x) { return (shape - 1.0) * Log(x) - x - LogGamma(shape); };
    double const root = 1.0 + NormalQuantile(p) / (3.0 * std::sqrt(shape)) - 1.0 / (9.0 * shape);
    double const wide = shape * root * root * root;  // Wilson and Hilferty
    double const log_low = (Log(p) + LogGamma(shape + 1.0)) / shape;
    if (log_low < -700.0) return 0.0;  // below the smallest number
    double const low = Exp(log_low);
    double const guess = root > 0.0 && shape > 0.5 ? wide : low;
    auto const is_upper = p > 0.5;
    auto const log_tail = [&](double x) {
      auto const tails = GammaTails(shape, x);
      return Log(is_upper ? tails.upper : tails.lower);
    };
    double const x = InvertTail(log_tail, log_density, Log(is_upper ? 1.0 - p : p), guess, is_upper);
    return x * parameters[0] / shape;
  }
  double Mean(double const* parameters) const override { return parameters[0]; }
  double Deviation(double const* parameters) const override { return parameters[0] / std::sqrt(parameters[1]); }
  /// Moeller and Scheuerer 2015, "Probabilistic wind speed forecasting on a grid based on ensemble model output
  /// statistics".
  double Crps(double const* parameters, double label) const override {
    double const shape = parameters[1];
    double const x = label * shape / parameters[0];
    auto const tails = GammaTails(shape, x);
    auto const more = GammaTails(shape + 1.0, x);
    return label * (tails.lower - tails.upper) - parameters[0] * (more.lower - more.upper) - Spread(parameters);
  }
  /// Returns half the mean difference of two labels.
  static double Spread(double const* parameters) {
    return parameters[0] / parameters[1] * Exp(-LogBeta(0.5, parameters[1]));
  }
};

/// A label is zero with the probability 1 - share, else it has the gamma distribution. The raw scores are the raw
/// scores of the gamma distribution and the log-odds of `share`.
class ZeroInflatedGamma : public Family {
 public:
  char const* Name() const override { return "zero_inflated_gamma"; }
  char const* Description() const override {
    return "Zero, or with the probability `share` a label of the gamma distribution: mean, shape and share.";
  }
  std::vector<std::string> ParameterNames() const override { return {"mean", "shape", "share"}; }
  bool MovesMean(int output) const override { return output != 1; }
  char const* Domain() const override { return "a number of 0 or more"; }
  char const* Cure() const override { return "remove the row or give it such a label"; }
  bool Takes(float label) const override { return label >= 0.0F && std::isfinite(label); }
  bool IsUnitFree() const override { return true; }
  void Parameters(double const* raw, double* parameters) const override {
    GammaFamily().Parameters(raw, parameters);
    parameters[2] = Logistic(raw[2]);
  }
  RowGradients Gradients(double const* raw, double label) const override {
    double const share = Logistic(raw[2]);
    RowGradients row{};
    // A zero tells nothing of the gamma distribution. The expected information of a row is `share` times the
    // information of a positive row. This code takes the information of the label at hand instead: its average is the
    // same, and leaves then have the largest likelihood.
    if (label > 0.0) row = GammaFamily().Gradients(raw, label);
    row.gradient[2] = share - (label > 0.0 ? 1.0 : 0.0);
    row.hessian[2] = share * (1.0 - share);
    KeepWithin(raw[2], 2, &row, -kMostLogOdds, kMostLogOdds);
    return row;
  }
  std::vector<double> Start(LabelMoments const& labels) const override {
    auto start = GammaFamily().Start(labels);
    start.push_back(Log(labels.share_above_zero / (1.0 - labels.share_above_zero)));
    return start;
  }
  double LogDensity(double const* parameters, double label) const override {
    if (label == 0.0) return Log(1.0 - parameters[2]);
    return Log(parameters[2]) + GammaFamily().LogDensity(parameters, label);
  }
  Tails Cumulative(double const* parameters, double label) const override {
    if (label < 0.0) return {0.0, 1.0};
    double const upper = parameters[2] * GammaFamily().Cumulative(parameters, label).upper;
    return {1.0 - upper, upper};
  }
  double Quantile(double const* parameters, double p) const override {
    double const above = (p - (1.0 - parameters[2])) / parameters[2];
    return above > 0.0 ? GammaFamily().Quantile(parameters, above < 1.0 ? above : 1.0 - 1e-16) : 0.0;
  }
  double Mean(double const* parameters) const override { return parameters[0] * parameters[2]; }
  double Deviation(double const* parameters) const override {
    double const share = parameters[2];
    return parameters[0] * std::sqrt(share * (1.0 / parameters[1] + 1.0 - share));
  }
  /// E|X - y| - E|X - X'| / 2 of the mixture.
  double Crps(double const* parameters, double label) const override {
    double const share = parameters[2];
    double const spread = Gamma::Spread(parameters);
    double const distance = GammaFamily().Crps(parameters, label) + spread;
    return (1.0 - share) * std::fabs(label) + share * distance - share * (1.0 - share) * parameters[0] -
           share * share * spread;
  }
};

}  // namespace

Family const& LogNormalFamily() {
  static LogNormal const kFamily;
  return kFamily;
}
Family const& GammaFamily() {
  static Gamma const kFamily;
  return kFamily;
}
Family const& ZeroInflatedGammaFamily() {
  static ZeroInflatedGamma const kFamily;
  return kFamily;
}

}  // namespace kauri::distribution
