/// \file Checks of labels and weights before training, and the size check at the beginning of every loop over
/// gradients.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "common/loss/label_elements.h"
#include "common/threads/parallel_for.h"
#include "kauri/context.h"
#include "kauri/error.h"
#include "kauri/gradient.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

/// The words of an error about a label: "<objective>: label 2 of row 7 is not <domain>; <cure> (<known as>)".
struct LabelRule {
  std::string objective;
  std::string domain;
  std::string cure;
  std::string known_as = {};  ///< the text that XGBoost's users look for in the error; may be empty
};

/// \throws Error(kData) unless there are [n_rows, n_targets] labels.
void CheckLabelCount(MetaInfo const& info, LabelRule const& rule);
/// \throws Error(kData) unless there are [n_rows] weights or none.
void CheckRowWeights(MetaInfo const& info, LabelRule const& rule);
/// \throws Error(kData) for an intercept, which needs some weight. n_rows: rows of all ranks.
[[noreturn]] void FailNoWeight(std::int64_t n_rows, std::string const& objective);
/// Checks that a target has a known label, which its intercept needs. Called for targets whose sums are 0, by all ranks
/// together. \throws Error(kData) if the labels of a target are missing in all rows of all ranks.
void RequireKnownTarget(Context const& ctx, MetaInfo const& info, std::int64_t target, std::string const& objective);
[[noreturn]] void FailLabel(MetaInfo const& info, LabelRule const& rule, std::size_t index);

/// \throws Error(kData) for a wrong number of labels, or naming the first row whose label is outside the domain. A
/// comparison with NaN is false, so `in_domain` must return true only for valid labels. Labels of tables may be
/// missing.
template <typename InDomain>
void CheckLabelDomain(Context const& ctx, MetaInfo const& info, LabelRule const& rule, InDomain in_domain) {
  CheckLabelCount(info, rule);
  // counted without a branch per label, so that the loop is bound by memory: 4 bytes per label
  constexpr std::int64_t kBlock = 1 << 16;
  auto const n_labels = static_cast<std::int64_t>(info.labels.size());
  ParallelForBlocks(ctx, n_labels, kBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    std::uint32_t n_in_domain = 0;
    for (auto index = begin; index < end; ++index) n_in_domain += in_domain(info.labels[index]) ? 1U : 0U;
    if (n_in_domain == end - begin) return;
    for (auto index = begin; index < end; ++index) {
      if (in_domain(info.labels[index]) || (MayMissLabels(info) && IsMissingLabel(info.labels[index]))) continue;
      FailLabel(info, rule, ToSize(index));  // of all blocks' errors the first in order is reported
    }
  });
}

/// Like CheckLabelDomain, for objectives whose weights belong to rows.
template <typename InDomain>
void CheckLabels(Context const& ctx, MetaInfo const& info, LabelRule const& rule, InDomain in_domain) {
  CheckLabelCount(info, rule);
  CheckRowWeights(info, rule);
  CheckLabelDomain(ctx, info, rule, in_domain);
}

/// Label domains that several objectives share, for CheckLabelsAre.
struct FiniteLabels {
  static constexpr char kDomain[] = "a finite number";
  static constexpr char kCure[] = "remove the row or give it a label";
  static constexpr char kKnownAs[] = "";
  static bool Take(float label) { return std::isfinite(label); }
};

struct ProbabilityLabels {
  static constexpr char kDomain[] = "in [0, 1]";
  static constexpr char kCure[] = "give probabilities, or 0 and 1 for the two classes";
  static constexpr char kKnownAs[] = "label must be in (0, 1) for logistic regression";
  static bool Take(float label) { return label >= 0.0F && label <= 1.0F; }
};

struct ClassLabels {
  static constexpr char kDomain[] = "0 or 1";
  static constexpr char kCure[] = "number the two classes 0 and 1";
  static constexpr char kKnownAs[] = "";
  static bool Take(float label) { return label == 0.0F || label == 1.0F; }
};

struct CountLabels {
  static constexpr char kDomain[] = "a count of 0 or more";
  static constexpr char kCure[] = "remove the row or give it a count";
  static constexpr char kKnownAs[] = "label must be non-negative for Poisson/Tweedie regression";
  static bool Take(float label) { return label >= 0.0F && std::isfinite(label); }
};

struct NonNegativeLabels {
  static constexpr char kDomain[] = "a number of 0 or more";
  static constexpr char kCure[] = "remove the row or give it such a label";
  static constexpr char kKnownAs[] = "label must be non-negative for Poisson/Tweedie regression";
  static bool Take(float label) { return label >= 0.0F && std::isfinite(label); }
};

struct PositiveLabels {
  static constexpr char kDomain[] = "above 0";
  static constexpr char kCure[] = "remove the row or give it a positive label";
  static constexpr char kKnownAs[] = "label must be positive for gamma regression";
  static bool Take(float label) { return label > 0.0F && std::isfinite(label); }
};

struct LabelsAboveMinusOne {
  static constexpr char kDomain[] = "above -1";
  static constexpr char kCure[] = "its logarithm of 1 + label must exist";
  static constexpr char kKnownAs[] = "label must be greater than -1 for rmsle";
  static bool Take(float label) { return label > -1.0F && std::isfinite(label); }
};

/// Runs CheckLabels with a domain of the list above.
template <typename Labels>
void CheckLabelsAre(Context const& ctx, MetaInfo const& info, std::string const& objective) {
  CheckLabels(ctx, info, {objective, Labels::kDomain, Labels::kCure, Labels::kKnownAs},
              [](float label) { return Labels::Take(label); });
}

/// \throws Error(kInternal) unless there are n_expected margins and n_expected outputs.
inline void CheckGradientSizes(std::size_t n_expected, Span<float const> margins, Span<GradientPair> out) {
  if (margins.size() == n_expected && out.size() == n_expected) return;
  Fail(ErrorKind::kInternal, "expected ", n_expected, " margins and as many gradient pairs, got ", margins.size(),
       " margins and ", out.size(), " gradient pairs");
}

}  // namespace kauri
