#include "data/columnar.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "data/array_dispatch.h"
#include "data/value_rules.h"

namespace kauri {
namespace {

class ColumnarView : public DataView {
 public:
  ColumnarView(std::vector<ArrayView> columns, float missing) : columns_(std::move(columns)), missing_(missing) {}
  std::int64_t NumRows() const override { return columns_.empty() ? 0 : columns_.front().shape[0]; }
  std::int64_t NumCols() const override { return static_cast<std::int64_t>(columns_.size()); }

  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override {
    auto const n_shared = std::min(n_cols, NumCols());
    std::vector<float> values(static_cast<std::size_t>(end - begin));
    auto infinite = false;
    for (std::int64_t col = 0; col < n_cols; ++col) {
      if (col < n_shared) {
        infinite |= CopyColumn(static_cast<std::size_t>(col), begin, end, values.data());
      } else {
        std::fill(values.begin(), values.end(), kMissing);
      }
      for (std::int64_t row = 0; row < end - begin; ++row)
        tile[row * n_cols + col] = values[static_cast<std::size_t>(row)];
    }
    if (infinite) FailAtInfinite(tile, begin, end - begin, n_cols);
  }

 private:
  bool CopyColumn(std::size_t col, std::int64_t begin, std::int64_t end, float* to) const {
    auto const& column = columns_[col];
    return DispatchDType(column.dtype, [&](auto tag) {
      return ConvertValues<decltype(tag)>(ElementAddress(column, begin, 0), column.strides[0], end - begin, missing_,
                                          to);
    });
  }

  std::vector<ArrayView> columns_;
  float missing_;
};

ArrayView const& ViewOf(ArrayView const& column) { return column; }
ArrayView const& ViewOf(DeviceArray const& column) { return column.view; }

template <typename Array>
Array ParseColumn(nlohmann::json const& column, std::size_t index, Array (*parse)(std::string const&)) {
  if (column.is_array()) {
    Fail(ErrorKind::kData, "column ", index,
         " is categorical, which this version does not support; encode it as numbers, for example one-hot.");
  }
  try {
    return parse(column.dump());
  } catch (Error const& error) {
    Fail(error.Kind(), "column ", index, ": ", error.what());
  }
}

/// Vectors of one length.
template <typename Array>
std::vector<Array> ParseColumns(std::string const& json, Array (*parse)(std::string const&)) {
  auto const document = nlohmann::json::parse(json, nullptr, false);
  if (!document.is_array()) {
    Fail(ErrorKind::kData, "columns: '", json.substr(0, 120), "' is not a JSON list of array interfaces.");
  }
  std::vector<Array> columns;
  for (std::size_t i = 0; i < document.size(); ++i) {
    columns.push_back(ParseColumn(document[i], i, parse));
    auto const& shape = ViewOf(columns[i]).shape;
    if (shape[1] != 1) Fail(ErrorKind::kData, "column ", i, " has two dimensions; each column is a vector.");
    auto const n_rows = ViewOf(columns[0]).shape[0];
    if (shape[0] != n_rows) {
      Fail(ErrorKind::kData, "column ", i, " has ", shape[0], " rows, but column 0 has ", n_rows, ".");
    }
  }
  return columns;
}

}  // namespace

std::unique_ptr<DataView> MakeColumnarView(std::string const& json, float missing) {
  return std::make_unique<ColumnarView>(ParseColumns(json, &ParseArrayInterface), missing);
}

std::vector<DeviceArray> ParseDeviceColumns(std::string const& json) {
  return ParseColumns(json, &ParseDeviceArrayInterface);
}

}  // namespace kauri
