/// \file Loops of the loss formulas over contiguous elements, compiled for several vector widths and chosen at run
/// time. Every width gives the same bits: the formulas are elementwise and contraction is off.
#pragma once

#include <cstdint>

#include "kauri/gradient.h"
#include "objective/absolute_loss.h"
#include "objective/gamma_loss.h"
#include "objective/hinge_loss.h"
#include "objective/logistic_loss.h"
#include "objective/poisson_loss.h"
#include "objective/pseudo_huber_loss.h"
#include "objective/squared_error_loss.h"
#include "objective/squared_log_loss.h"
#include "objective/tweedie_loss.h"

namespace kauri {

/// n elements (a row's margin for one target each). No two arrays overlap.
struct ElementBlock {
  float const* margins;
  float const* labels;
  float const* weights;
  GradientPair* out;
  std::int64_t n;
};

/// DO(Loss) for every loss that has a kernel.
#define KAURI_FOR_EACH_GRADIENT(DO) \
  DO(SquaredErrorLoss)              \
  DO(LogisticLoss)                  \
  DO(PoissonLoss)                   \
  DO(SquaredLogLoss)                \
  DO(PseudoHuberLoss)               \
  DO(AbsoluteLoss)                  \
  DO(GammaLoss)                     \
  DO(TweedieLoss)                   \
  DO(HingeLoss)

#define KAURI_DECLARE_GRADIENTS(Loss) void ComputeElementGradients(Loss const& loss, ElementBlock const& block);
KAURI_FOR_EACH_GRADIENT(KAURI_DECLARE_GRADIENTS)
#undef KAURI_DECLARE_GRADIENTS

void SigmoidInPlace(float* values, std::int64_t n);
void ExpInPlace(float* values, std::int64_t n);
/// exponents[row, k] = e^(margins[row, k] - largest of the row): [n_rows, n_classes] both.
void SoftmaxExponents(float const* margins, std::int64_t n_rows, std::int64_t n_classes, double* exponents);

}  // namespace kauri
