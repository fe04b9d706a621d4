/// Families of labels that are any numbers.
#include "common/distribution/members.h"
#include "common/distribution/normal_rows.h"
#include "common/host_math.h"

namespace kauri::distribution {
namespace {

constexpr double kRootPi = 1.77245385090551602730;
constexpr double kRootHalf = 0.70710678118654752440;

/// The normal distribution: mean and standard deviation, raw: the mean and ln(scale).
class Normal : public Family {
 public:
  char const* Name() const override { return "normal"; }
  char const* Description() const override { return "Normal distribution: mean and scale."; }
  std::vector<std::string> ParameterNames() const override { return {"mean", "scale"}; }
  void Parameters(double const* raw, double* parameters) const override {
    parameters[0] = raw[0];
    parameters[1] = ExpOf(raw[1]);
  }
  RowGradients Gradients(double const* raw, double label) const override {
    return NormalGradients(raw[0], raw[1], label);
  }
  void BlockGradients(RowBlock* block) const override { ComputeNormalGradients(block); }
  std::vector<double> Start(LabelMoments const& labels) const override {
    return {labels.mean, 0.5 * Log(labels.variance)};
  }
  double LogDensity(double const* parameters, double label) const override {
    double const z = (label - parameters[0]) / parameters[1];
    return -0.5 * z * z - Log(parameters[1]) - 0.91893853320467274178;
  }
  Tails Cumulative(double const* parameters, double label) const override {
    return NormalTails((label - parameters[0]) / parameters[1]);
  }
  double Quantile(double const* parameters, double p) const override {
    return parameters[0] + parameters[1] * NormalQuantile(p);
  }
  double Mean(double const* parameters) const override { return parameters[0]; }
  double Deviation(double const* parameters) const override { return parameters[1]; }
  double Crps(double const* parameters, double label) const override {
    double const z = (label - parameters[0]) / parameters[1];
    auto const tails = NormalTails(z);
    return parameters[1] * (z * (tails.lower - tails.upper) + 2.0 * NormalDensity(z) - 1.0 / kRootPi);
  }
};

/// Laplace's distribution: location and scale, raw: the location and ln(scale).
class Laplace : public Family {
 public:
  char const* Name() const override { return "laplace"; }
  char const* Description() const override { return "Laplace's double exponential distribution: location and scale."; }
  std::vector<std::string> ParameterNames() const override { return {"location", "scale"}; }
  void Parameters(double const* raw, double* parameters) const override {
    parameters[0] = raw[0];
    parameters[1] = ExpOf(raw[1]);
  }
  RowGradients Gradients(double const* raw, double label) const override {
    double const precision = ExpOf(-raw[1]);
    double const difference = label - raw[0];
    double const sign = difference > 0.0 ? 1.0 : difference < 0.0 ? -1.0 : 0.0;
    double const z = std::fabs(difference) * precision;
    RowGradients row{{-sign * precision, 1.0 - z}, {precision * precision, BoundedInformation(1.0, z)}};
    KeepWithin(raw[1], 1, &row);
    return row;
  }
  std::vector<double> Start(LabelMoments const& labels) const override {
    return {labels.mean, 0.5 * Log(0.5 * labels.variance)};
  }
  double LogDensity(double const* parameters, double label) const override {
    return -std::fabs(label - parameters[0]) / parameters[1] - Log(2.0 * parameters[1]);
  }
  Tails Cumulative(double const* parameters, double label) const override {
    double const z = (label - parameters[0]) / parameters[1];
    double const beyond = 0.5 * Exp(-std::fabs(z));
    return z < 0.0 ? Tails{beyond, 1.0 - beyond} : Tails{1.0 - beyond, beyond};
  }
  double Quantile(double const* parameters, double p) const override {
    double const z = p < 0.5 ? Log(2.0 * p) : -Log(2.0 * (1.0 - p));
    return parameters[0] + parameters[1] * z;
  }
  double Mean(double const* parameters) const override { return parameters[0]; }
  double Deviation(double const* parameters) const override { return parameters[1] / kRootHalf; }
  double Crps(double const* parameters, double label) const override {
    double const z = std::fabs(label - parameters[0]) / parameters[1];
    return parameters[1] * (z + Exp(-z) - 0.75);
  }
};

/// Student's t: location, scale and degrees of freedom, raw: the location, ln(scale) and ln(df - 1). More than 1 degree
/// of freedom, so that there is a mean. The information of the degrees of freedom vanishes for near-normal labels, and
/// is damped.
class StudentT : public Family {
 public:
  static constexpr double kLowRaw = -3.0;
  static constexpr double kHighRaw = 7.0;
  static constexpr double kDamping[] = {0.0, 0.0, 0.01};

