#include <algorithm>
#include <cmath>

#include "data/adapters/infinities.h"
#include "data/arrays/array_dispatch.h"
#include "data/arrays/value_rules.h"
#include "data/matrix_view.h"
#include "kauri/data_matrix.h"

namespace kauri {
namespace {

/// Rows that are converted on demand.
template <typename T>
class StridedView : public DataView {
 public:
  StridedView(ArrayView const& array, ValueRules const& rules) : array_(array), rules_(rules) {}
  std::int64_t NumRows() const override { return array_.shape[0]; }
  std::int64_t NumCols() const override { return array_.shape[1]; }

  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override {
    auto const n_shared = std::min(n_cols, NumCols());
    for (auto row = begin; row < end; ++row, tile += n_cols) {
      auto const infinite =
          ConvertValues<T>(ElementAddress(array_, row, 0), array_.strides[1], n_shared, rules_.missing, tile);
      if (infinite && rules_.infinities == Infinities::kRefused) FailAtInfinite(tile, row, 1, n_shared);
      std::fill(tile + n_shared, tile + n_cols, kMissingValue);
    }
  }

 private:
  ArrayView array_;
  ValueRules rules_;
};

}  // namespace

std::unique_ptr<DataView> MakeDenseView(ArrayView const& array, float missing, Context const& ctx) {
  return MakeDenseView(array, {missing, Infinities::kRefused}, ctx);
}

std::unique_ptr<DataView> MakeDenseView(ArrayView const& array, ValueRules const& rules, Context const& ctx) {
  auto const* values = array.dtype == DType::kF32 && std::isnan(rules.missing) ? ContiguousData<float>(array) : nullptr;
  if (values != nullptr) {
    if (rules.infinities == Infinities::kRefused) CountFinite(ctx, values, array.shape[0], array.shape[1]);
    return MakeRowsView(values, array.shape[0], array.shape[1]);
  }
  return DispatchDType(array.dtype, [&](auto tag) -> std::unique_ptr<DataView> {
    return std::make_unique<StridedView<decltype(tag)>>(array, rules);
  });
}

}  // namespace kauri
