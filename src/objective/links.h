/// \file Links, which map a margin to a prediction and a base score to a margin. A struct and a line of the list at the
/// end of this file define a link, with its loops on the host (gradient_kernels.h) and on CUDA devices.
#pragma once

#include <string>

#include "common/math.h"
#include "kauri/context.h"
#include "kauri/host_device.h"
#include "kauri/span.h"

namespace kauri {

/// Predictions are the margins.
struct IdentityLink {
  KAURI_HD float operator()(float margin) const { return margin; }
  static float BaseScoreToMargin(std::string const& /*objective*/, float base_score) { return base_score; }
};

/// Predictions are probabilities, margins log-odds.
struct LogitLink {
  KAURI_HD float operator()(float margin) const { return Sigmoid(margin); }
  /// Uses XGBoost's steps in float32; clamps 0 and 1 to a distance of 1e-6. \throws Error(kParameter) outside [0, 1].
  static float BaseScoreToMargin(std::string const& objective, float base_score);
};

/// Predictions are probabilities, margins half the log-odds.
struct HalfLogitLink {
  KAURI_HD float operator()(float margin) const { return Sigmoid(2.0F * margin); }
  static float BaseScoreToMargin(std::string const& objective, float base_score) {
    return 0.5F * LogitLink::BaseScoreToMargin(objective, base_score);
  }
};

/// Predictions are e^margin.
struct LogLink {
  KAURI_HD float operator()(float margin) const { return ExpFloat(margin); }
  /// Returns ln base_score; minus infinity for 0, which fits labels that are all 0. \throws Error(kParameter) below 0.
  static float BaseScoreToMargin(std::string const& objective, float base_score);
};

/// Predictions are 1 for a positive margin, else 0.
struct ClassLink {
  KAURI_HD float operator()(float margin) const { return margin > 0.0F ? 1.0F : 0.0F; }
  static float BaseScoreToMargin(std::string const& /*objective*/, float base_score) { return base_score; }
};

/// Expands DO(Link) for every link that changes a margin.
#define KAURI_FOR_EACH_LINK(DO) \
  DO(LogitLink)                 \
  DO(HalfLogitLink)             \
  DO(LogLink)                   \
  DO(ClassLink)

/// void ApplyLink(Link, ctx, values): replaces values by link(values).
#define KAURI_DECLARE_LINK(Link) void ApplyLink(Link link, Context const& ctx, Span<float> values);
KAURI_FOR_EACH_LINK(KAURI_DECLARE_LINK)
#undef KAURI_DECLARE_LINK
inline void ApplyLink(IdentityLink, Context const&, Span<float>) {}

}  // namespace kauri
