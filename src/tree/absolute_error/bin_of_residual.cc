#include <algorithm>

#include "tree/absolute_error/label_binner.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/absolute_error/bin_of_residual.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using Counts = hn::RebindToSigned<Floats>;

HWY_INLINE hn::Vec<Counts> CountEdges(hn::Vec<Floats> residuals, LabelEdges const& edges) {
  auto const one = hn::Set(Counts(), 1);
  auto count = hn::Zero(Counts());
  for (std::size_t i = 0; i + 1 < kLabelBins; ++i) {
    auto const reached = hn::Ge(residuals, hn::Set(Floats(), edges[i]));
    count = hn::IfThenElse(hn::RebindMask(Counts(), reached), hn::Add(count, one), count);
  }
  return count;
}

void FindBins(Span<float const> residuals, LabelEdges const& edges, std::uint8_t* bins) {
  constexpr std::size_t kMostLanes = 16;
  auto const lanes = hn::Lanes(Floats());
  HWY_ALIGN float values[kMostLanes] = {};
  HWY_ALIGN std::int32_t counts[kMostLanes];
  for (std::size_t i = 0; i < residuals.size(); i += lanes) {
    auto const n = std::min(lanes, residuals.size() - i);
    std::copy_n(residuals.data() + i, n, values);
    hn::Store(CountEdges(hn::Load(Floats(), values), edges), Counts(), counts);
    for (std::size_t lane = 0; lane < n; ++lane) bins[i + lane] = static_cast<std::uint8_t>(counts[lane]);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(FindBins);

void FindBins(Span<float const> residuals, LabelEdges const& edges, std::uint8_t* bins) {
  HWY_DYNAMIC_DISPATCH(FindBins)(residuals, edges, bins);
}

}  // namespace kauri
#endif  // HWY_ONCE
