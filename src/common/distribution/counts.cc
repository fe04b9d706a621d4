/// Families of labels that are counts.
#include "common/distribution/count_law.h"
#include "common/distribution/members.h"
#include "common/host_math.h"

namespace kauri::distribution {
namespace {

constexpr double kHighSize = 20.0;  ///< largest ln(size): beyond it counts are Poisson counts
constexpr double kLowSize = -20.0;  ///< least ln(size): below it all counts are 0 but for one in tens of millions
/// Information of the size and of the added zeros vanishes where counts tell nothing of them.
constexpr double kSizeDamping = 1e-3;
constexpr double kShareDamping = 1e-3;
constexpr double kMostTerms = 512.0;

class CountFamily : public Family {
 public:
  char const* Domain() const override { return "a whole number of 0 or more"; }
  char const* Cure() const override { return "remove the row or give it a count"; }
  bool Takes(float label) const override { return label >= 0.0F && std::isfinite(label) && std::floor(label) == label; }
  bool IsDiscrete() const override { return true; }
  bool IsUnitFree() const override { return true; }
  double LogDensity(double const* parameters, double label) const override {
    return LawOf(parameters).LogProbability(label);
  }
  Tails Cumulative(double const* parameters, double label) const override {
    return LawOf(parameters).Cumulative(label);
  }
  double Quantile(double const* parameters, double p) const override { return LawOf(parameters).Quantile(p); }
  double Mean(double const* parameters) const override { return LawOf(parameters).Mean(); }
  double Deviation(double const* parameters) const override { return LawOf(parameters).Deviation(); }
  double Crps(double const* parameters, double label) const override { return LawOf(parameters).Crps(label); }

