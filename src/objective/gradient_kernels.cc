#include "objective/gradient_kernels.h"

#include "common/math.h"

// Plain loops that the compiler vectorises. Narrower targets than these two gain nothing over the baseline.
#ifndef HWY_DISABLED_TARGETS  // builds with sanitizers disable more
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "objective/gradient_kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri::HWY_NAMESPACE {

template <typename Loss>
void Gradients(Loss const loss, ElementBlock const& block) {
  auto const* __restrict margins = block.margins;
  auto const* __restrict labels = block.labels;
  auto const* __restrict weights = block.weights;
  auto* __restrict out = block.out;
  for (std::int64_t i = 0; i < block.n; ++i) out[i] = loss.Gradient(margins[i], labels[i], weights[i]);
}

#define KAURI_DEFINE_GRADIENTS(Loss) \
  void Loss##Gradients(Loss const& loss, ElementBlock const& block) { Gradients(loss, block); }
KAURI_FOR_EACH_ELEMENT_LOSS(KAURI_DEFINE_GRADIENTS)
#undef KAURI_DEFINE_GRADIENTS

template <typename Loss>
void ScaledGradients(Loss const loss, double scale, ElementBlock const& block) {
  auto const* __restrict margins = block.margins;
  auto const* __restrict labels = block.labels;
  auto const* __restrict weights = block.weights;
  auto* __restrict out = block.out;
  for (std::int64_t i = 0; i < block.n; ++i) out[i] = loss.Gradient(margins[i], labels[i], weights[i], scale);
}

#define KAURI_DEFINE_SCALED_GRADIENTS(Loss)                                               \
  void Loss##ScaledGradients(Loss const& loss, double scale, ElementBlock const& block) { \
    ScaledGradients(loss, scale, block);                                                  \
  }
KAURI_FOR_EACH_SCALED_LOSS(KAURI_DEFINE_SCALED_GRADIENTS)
#undef KAURI_DEFINE_SCALED_GRADIENTS

template <typename Link>
void Apply(Link const link, float* values, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) values[i] = link(values[i]);
}

#define KAURI_DEFINE_LINK_BLOCK(Link) \
  void Link##Block(Link link, float* values, std::int64_t n) { Apply(link, values, n); }
KAURI_FOR_EACH_LINK(KAURI_DEFINE_LINK_BLOCK)
#undef KAURI_DEFINE_LINK_BLOCK

void SoftmaxExponentRows(float const* margins, std::int64_t n_rows, std::int64_t n_classes, double* exponents) {
  for (std::int64_t row = 0; row < n_rows; ++row) {
    auto const* row_margins = margins + row * n_classes;
    auto largest = row_margins[0];
    for (std::int64_t k = 1; k < n_classes; ++k) largest = row_margins[k] > largest ? row_margins[k] : largest;
    for (std::int64_t k = 0; k < n_classes; ++k) {
      exponents[row * n_classes + k] = static_cast<double>(row_margins[k]) - static_cast<double>(largest);
    }
  }
  // One flat loop, so that a small number of classes does not make vectors short.
  for (std::int64_t i = 0; i < n_rows * n_classes; ++i) exponents[i] = Exp(exponents[i]);
}

}  // namespace kauri::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

#define KAURI_DISPATCH_GRADIENTS(Loss)                                        \
  HWY_EXPORT(Loss##Gradients);                                                \
  void ComputeElementGradients(Loss const& loss, ElementBlock const& block) { \
    HWY_DYNAMIC_DISPATCH(Loss##Gradients)(loss, block);                       \
  }
KAURI_FOR_EACH_ELEMENT_LOSS(KAURI_DISPATCH_GRADIENTS)

#define KAURI_DISPATCH_SCALED_GRADIENTS(Loss)                                              \
  HWY_EXPORT(Loss##ScaledGradients);                                                       \
  void ComputeScaledGradients(Loss const& loss, double scale, ElementBlock const& block) { \
    HWY_DYNAMIC_DISPATCH(Loss##ScaledGradients)(loss, scale, block);                       \
  }
KAURI_FOR_EACH_SCALED_LOSS(KAURI_DISPATCH_SCALED_GRADIENTS)

#define KAURI_DISPATCH_LINK_BLOCK(Link)                             \
  HWY_EXPORT(Link##Block);                                          \
  void ApplyLinkToBlock(Link link, float* values, std::int64_t n) { \
    HWY_DYNAMIC_DISPATCH(Link##Block)(link, values, n);             \
  }
KAURI_FOR_EACH_LINK(KAURI_DISPATCH_LINK_BLOCK)

HWY_EXPORT(SoftmaxExponentRows);

void SoftmaxExponents(float const* margins, std::int64_t n_rows, std::int64_t n_classes, double* exponents) {
  HWY_DYNAMIC_DISPATCH(SoftmaxExponentRows)(margins, n_rows, n_classes, exponents);
}

}  // namespace kauri
#endif
