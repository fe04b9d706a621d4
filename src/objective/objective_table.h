/// \file The table of objectives.
///
/// How to add an objective whose loss is a sum over elements, in two places:
/// (1) its struct in element_losses.h, whose head lists the members of a loss (name, parameters, link, labels,
/// gradient);
/// (2) a line ELEMENT(<struct>) below.
/// These produce its entry in the registry with its parameters, its checks of labels, its intercept, its loops for
/// every vector width of the host, and its kernels for CUDA devices.
///
/// Any other objective has its own class, a function Register<Name>, and a line OTHER(<Name>). It has a version for
/// devices if its Formula() is an alternative of formula.h for which the plug-in has kernels.
#pragma once

#include "kauri/objective.h"
#include "kauri/registry.h"

/// This is the order of the printed list.
#define KAURI_OBJECTIVES(ELEMENT, OTHER) \
  ELEMENT(SquaredErrorLoss)              \
  ELEMENT(LogisticRegressionLoss)        \
  ELEMENT(TwoClassLoss)                  \
  ELEMENT(LogitRawLoss)                  \
  OTHER(Softmax)                         \
  ELEMENT(PoissonLoss)                   \
  ELEMENT(SquaredLogLoss)                \
  ELEMENT(PseudoHuberLoss)               \
  ELEMENT(HuberLoss)                     \
  ELEMENT(FairLoss)                      \
  OTHER(AbsoluteError)                   \
  OTHER(QuantileError)                   \
  OTHER(ExpectileError)                  \
  ELEMENT(GammaLoss)                     \
  ELEMENT(TweedieLoss)                   \
  ELEMENT(HingeLoss)                     \
  ELEMENT(FocalLoss)                     \
  ELEMENT(ExponentialLoss)               \
  OTHER(Cox)                             \
  OTHER(Aft)                             \
  OTHER(LambdaRank)                      \
  OTHER(Distribution)

#define KAURI_NO_LINE(Name)

/// Expands DO(Loss) for every loss of element_losses.h.
#define KAURI_FOR_EACH_ELEMENT_LOSS(DO) KAURI_OBJECTIVES(DO, KAURI_NO_LINE)

namespace kauri {

#define KAURI_DECLARE_ENTRY(Name) void Register##Name(Registry<ObjectiveFactory>* registry);
KAURI_OBJECTIVES(KAURI_NO_LINE, KAURI_DECLARE_ENTRY)
#undef KAURI_DECLARE_ENTRY

void RegisterObjectives(Registry<ObjectiveFactory>* registry);

}  // namespace kauri