 protected:
  virtual CountLaw LawOf(double const* parameters) const = 0;
};

/// Returns the logarithm of the mean count, or of a millionth if all counts are 0.
double LogMean(LabelMoments const& labels) { return Log(labels.mean > 1e-6 ? labels.mean : 1e-6); }

/// Returns the derivative of -ln p by ln(size), without added zeros.
double SizeGradient(CountLaw const& law, double count) {
  double between = 0.0;  // digamma(count + size) - digamma(size)
  if (count <= 16.0) {
    for (double k = 0.0; k < count; k += 1.0) between += 1.0 / (law.size + k);
  } else {
    between = Digamma(count + law.size) - Digamma(law.size);
  }
  return law.size * (LogOfOnePlus(law.mean / law.size) - between + (count - law.mean) / (law.size + law.mean));
}

/// Returns the information about ln(size) of a law with many zeros whose sum has too many terms. It is
/// size^2 E[trigamma(size) - trigamma(size + count)] - size mean / (size + mean), where the terms of trigamma(size +
/// count) decrease as 1 / count. The counts beyond kMostTerms have one term.
double SparseSizeInformation(CountLaw const& law) {
  double const odds = law.mean / (law.size + law.mean);
  double const p_zero = Exp(law.LogOfCount(0.0));
  double const first = Trigamma(law.size);
  double fall = 0.0;  // trigamma(size) - trigamma(size + count), times size^2
  double probability = p_zero;
  double left = 1.0 - p_zero;
  double sum = 0.0;
  for (double count = 1.0; count < kMostTerms; count += 1.0) {
    double const ratio = law.size / (law.size + (count - 1.0));
    fall += ratio * ratio;
    probability *= odds * (law.size + (count - 1.0)) / count;
    left -= probability;
    sum += probability * fall;
  }
  double const far = law.size * law.size * (first - 1.0 / (law.size + kMostTerms + law.mean));
  double const information = sum + (left > 0.0 ? left : 0.0) * far - law.size * odds;
  return information > 0.0 ? information : 0.0;
}

/// Returns the information about ln(size) of a law with few zeros whose sum has too many terms. With 1 / s = 1 / size +
/// 1 / mean, the coefficient of variation is that of a gamma distribution of the shape s. Exact for large means where
/// there are no zeros, and for large sizes.
double WideSizeInformation(CountLaw const& law) {
  double const shape = 1.0 / (1.0 / law.size + 1.0 / law.mean);
  double const curvature = shape > 1e4 ? 0.5 + 1.0 / (6.0 * shape) : shape * (shape * Trigamma(shape) - 1.0);
  return curvature * shape / law.size * shape / law.size;
}

/// Calls fn(count, probability, digamma(count + size) - digamma(size)) for the counts from `first` that matter. Returns
/// false, before any call, if these are too many.
template <typename Fn>
bool ForCounts(CountLaw const& law, Fn&& fn) {
  double const p_zero = Exp(law.LogOfCount(0.0));
  if (law.mean + 12.0 * std::sqrt(law.mean * (1.0 + law.mean / law.size)) > kMostTerms || p_zero < 1e-280) return false;
  double const odds = law.mean / (law.size + law.mean);
  double probability = p_zero;
  double left = 1.0;
  double between = 0.0;
  for (double count = 0.0; count < kMostTerms && left > 1e-10; count += 1.0) {
    fn(count, probability, between);
    left -= probability;
    between += 1.0 / (law.size + count);
    probability *= odds * (count + law.size) / (count + 1.0);
  }
  return true;
}

/// Returns the information about ln(size), without added zeros.
double SizeInformation(CountLaw const& law) {
  double const constant = LogOfOnePlus(law.mean / law.size);
  double sum = 0.0;
  auto const is_summed = ForCounts(law, [&](double count, double probability, double between) {
    double const score = law.size * (constant - between + (count - law.mean) / (law.size + law.mean));
    sum += probability * score * score;
  });
  if (is_summed) return sum;
  constexpr double kFewZeros = 1e-3;
  return Exp(law.LogOfCount(0.0)) > kFewZeros ? SparseSizeInformation(law) : WideSizeInformation(law);
}

/// The Poisson distribution: mean, raw: ln(mean).
class Poisson : public CountFamily {
 public:
  char const* Name() const override { return "poisson"; }
  char const* Description() const override { return "Poisson distribution of a count: mean."; }
  std::vector<std::string> ParameterNames() const override { return {"mean"}; }
  void Parameters(double const* raw, double* parameters) const override { parameters[0] = ExpOf(raw[0]); }
  RowGradients Gradients(double const* raw, double label) const override {
    double const mean = ExpOf(raw[0]);
    RowGradients row{{mean - label}, {mean}};
    KeepWithin(raw[0], 0, &row);
    return row;
  }
  std::vector<double> Start(LabelMoments const& labels) const override { return {LogMean(labels)}; }

 protected:
  CountLaw LawOf(double const* parameters) const override { return {parameters[0], detail::Infinity(), 1.0}; }
};

/// Returns ln(size) that gives the labels' variance, within bounds.
double StartOfSize(LabelMoments const& labels) {
  double const mean = Exp(LogMean(labels));
  double const excess = labels.variance - mean;
  return Bounded(Log(mean * mean / (excess > 1e-3 * mean ? excess : 1e-3 * mean)), -5.0, 5.0);
}

/// The negative binomial distribution: mean and size (its variance is mean + mean^2 / size), raw: their logarithms. The
/// two are orthogonal: the Fisher information is diagonal.
class NegativeBinomial : public CountFamily {
 public:
  char const* Name() const override { return "negative_binomial"; }
  char const* Description() const override { return "Negative binomial distribution of a count: mean and size."; }
  std::vector<std::string> ParameterNames() const override { return {"mean", "size"}; }
  void Parameters(double const* raw, double* parameters) const override {
    parameters[0] = ExpOf(raw[0]);
    parameters[1] = ExpOf(raw[1], kLowSize, kHighSize);
  }
  RowGradients Gradients(double const* raw, double label) const override {
    CountLaw const law{ExpOf(raw[0]), ExpOf(raw[1], kLowSize, kHighSize), 1.0};
    double const weight = law.size / (law.size + law.mean);
    Scores scores;
    scores.gradient[0] = weight * (law.mean - label);
    scores.gradient[1] = SizeGradient(law, label);
    RowGradients row{{scores.gradient[0], scores.gradient[1]},
                     {weight * law.mean, SizeInformation(law) + kSizeDamping}};
    KeepWithin(raw[0], 0, &row);
    KeepWithin(raw[1], 1, &row, kLowSize, kHighSize);
    return row;
  }
  std::vector<double> Start(LabelMoments const& labels) const override {
    return {LogMean(labels), StartOfSize(labels)};
  }

