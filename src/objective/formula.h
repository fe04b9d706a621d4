/// \file The formula of an objective, as a value: all information that a device needs for its own version.
///
/// QuantileLoss and ExpectileLoss are fitted for several alphas, with one output for each.
///
/// CoxLoss has the code of survival:cox that host and device share; survival_objectives.cc describes the algorithm.
///
/// SoftmaxLoss is -ln p_label with p = softmax(margins), for multi:softmax and multi:softprob.
///
/// For a row: (1) the largest margin; (2) Exp(margin - largest) of each class in float64; (3) their sum in class order;
/// (4) Probability or Gradient of each class from 1 / sum. Everything up to the probability is float64, so hosts and
/// devices agree bit for bit.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "common/loss/aft_loss.h"
#include "common/math.h"
#include "kauri/context.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "objective/element_losses.h"
#include "objective/objective_table.h"
#include "objective/ranking/position_bias.h"
#include "objective/ranking/rank_rule.h"
#include "objective/scaled_losses.h"

namespace kauri {

/// Returns ln(1 + e^x).
KAURI_HD double SoftPlus(double x) { return (x > 0.0 ? x : 0.0) + Log(1.0 + Exp(x > 0.0 ? -x : x)); }

/// share (label - value)^2 / 2 with the share alpha below the label and 1 - alpha above it, for reg:expectileerror
/// (Newey and Powell, "Asymmetric least squares estimation and testing", 1987).
///
/// Several alphas a_0 < a_1 < ... are fitted together such that their values cannot cross: the value of the first is
/// its margin, and every other is the one before plus softplus(margin).
struct ExpectileLoss {
  float alpha;  ///< in (0, 1)

  KAURI_HD double Share(double value, float label) const {
    return value >= static_cast<double>(label) ? 1.0 - static_cast<double>(alpha) : static_cast<double>(alpha);
  }

  /// Computes the gradients of all alphas of a row, from the last alpha to the first: the value of an alpha depends on
  /// the margins up to its own. The hessian is the Gauss-Newton one, which is non-negative: it omits the curvature of
  /// the values.
  /// margins and out: [n_alphas].
  KAURI_HD static void RowGradients(ExpectileLoss const* losses, std::int64_t n_alphas, float const* margins,
                                    float label, float weight, GradientPair* out) {
    double value = static_cast<double>(margins[0]);
    for (std::int64_t k = 1; k < n_alphas; ++k) value += SoftPlus(static_cast<double>(margins[k]));
    double gradient = 0.0;
    double hessian = 0.0;
    for (std::int64_t k = n_alphas - 1; k >= 0; --k) {
      double const share = losses[k].Share(value, label);
      gradient += share * (value - static_cast<double>(label));
      hessian += share;
      double const margin = static_cast<double>(margins[k]);
      double const slope = k == 0 ? 1.0 : 1.0 / (1.0 + Exp(-margin));
      out[k] = {static_cast<float>(gradient * slope) * weight, static_cast<float>(hessian * slope * slope) * weight};
      if (k > 0) value -= SoftPlus(margin);
    }
  }

  /// Replaces the margins of a row, [n_alphas], by its values.
  KAURI_HD static void RowValues(std::int64_t n_alphas, float* margins) {
    double value = static_cast<double>(margins[0]);
    for (std::int64_t k = 1; k < n_alphas; ++k) {
      value += SoftPlus(static_cast<double>(margins[k]));
      margins[k] = static_cast<float>(value);
    }
  }
};

/// Sums of 1 / risk and 1 / risk^2 over the events so far, or the terms of one event.
struct EventSums {
  double inverse = 0.0;
  double inverse_square = 0.0;
};

struct CoxLoss {
  KAURI_HD static bool IsEvent(float label) { return label > 0.0F; }
  /// Returns the hazard relative to the hazard of the largest margin.
  KAURI_HD static double Hazard(float margin, float largest) {
    return Exp(static_cast<double>(margin) - static_cast<double>(largest));
  }
  KAURI_HD static EventSums OfEvent(double risk) { return {1.0 / risk, 1.0 / (risk * risk)}; }
  /// sums: over the events up to and including the row's time.
  KAURI_HD static GradientPair Gradient(double hazard, bool has_event, EventSums const& sums, float weight) {
    double const expected = hazard * sums.inverse;
    double const gradient = expected - (has_event ? 1.0 : 0.0);
    double const hessian = expected - hazard * hazard * sums.inverse_square;
    auto const factor = static_cast<double>(weight);
    return {static_cast<float>(gradient * factor), static_cast<float>((hessian < 0.0 ? 0.0 : hessian) * factor)};
  }
};

/// \throws Error(kData) with several ranks.
void RequireAllRowsAtRisk(Context const& ctx);

struct SoftmaxLoss {
  static constexpr float kMinHessian = 1e-16F;

  std::int64_t n_classes;

  KAURI_HD static float Probability(double exponent, double inverse_sum) {
    return static_cast<float>(exponent * inverse_sum);
  }
  /// The hessian is twice the diagonal of the true one, which bounds the whole matrix. The floor is applied after the
  /// weight.
  KAURI_HD static GradientPair Gradient(float probability, bool is_label, float weight) {
    float const hessian = 2.0F * probability * (1.0F - probability) * weight;
    return {(is_label ? probability - 1.0F : probability) * weight, hessian > kMinHessian ? hessian : kMinHessian};
  }
};

/// Devices have kernels for each alternative except the first, which only the host computes. std::vector: one loss for
/// each output. LambdaRule: without the key, which PairKey gives for a round. UnbiasedRule: changes the state that it
/// names.
struct ObjectiveFormula {
#define KAURI_ALTERNATIVE(Loss) , Loss
  std::variant<std::monostate KAURI_FOR_EACH_ELEMENT_LOSS(KAURI_ALTERNATIVE), SoftmaxLoss, AbsoluteLoss,
               std::vector<QuantileLoss>, std::vector<ExpectileLoss>, AftLoss, CoxLoss, LambdaRule, UnbiasedRule>
      value;
#undef KAURI_ALTERNATIVE
};

}  // namespace kauri
