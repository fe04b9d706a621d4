#include "common/distribution/normal_rows.h"

// Plain loops that the compiler vectorises. SSSE3 and SSE4 gain nothing over the baseline, and AVX3_DL nothing over
// AVX3.
#ifndef HWY_DISABLED_TARGETS  // builds with sanitizers disable more
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/distribution/normal_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri::distribution::HWY_NAMESPACE {

void NormalRows(RowBlock* block) {
  for (std::int64_t i = 0; i < block->n; ++i) {
    auto const row = NormalGradients(block->raw[0][i], block->raw[1][i], block->label[i]);
    for (int k = 0; k < 2; ++k) {
      block->gradient[k][i] = row.gradient[k];
      block->hessian[k][i] = row.hessian[k];
    }
  }
}

void Logarithms(RowBlock* block) {
  for (std::int64_t i = 0; i < block->n; ++i) block->label[i] = Log(block->label[i]);
}

}  // namespace kauri::distribution::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri::distribution {

HWY_EXPORT(NormalRows);
HWY_EXPORT(Logarithms);

void ComputeNormalGradients(RowBlock* block) { HWY_DYNAMIC_DISPATCH(NormalRows)(block); }
void TakeLogarithms(RowBlock* block) { HWY_DYNAMIC_DISPATCH(Logarithms)(block); }

}  // namespace kauri::distribution
#endif