 protected:
  CountLaw LawOf(double const* parameters) const override { return {parameters[0], parameters[1], 1.0}; }
};

/// Zero with the probability 1 - share, else a Poisson count; raw: ln(mean) and the log-odds of `share`.
class ZeroInflatedPoisson : public CountFamily {
 public:
  static constexpr double kDamping[] = {1e-6, kShareDamping};

  char const* Name() const override { return "zero_inflated_poisson"; }
  char const* Description() const override {
    return "Zero, or with the probability `share` a Poisson count: mean and share.";
  }
  std::vector<std::string> ParameterNames() const override { return {"mean", "share"}; }
  bool MovesMean(int) const override { return true; }
  void Parameters(double const* raw, double* parameters) const override {
    parameters[0] = ExpOf(raw[0]);
    parameters[1] = Logistic(raw[1]);
  }
  RowGradients Gradients(double const* raw, double label) const override {
    double const mean = ExpOf(raw[0]);
    double const share = Logistic(raw[1]);
    double const at_zero = Exp(-mean);
    double const p_zero = 1.0 - share + share * at_zero;
    double const of_zero[] = {share * at_zero * mean / p_zero, share * (1.0 - share) * (1.0 - at_zero) / p_zero};
    Scores scores;
    scores.gradient[0] = label > 0.0 ? mean - label : of_zero[0];
    scores.gradient[1] = label > 0.0 ? share - 1.0 : of_zero[1];
    scores.fisher[0][0] = p_zero * of_zero[0] * of_zero[0] + share * (mean - mean * mean * at_zero);
    scores.fisher[0][1] = scores.fisher[1][0] =
        p_zero * of_zero[0] * of_zero[1] + (1.0 - share) * share * mean * at_zero;
    scores.fisher[1][1] = p_zero * of_zero[1] * of_zero[1] + share * (1.0 - at_zero) * (1.0 - share) * (1.0 - share);
    auto row = NaturalGradients(scores, 2, kDamping);
    KeepWithin(raw[0], 0, &row);
    KeepWithin(raw[1], 1, &row, -kMostLogOdds, kMostLogOdds);
    return row;
  }
  std::vector<double> Start(LabelMoments const& labels) const override {
    double const share = 0.5 * (1.0 + labels.share_above_zero);
    return {LogMean(labels) - Log(share), Log(share / (1.0 - share))};
  }

 protected:
  CountLaw LawOf(double const* parameters) const override { return {parameters[0], detail::Infinity(), parameters[1]}; }
};

/// Zero with the probability 1 - share, else a negative binomial count; raw: ln(mean), ln(size) and the log-odds of
/// `share`.
class ZeroInflatedNegativeBinomial : public CountFamily {
 public:
  static constexpr double kDamping[] = {1e-6, kSizeDamping, kShareDamping};

