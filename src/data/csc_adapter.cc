#include "data/csc_adapter.h"

#include <cmath>
#include <utility>

#include "data/array_dispatch.h"
#include "data/compressed.h"
#include "data/value_rules.h"

namespace kauri {
namespace {

/// The features of the present entries, grouped by row: a counting sort, stable, so features ascend within a row.
CsrStorage Transpose(CompressedArrays const& csc, ArrayView const& values, float missing) {
  CsrStorage csr;
  csr.row_ptr.assign(static_cast<std::size_t>(csc.n_minor) + 1, 0);
  auto const n_cols = static_cast<std::int64_t>(csc.offsets.size()) - 1;
  DispatchDType(values.dtype, [&](auto tag) {
    auto const for_each = [&](auto&& fn) {
      for (std::int64_t col = 0; col < n_cols; ++col) {
        auto const end = csc.offsets[static_cast<std::size_t>(col) + 1];
        for (auto entry = csc.offsets[static_cast<std::size_t>(col)]; entry < end; ++entry) {
          auto const value = static_cast<float>(LoadElement<decltype(tag)>(ElementAddress(values, entry, 0)));
          if (value == missing || std::isnan(value)) continue;
          if (std::isinf(value)) FailInfinite(csc.indices[entry], col, value);
          fn(static_cast<std::size_t>(csc.indices[entry]), static_cast<std::uint32_t>(col), value);
        }
      }
    };
    for_each([&](std::size_t row, std::uint32_t, float) { ++csr.row_ptr[row + 1]; });
    for (std::size_t row = 1; row < csr.row_ptr.size(); ++row) csr.row_ptr[row] += csr.row_ptr[row - 1];
    csr.features.resize(static_cast<std::size_t>(csr.row_ptr.back()));
    csr.values.resize(csr.features.size());
    std::vector<std::int64_t> next(csr.row_ptr.begin(), csr.row_ptr.end() - 1);
    for_each([&](std::size_t row, std::uint32_t col, float value) {
      auto const slot = static_cast<std::size_t>(next[row]++);
      csr.features[slot] = col;
      csr.values[slot] = value;
    });
  });
  return csr;
}

}  // namespace

std::unique_ptr<DataMatrix> MakeCscMatrix(Context const& ctx, ArrayView const& indptr, ArrayView const& indices,
                                          ArrayView const& values, std::int64_t n_rows, float missing) {
  if (values.shape[1] != 1) Fail(ErrorKind::kData, "CSC values must be a vector.");
  auto const csc = ReadCompressed(ctx, {"CSC", "column", "row"}, indptr, indices, values.Size(), n_rows);
  return DataMatrix::FromCsr(Transpose(csc, values, missing), static_cast<std::int64_t>(csc.offsets.size()) - 1, ctx);
}

}  // namespace kauri
