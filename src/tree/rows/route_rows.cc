#include "tree/rows/route_rows.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/rows/route_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "common/compress_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using RowTag = hn::ScalableTag<std::int32_t>;  // signed, because gathers need it; rows are below kMaxRouteBytes
using RowVector = hn::Vec<RowTag>;

/// The rows of a block, a vector at a time.
class BlockRows {
 public:
  explicit BlockRows(RouteBlock const& block) : block_(block) {}
  bool IsIdentity() const { return block_.rows == nullptr; }
  HWY_INLINE RowVector Load(std::int64_t i) const {
    RowTag const d;
    if (block_.rows == nullptr) return hn::Iota(d, static_cast<std::int32_t>(block_.begin + i));
    return hn::LoadU(d, reinterpret_cast<std::int32_t const*>(block_.rows + block_.begin + i));
  }
  std::uint32_t At(std::int64_t i) const {
    return block_.rows == nullptr ? static_cast<std::uint32_t>(block_.begin + i) : block_.rows[block_.begin + i];
  }

 private:
  RouteBlock block_;
};

template <typename Code>
HWY_INLINE hn::Mask<RowTag> LeftMask(Code const* column, RouteRule rule, BlockRows const& rows, std::int64_t begin,
                                     std::int64_t i, RowVector row) {
  RowTag const d;
  auto code = hn::Undefined(d);
  if (rows.IsIdentity()) {
    hn::Rebind<Code, RowTag> const narrow;
    code = hn::PromoteTo(d, hn::LoadU(narrow, column + begin + i));
  } else {
    auto const offset = sizeof(Code) == 1 ? row : hn::ShiftLeft<1>(row);
    code = hn::And(hn::GatherOffset(d, reinterpret_cast<std::int32_t const*>(column), offset),
                   hn::Set(d, static_cast<std::int32_t>((std::uint32_t{1} << (8 * sizeof(Code))) - 1)));
  }
  hn::RebindToUnsigned<RowTag> const du;
  auto const own_code = hn::Sub(hn::BitCast(du, code), hn::Set(du, rule.offset));
  auto const is_left =
      hn::Or(hn::Lt(own_code, hn::Set(du, rule.first_right)), hn::Gt(own_code, hn::Set(du, rule.last_present)));
  return hn::RebindMask(d, is_left);
}

template <typename Code>
std::int64_t Route(Code const* column, RouteRule rule, RouteBlock block, std::uint32_t* left, std::uint32_t* right) {
  RowTag const d;
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(d));
  BlockRows const rows(block);
  std::int64_t n_left = 0;
  std::int64_t i = 0;
  for (; i + lanes <= block.n; i += lanes) {
    auto const row = rows.Load(i);
    auto const mask = LeftMask(column, rule, rows, block.begin, i, row);
    // Not CompressStore: compressing straight into memory is microcode on some processors.
    n_left += SplitLanes(d, row, mask, reinterpret_cast<std::int32_t*>(left + n_left),
                         reinterpret_cast<std::int32_t*>(right + (i - n_left)));
  }
  for (; i < block.n; ++i) {
    auto const row = rows.At(i);
    auto const goes_left = rule.GoesLeft(column[row]);
    left[n_left] = row;
    right[i - n_left] = row;
    n_left += static_cast<std::int64_t>(goes_left);
  }
  return n_left;
}

template <typename Code>
void Mark(Code const* column, RouteRule rule, RouteBlock block, std::uint32_t* out) {
  RowTag const d;
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(d));
  BlockRows const rows(block);
  std::int64_t i = 0;
  for (; i + lanes <= block.n; i += lanes) {
    auto const mask = LeftMask(column, rule, rows, block.begin, i, rows.Load(i));
    hn::StoreU(hn::IfThenElseZero(mask, hn::Set(d, 1)), d, reinterpret_cast<std::int32_t*>(out + i));
  }
  for (; i < block.n; ++i) out[i] = static_cast<std::uint32_t>(rule.GoesLeft(column[rows.At(i)]));
}

std::int64_t RouteBytes(std::uint8_t const* column, RouteRule rule, RouteBlock block, std::uint32_t* left,
                        std::uint32_t* right) {
  return Route(column, rule, block, left, right);
}
std::int64_t RouteWords(std::uint16_t const* column, RouteRule rule, RouteBlock block, std::uint32_t* left,
                        std::uint32_t* right) {
  return Route(column, rule, block, left, right);
}
void MarkBytes(std::uint8_t const* column, RouteRule rule, RouteBlock block, std::uint32_t* out) {
  Mark(column, rule, block, out);
}
void MarkWords(std::uint16_t const* column, RouteRule rule, RouteBlock block, std::uint32_t* out) {
  Mark(column, rule, block, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(RouteBytes);
HWY_EXPORT(RouteWords);
HWY_EXPORT(MarkBytes);
HWY_EXPORT(MarkWords);

template <>
std::int64_t RouteRows(std::uint8_t const* column, RouteRule rule, RouteBlock block, std::uint32_t* left,
                       std::uint32_t* right) {
  return HWY_DYNAMIC_DISPATCH(RouteBytes)(column, rule, block, left, right);
}
template <>
std::int64_t RouteRows(std::uint16_t const* column, RouteRule rule, RouteBlock block, std::uint32_t* left,
                       std::uint32_t* right) {
  return HWY_DYNAMIC_DISPATCH(RouteWords)(column, rule, block, left, right);
}
template <>
void MarkLeft(std::uint8_t const* column, RouteRule rule, RouteBlock block, std::uint32_t* out) {
  HWY_DYNAMIC_DISPATCH(MarkBytes)(column, rule, block, out);
}
template <>
void MarkLeft(std::uint16_t const* column, RouteRule rule, RouteBlock block, std::uint32_t* out) {
  HWY_DYNAMIC_DISPATCH(MarkWords)(column, rule, block, out);
}

}  // namespace kauri
#endif  // HWY_ONCE
