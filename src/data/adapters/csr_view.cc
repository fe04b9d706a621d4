#include <algorithm>
#include <cmath>
#include <utility>

#include "common/large_memory.h"
#include "common/threads/parallel_for.h"
#include "data/adapters/infinities.h"
#include "data/arrays/array_dispatch.h"
#include "data/arrays/compressed.h"
#include "data/arrays/value_rules.h"
#include "data/matrix_view.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 10;

/// V is the element type of the values.
template <typename V>
class CsrArrayView : public SparseView {
 public:
  CsrArrayView(CompressedArrays csr, CompressedValues values, ValueRules const& rules)
      : csr_(std::move(csr)), values_(std::move(values)), rules_(rules) {}
  std::int64_t NumRows() const override { return static_cast<std::int64_t>(csr_.offsets.size()) - 1; }
  std::int64_t NumCols() const override { return csr_.n_minor; }

  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override {
    Scatter(begin, end, n_cols, tile,
            [&](std::uint32_t feature) { return feature < n_cols ? std::int64_t{feature} : -1; });
  }

  bool CopyFeatures(std::int64_t begin, std::int64_t end, Span<std::int32_t const> slot_of_feature,
                    std::int64_t n_slots, float* tile) const override {
    Scatter(begin, end, n_slots, tile, SlotLookup{slot_of_feature});
    return true;
  }

  CsrStorage CopyCsr(Context const& ctx) const override {
    CsrStorage out;
    out.row_ptr.resize(csr_.offsets.size());
    ParallelForBlocks(ctx, NumRows(), kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      for (auto row = begin; row < end; ++row) {
        std::int64_t count = 0;
        ForEachEntry(row, [&](std::uint32_t, float) { ++count; });
        out.row_ptr[row + 1] = count;
      }
    });
    for (std::size_t i = 1; i < out.row_ptr.size(); ++i) out.row_ptr[i] += out.row_ptr[i - 1];
    ResizeLarge(ctx, &out.features, static_cast<std::size_t>(out.row_ptr.back()));
    ResizeLarge(ctx, &out.values, out.features.size());
    ParallelForBlocks(ctx, NumRows(), kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      auto next = static_cast<std::size_t>(out.row_ptr[begin]);
      for (auto row = begin; row < end; ++row) {
        ForEachEntry(row, [&](std::uint32_t feature, float value) {
          out.features[next] = feature;
          out.values[next++] = value;
        });
      }
    });
    return out;
  }

 private:
  /// Writes each entry to column slot_of(feature) of `tile`. Skips entries with a negative slot.
  template <typename SlotOf>
  void Scatter(std::int64_t begin, std::int64_t end, std::int64_t n_slots, float* tile, SlotOf&& slot_of) const {
    std::fill(tile, tile + (end - begin) * n_slots, kMissingValue);
    for (auto row = begin; row < end; ++row, tile += n_slots) {
      ForEachEntry(row, [&](std::uint32_t feature, float value) {
        auto const slot = slot_of(feature);
        if (slot >= 0) tile[slot] = value;
      });
    }
  }

  /// Calls fn(feature, value) for the present entries of a row.
  template <typename Fn>
  void ForEachEntry(std::int64_t row, Fn&& fn) const {
    auto const index = static_cast<std::size_t>(row);
    for (auto entry = csr_.offsets[index]; entry < csr_.offsets[index + 1]; ++entry) {
      auto const value = static_cast<float>(LoadElement<V>(ElementAddress(values_.view, entry, 0)));
      if (value == rules_.missing || std::isnan(value)) continue;
      if (std::isinf(value) && rules_.infinities == Infinities::kRefused) FailInfinite(row, csr_.indices[entry], value);
      fn(csr_.indices[entry], value);
    }
  }

  CompressedArrays csr_;
  CompressedValues values_;
  ValueRules rules_;
};

}  // namespace

std::unique_ptr<DataView> MakeCsrView(ArrayView const& indptr, ArrayView const& indices, ArrayView const& values,
                                      std::int64_t n_cols, float missing, Context const& ctx) {
  return MakeCsrView(indptr, indices, values, n_cols, {missing, Infinities::kRefused}, ctx);
}

std::unique_ptr<DataView> MakeCsrView(ArrayView const& indptr, ArrayView const& indices, ArrayView const& values,
                                      std::int64_t n_cols, ValueRules const& rules, Context const& ctx) {
  if (values.shape[1] != 1) Fail(ErrorKind::kData, "CSR values must be a vector.");
  auto csr = ReadCompressed(ctx, {"CSR", "row", "column"}, indptr, indices, values.Size(), n_cols);
  auto sums = SumRepeated(ctx, values, &csr);
  return DispatchDType(values.dtype, [&](auto tag) -> std::unique_ptr<DataView> {
    return std::make_unique<CsrArrayView<decltype(tag)>>(std::move(csr), std::move(sums), rules);
  });
}

}  // namespace kauri
