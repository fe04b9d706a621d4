/// \file Loops of losses and links over contiguous elements, compiled for several vector widths and chosen at run
/// time. Every width gives the same bits: the formulas are elementwise and contraction is off.
#pragma once

#include <cstdint>

#include "kauri/gradient.h"
#include "objective/element_losses.h"
#include "objective/links.h"
#include "objective/objective_table.h"
#include "objective/scaled_losses.h"

namespace kauri {

/// n elements (a row's margin for one target each). No two arrays overlap.
struct ElementBlock {
  float const* margins;
  float const* labels;
  float const* weights;
  GradientPair* out;
  std::int64_t n;
};

#define KAURI_DECLARE_GRADIENTS(Loss) void ComputeElementGradients(Loss const& loss, ElementBlock const& block);
KAURI_FOR_EACH_ELEMENT_LOSS(KAURI_DECLARE_GRADIENTS)
#undef KAURI_DECLARE_GRADIENTS

/// The same for a loss whose gradients depend on a scale.
#define KAURI_DECLARE_SCALED_GRADIENTS(Loss) \
  void ComputeScaledGradients(Loss const& loss, double scale, ElementBlock const& block);
KAURI_FOR_EACH_SCALED_LOSS(KAURI_DECLARE_SCALED_GRADIENTS)
#undef KAURI_DECLARE_SCALED_GRADIENTS

/// Replaces values, [n], by link(values).
#define KAURI_DECLARE_LINK_BLOCK(Link) void ApplyLinkToBlock(Link link, float* values, std::int64_t n);
KAURI_FOR_EACH_LINK(KAURI_DECLARE_LINK_BLOCK)
#undef KAURI_DECLARE_LINK_BLOCK

/// Computes exponents[row, k] = e^(margins[row, k] - largest margin of the row): [n_rows, n_classes] both.
void SoftmaxExponents(float const* margins, std::int64_t n_rows, std::int64_t n_classes, double* exponents);

}  // namespace kauri
