#include "predictor/margins/margin_kernels.h"

// Targets narrower than AVX2 gain nothing over the baseline.
#ifndef HWY_DISABLED_TARGETS  // builds with sanitizers disable more
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "predictor/margins/add_vectors.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void AddRows(float const* vectors, std::int64_t stride, std::uint32_t const* nodes, std::int64_t n, float* sums) {
  hn::CappedTag<float, kVectorUnit> const d;
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t row = 0; row < n; ++row, sums += stride) {
    auto const* values = vectors + nodes[row] * stride;
    for (std::int64_t k = 0; k < stride; k += lanes) {
      hn::StoreU(hn::Add(hn::LoadU(d, sums + k), hn::LoadU(d, values + k)), d, sums + k);
    }
  }
}

}  // namespace kauri::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(AddRows);

void AddVectors(float const* vectors, std::int64_t stride, std::uint32_t const* nodes, std::int64_t n, float* sums) {
  HWY_DYNAMIC_DISPATCH(AddRows)(vectors, stride, nodes, n, sums);
}

}  // namespace kauri
#endif