  char const* Name() const override { return "student_t"; }
  char const* Description() const override {
    return "Student's t distribution: location, scale and degrees of freedom.";
  }
  std::vector<std::string> ParameterNames() const override { return {"location", "scale", "df"}; }
  void Parameters(double const* raw, double* parameters) const override {
    parameters[0] = raw[0];
    parameters[1] = ExpOf(raw[1]);
    parameters[2] = 1.0 + ExpOf(raw[2], kLowRaw, kHighRaw);
  }
  RowGradients Gradients(double const* raw, double label) const override {
    double const precision = ExpOf(-raw[1]);
    double const slope = ExpOf(raw[2], kLowRaw, kHighRaw);  // of df
    double const df = 1.0 + slope;
    double const z = (label - raw[0]) * precision;
    double const weight = (df + 1.0) / (df + z * z);
    double const between = Digamma(0.5 * (df + 1.0)) - Digamma(0.5 * df);
    double const curvature = Trigamma(0.5 * df) - Trigamma(0.5 * (df + 1.0));
    Scores scores;
    scores.gradient[0] = -weight * z * precision;
    scores.gradient[1] = 1.0 - weight * z * z;
    scores.gradient[2] = -0.5 * slope * (between - 1.0 / df - LogOfOnePlus(z * z / df) + weight * z * z / df);
    scores.fisher[0][0] = (df + 1.0) / (df + 3.0) * precision * precision;
    scores.fisher[1][1] = 2.0 * df / (df + 3.0);
    scores.fisher[1][2] = scores.fisher[2][1] = -2.0 * slope / ((df + 1.0) * (df + 3.0));
    scores.fisher[2][2] = slope * slope * (0.25 * curvature - (df + 5.0) / (2.0 * df * (df + 1.0) * (df + 3.0)));
    auto row = NaturalGradients(scores, 3, kDamping);
    KeepWithin(raw[1], 1, &row);
    KeepWithin(raw[2], 2, &row, kLowRaw, kHighRaw);
    return row;
  }
  std::vector<double> Start(LabelMoments const& labels) const override {
    constexpr double kDf = 5.0;
    return {labels.mean, 0.5 * Log(labels.variance * (kDf - 2.0) / kDf), Log(kDf - 1.0)};
  }
  double LogDensity(double const* parameters, double label) const override {
    return StudentLogDensity((label - parameters[0]) / parameters[1], parameters[2]) - Log(parameters[1]);
  }
  Tails Cumulative(double const* parameters, double label) const override {
    return StudentTails((label - parameters[0]) / parameters[1], parameters[2]);
  }
  double Quantile(double const* parameters, double p) const override {
    double const df = parameters[2];
    double const tail = p < 0.5 ? p : 1.0 - p;
    if (tail == 0.5) return parameters[0];
    auto const log_tail = [&](double t) { return Log(StudentTails(t, df).upper); };
    auto const log_density = [&](double t) { return StudentLogDensity(t, df); };
    double const t = InvertTail(log_tail, log_density, Log(tail), -NormalQuantile(tail), true);
    return parameters[0] + (p < 0.5 ? -t : t) * parameters[1];
  }
  double Mean(double const* parameters) const override { return parameters[0]; }
  double Deviation(double const* parameters) const override {
    double const df = parameters[2];
    return df > 2.0 ? parameters[1] * std::sqrt(df / (df - 2.0)) : detail::Infinity();
  }
  /// Jordan, Krueger and Lerch 2019, "Evaluating probabilistic forecasts with scoringRules", appendix A.
  double Crps(double const* parameters, double label) const override {
    double const df = parameters[2];
    double const z = (label - parameters[0]) / parameters[1];
    auto const tails = StudentTails(z, df);
    double const density = Exp(StudentLogDensity(z, df));
    double const spread = 2.0 * std::sqrt(df) / (df - 1.0) * Exp(LogBeta(0.5, df - 0.5) - 2.0 * LogBeta(0.5, 0.5 * df));
    return parameters[1] * (z * (tails.lower - tails.upper) + 2.0 * density * (df + z * z) / (df - 1.0) - spread);
  }
};

}  // namespace

Family const& NormalFamily() {
  static Normal const kFamily;
  return kFamily;
}
Family const& LaplaceFamily() {
  static Laplace const kFamily;
  return kFamily;
}
Family const& StudentTFamily() {
  static StudentT const kFamily;
  return kFamily;
}

}  // namespace kauri::distribution
