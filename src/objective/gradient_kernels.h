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

void ComputeElementGradients(SquaredErrorLoss const& loss, ElementBlock const& block);
void ComputeElementGradients(LogisticLoss const& loss, ElementBlock const& block);
void ComputeElementGradients(PoissonLoss const& loss, ElementBlock const& block);
void ComputeElementGradients(SquaredLogLoss const& loss, ElementBlock const& block);
void ComputeElementGradients(PseudoHuberLoss const& loss, ElementBlock const& block);
void ComputeElementGradients(AbsoluteLoss const& loss, ElementBlock const& block);
void ComputeElementGradients(GammaLoss const& loss, ElementBlock const& block);
void ComputeElementGradients(TweedieLoss const& loss, ElementBlock const& block);
void ComputeElementGradients(HingeLoss const& loss, ElementBlock const& block);

void SigmoidInPlace(float* values, std::int64_t n);
void ExpInPlace(float* values, std::int64_t n);
/// exponents[row, k] = e^(margins[row, k] - largest of the row): [n_rows, n_classes] both.
void SoftmaxExponents(float const* margins, std::int64_t n_rows, std::int64_t n_classes, double* exponents);

}  // namespace kauri
