/// \file The table of objectives.
///
/// How to add an objective whose loss is a sum over elements, in two places:
/// (1) its struct in element_losses.h, whose head says what a loss names (name, parameters, link, labels, gradient);
/// (2) a line ELEMENT(<struct>) below.
/// From these come its entry in the registry with its parameters, its checks of labels, its intercept, its loops for
/// every vector width of the host, and its kernels for CUDA devices.
///
/// Any other objective has a class and a function Register<Name> of its own, and a line OTHER(<Name>). It has a version
/// for devices if its Formula() is one of those of formula.h, for which the plug-in has kernels.
#pragma once

#include "kauri/registry.h"

/// In the order in which the names are listed.
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
  OTHER(LambdaRank)

#define KAURI_NO_LINE(Name)

/// DO(Loss) for every loss of element_losses.h.
#define KAURI_FOR_EACH_ELEMENT_LOSS(DO) KAURI_OBJECTIVES(DO, KAURI_NO_LINE)

namespace kauri {

#define KAURI_DECLARE_ENTRY(Name) void Register##Name(Registry<ObjectiveFactory>* registry);
KAURI_OBJECTIVES(KAURI_NO_LINE, KAURI_DECLARE_ENTRY)
#undef KAURI_DECLARE_ENTRY

}  // namespace kauri