  char const* Name() const override { return "zero_inflated_negative_binomial"; }
  char const* Description() const override {
    return "Zero, or with the probability `share` a negative binomial count: mean, size and share.";
  }
  std::vector<std::string> ParameterNames() const override { return {"mean", "size", "share"}; }
  bool MovesMean(int output) const override { return output != 1; }
  void Parameters(double const* raw, double* parameters) const override {
    NegativeBinomialFamily().Parameters(raw, parameters);
    parameters[2] = Logistic(raw[2]);
  }
  RowGradients Gradients(double const* raw, double label) const override {
    CountLaw const law{ExpOf(raw[0]), ExpOf(raw[1], kLowSize, kHighSize), Logistic(raw[2])};
    Score of_zero{};
    double const at_zero = Exp(law.LogOfCount(0.0));
    double const p_zero = 1.0 - law.share + law.share * at_zero;
    auto const of_count = ScoreOf(law, 0.0, 0.0);
    of_zero.of[0] = of_count.of[0] * law.share * at_zero / p_zero;
    of_zero.of[1] = of_count.of[1] * law.share * at_zero / p_zero;
    of_zero.of[2] = law.share * (1.0 - law.share) * (1.0 - at_zero) / p_zero;
    Scores scores;
    auto const of_label = label > 0.0 ? ScoreOf(law, label, Between(law, label)) : of_zero;
    for (int i = 0; i < 3; ++i) scores.gradient[i] = of_label.of[i];
    AddOuter(of_zero, p_zero, &scores);
    auto const is_summed = ForCounts(law, [&](double count, double probability, double between) {
      if (count > 0.0) AddOuter(ScoreOf(law, count, between), law.share * probability, &scores);
    });
    if (!is_summed) AddPositive(law, at_zero, of_count, &scores);
    auto row = NaturalGradients(scores, 3, kDamping);
    KeepWithin(raw[0], 0, &row);
    KeepWithin(raw[1], 1, &row, kLowSize, kHighSize);
    KeepWithin(raw[2], 2, &row, -kMostLogOdds, kMostLogOdds);
    return row;
  }
  std::vector<double> Start(LabelMoments const& labels) const override {
    double const share = 0.5 * (1.0 + labels.share_above_zero);
    return {LogMean(labels) - Log(share), StartOfSize(labels), Log(share / (1.0 - share))};
  }

 protected:
  CountLaw LawOf(double const* parameters) const override { return {parameters[0], parameters[1], parameters[2]}; }

 private:
  struct Score {
    double of[3];
  };

  static double Between(CountLaw const& law, double count) { return Digamma(count + law.size) - Digamma(law.size); }
  /// Returns the gradient of -ln p at a count that is no added zero.
  static Score ScoreOf(CountLaw const& law, double count, double between) {
    double const weight = law.size / (law.size + law.mean);
    double const of_size = LogOfOnePlus(law.mean / law.size) - between + (count - law.mean) / (law.size + law.mean);
    return {{weight * (law.mean - count), law.size * of_size, law.share - 1.0}};
  }
  static void AddOuter(Score const& score, double probability, Scores* scores) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) scores->fisher[i][j] += probability * score.of[i] * score.of[j];
    }
  }
  /// Adds the information of the counts above 0 of a law whose sum has too many terms. This information is the whole
  /// law's, in which mean and size are orthogonal, minus the information of its zeros. of_zero: the gradient at 0 of
  /// the law without added zeros.
  static void AddPositive(CountLaw const& law, double at_zero, Score const& of_zero, Scores* scores) {
    double const whole[] = {law.size * law.mean / (law.size + law.mean), SizeInformation(law)};
    for (int i = 0; i < 2; ++i) {
      scores->fisher[i][i] += law.share * whole[i];
      for (int j = 0; j < 2; ++j) scores->fisher[i][j] -= law.share * at_zero * of_zero.of[i] * of_zero.of[j];
      // The gradients of the counts above 0 add up to minus those of zeros.
      double const with_share = law.share * (1.0 - law.share) * at_zero * of_zero.of[i];
      scores->fisher[i][2] += with_share;
      scores->fisher[2][i] += with_share;
    }
    scores->fisher[2][2] += law.share * (1.0 - law.share) * (1.0 - law.share) * (1.0 - at_zero);
  }
};

}  // namespace

Family const& PoissonFamily() {
  static Poisson const kFamily;
  return kFamily;
}
Family const& NegativeBinomialFamily() {
  static NegativeBinomial const kFamily;
  return kFamily;
}
Family const& ZeroInflatedPoissonFamily() {
  static ZeroInflatedPoisson const kFamily;
  return kFamily;
}
Family const& ZeroInflatedNegativeBinomialFamily() {
  static ZeroInflatedNegativeBinomial const kFamily;
  return kFamily;
}

}  // namespace kauri::distribution
