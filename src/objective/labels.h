/// \file Checks of labels and weights before anything is learnt from them.
#pragma once

#include <cstdint>
#include <string>

#include "kauri/meta_info.h"

namespace kauri {

/// The words of an error about a label: "<objective>: label 2 of row 7 is not <domain>; <cure>".
struct LabelRule {
  std::string objective;
  std::string domain;
  std::string cure;
};

/// \throws Error(kData) unless there are [n_rows, n_targets] labels.
void CheckLabelCount(MetaInfo const& info, LabelRule const& rule);
/// \throws Error(kData) unless there are no or [n_rows] weights.
void CheckRowWeights(MetaInfo const& info, LabelRule const& rule);
[[noreturn]] void FailLabel(MetaInfo const& info, LabelRule const& rule, std::size_t index);

/// \throws Error(kData) for a wrong number of labels, or naming the first row whose label is outside the domain; a
/// comparison with a NaN is false, so write `in_domain` such that it must hold.
template <typename InDomain>
void CheckLabelDomain(MetaInfo const& info, LabelRule const& rule, InDomain in_domain) {
  CheckLabelCount(info, rule);
  for (std::size_t index = 0; index < info.labels.size(); ++index) {
    if (!in_domain(info.labels[index])) FailLabel(info, rule, index);
  }
}

/// As CheckLabelDomain, where weights belong to rows.
template <typename InDomain>
void CheckLabels(MetaInfo const& info, LabelRule const& rule, InDomain in_domain) {
  CheckLabelCount(info, rule);
  CheckRowWeights(info, rule);
  CheckLabelDomain(info, rule, in_domain);
}

}  // namespace kauri
