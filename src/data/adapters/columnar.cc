#include "data/adapters/columnar.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "common/text/json_text.h"
#include "common/text/quoted.h"
#include "data/arrays/array_dispatch.h"
#include "data/arrays/value_rules.h"
#include "data/categories/category_names.h"

namespace kauri {
namespace {

using nlohmann::json;

constexpr std::int64_t kRowsPerTile = 128;  // tiles of about ten columns stay in the first-level cache

class ColumnarView : public DataView {
 public:
  ColumnarView(ColumnTable table, float missing, Infinities infinities)
      : columns_(std::move(table.columns)), names_(std::move(table.names)), missing_(missing), infinities_(infinities) {
    SetCategories(names_);
  }
  std::int64_t NumRows() const override { return columns_.empty() ? 0 : columns_.front().values.shape[0]; }
  std::int64_t NumCols() const override { return static_cast<std::int64_t>(columns_.size()); }

  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override {
    for (auto row = begin; row < end; row += kRowsPerTile) {
      CopyTile(row, std::min(end, row + kRowsPerTile), n_cols, tile + (row - begin) * n_cols);
    }
  }

 private:
  void CopyTile(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const {
    std::array<float, kRowsPerTile> values{};
    auto infinite = false;
    for (std::int64_t col = 0; col < n_cols; ++col) {
      if (col < NumCols()) {
        infinite |= CopyColumn(columns_[col], begin, end, values.data());
      } else {
        values.fill(kMissingValue);
      }
      for (std::int64_t row = 0; row < end - begin; ++row) {
        tile[row * n_cols + col] = values[row];
      }
    }
    if (infinite && infinities_ != Infinities::kTaken) FailAtInfinite(tile, begin, end - begin, n_cols);
  }

  /// Returns true if the values may include an infinite one.
  bool CopyColumn(Column const& column, std::int64_t begin, std::int64_t end, float* to) const {
    auto const infinite = CopyValues(column, begin, end, to);
    if (column.valid.bytes != nullptr) {
      for (auto row = begin; row < end; ++row) {
        if (!column.valid.At(row)) to[row - begin] = kMissingValue;
      }
    }
    if (column.codes == nullptr) return infinite;
    for (auto row = begin; row < end; ++row) to[row - begin] = CategoryOf(column, to[row - begin], row);
    return false;
  }

  static float CategoryOf(Column const& column, float code, std::int64_t row) {
    if (std::isnan(code)) return code;
    auto const& codes = *column.codes;
    if (code >= 0.0F && code < static_cast<float>(codes.size()) && code == std::floor(code)) {
      return codes[code];
    }
    Fail(ErrorKind::kData, "row ", row, " of a categorical column has the code ", code, ", but the column has ",
         codes.size(), " categories; codes are integers below that, or NaN where the value is missing.");
  }

  bool CopyValues(Column const& column, std::int64_t begin, std::int64_t end, float* to) const {
    if (column.truth.bytes != nullptr) {
      for (auto row = begin; row < end; ++row) {
        auto const value = column.truth.At(row) ? 1.0F : 0.0F;
        to[row - begin] = value == missing_ ? kMissingValue : value;
      }
      return false;
    }
    return DispatchDType(column.values.dtype, [&](auto tag) {
      return ConvertValues<decltype(tag)>(ElementAddress(column.values, begin, 0), column.values.strides[0],
                                          end - begin, column.codes == nullptr ? missing_ : kMissingValue, to);
    });
  }

  std::vector<Column> columns_;
  CategoryNameTable names_;
  float missing_;
  Infinities infinities_;
};

/// Returns the members of an object, as texts.
std::map<std::string, std::string> MembersOf(json const& object) {
  std::map<std::string, std::string> members;
  for (auto const& [name, value] : object.items()) members[name] = value.dump();
  return members;
}

/// Returns the bits of a mask of `n_rows` elements.
PackedBits ParseMask(json const& mask, std::int64_t n_rows) {
  auto const& typestr = JsonMember(mask, "typestr");
  if (!typestr.is_string() || typestr.get<std::string>().size() != 3 || typestr.get<std::string>().substr(1) != "t1") {
    Fail(ErrorKind::kData, "the mask's typestr is ", typestr.dump(),
         "; masks are packed bits, \"<t1\". Fill masked elements with NaN instead.");
  }
  auto const& shape = JsonMember(mask, "shape");
  if (!shape.is_array() || shape.size() != 1 || shape[0] != n_rows) {
    Fail(ErrorKind::kData, "the mask has the shape ", shape.dump(), "; expected [", n_rows, "].");
  }
  auto members = MembersOf(mask);
  members["typestr"] = R"("|u1")";
  members["shape"] = "[" + std::to_string(n_rows / 8 + (n_rows % 8 != 0 ? 1 : 0)) + "]";
  auto const bytes = ParseArrayInterface(JsonObject(members));
  if (bytes.Size() > 1 && bytes.strides[0] != 1) {
    Fail(ErrorKind::kData, "the mask has strides of ", bytes.strides[0], " bytes; masks must be contiguous.");
  }
  return {static_cast<std::uint8_t const*>(bytes.data), 0};
}

Column ParseNumbers(json const& column) {
  auto const& mask = JsonMember(column, "mask");
  if (mask.is_null()) return {ParseArrayInterface(column.dump()), {}, {}};
  auto members = MembersOf(column);
  members.erase("mask");
  auto const values = ParseArrayInterface(JsonObject(members));
  return {values, {}, ParseMask(mask, values.shape[0])};
}

/// Returns whether the model compares a column's categories by name. A column that had no category in training counts:
/// all of its names are new.
bool GoesByNames(ModelCategories const& known, std::size_t feature) {
  return (feature < known.names.size() && known.names[feature].Size() > 0) || known.HadNone(feature);
}

/// Parses columns in host memory. known: see MakeColumnarView.
struct HostColumnParser {
  ModelCategories const* known;

  /// Sets `names` if the column is categorical.
  Column operator()(json const& column, std::size_t index, CategoryNames* names) const {
    if (!column.is_array()) return ParseNumbers(column);
    auto const is_partial = column.size() == 3 && known != nullptr;
    if (column.size() != 2 && !is_partial) {
      Fail(ErrorKind::kData, "it is a list of ", column.size(),
           " elements; expected a categorical column as a list of two, names ", "and codes.");
    }
    auto codes = ParseNumbers(column[1]);
    *names = ParseCategoryNames(column[0], codes.values.shape[0]);
    codes.codes = SameCodes(names->Size());
    if (!is_partial) return codes;
    auto numbers = ParseCategoryNumbers(column[2], names->Size());
    if (GoesByNames(*known, index)) return codes;
    codes.codes = std::move(numbers);
    *names = {};
    return codes;
  }
};

DeviceArray ParseDeviceColumn(json const& column, std::size_t /*index*/, CategoryNames* /*names*/) {
  if (column.is_array()) {
    Fail(ErrorKind::kData, "it is categorical, which is not supported in device memory; pass its codes and set the ",
         "column's type to 'c', or copy the table to host memory.");
  }
  return ParseDeviceArrayInterface(column.dump());
}

ArrayView const& ViewOf(Column const& column) { return column.values; }
ArrayView const& ViewOf(DeviceArray const& column) { return column.view; }

template <typename Parse>
auto ParseColumn(json const& column, std::size_t index, Parse const& parse, CategoryNames* names) {
  try {
    return parse(column, index, names);
  } catch (Error const& error) {
    Fail(error.Kind(), "column ", index, ": ", error.what());
  }
}

/// Parses vectors of the same length. names: [columns], or empty if none is categorical.
template <typename Parse>
auto ParseColumns(std::string const& text, Parse const& parse, CategoryNameTable* names) {
  auto const parsed = ParseJsonText(text, ErrorKind::kData);
  auto const& document = parsed.Root();
  if (!document.is_array()) {
    Fail(ErrorKind::kData, "columns: ", Quoted(text), " is not a JSON list of array interfaces.");
  }
  std::vector<decltype(parse(document, 0, nullptr))> columns;
  names->assign(document.size(), {});
  for (std::size_t i = 0; i < document.size(); ++i) {
    columns.push_back(ParseColumn(document[i], i, parse, &(*names)[i]));
    auto const& shape = ViewOf(columns[i]).shape;
    if (shape[1] != 1) Fail(ErrorKind::kData, "column ", i, " has two dimensions; each column is a vector.");
    auto const n_rows = ViewOf(columns[0]).shape[0];
    if (shape[0] != n_rows) {
      Fail(ErrorKind::kData, "column ", i, " has ", shape[0], " rows, but column 0 has ", n_rows, ".");
    }
  }
  auto const has_name = [](CategoryNames const& of_column) { return of_column.Size() > 0; };
  if (std::none_of(names->begin(), names->end(), has_name)) names->clear();
  return columns;
}

}  // namespace

std::unique_ptr<DataView> MakeColumnarView(ColumnTable table, float missing, Infinities infinities) {
  return std::make_unique<ColumnarView>(std::move(table), missing, infinities);
}

std::unique_ptr<DataView> MakeColumnarView(std::string const& json, float missing, Infinities infinities,
                                           ModelCategories const* known) {
  ColumnTable table;
  table.columns = ParseColumns(json, HostColumnParser{known}, &table.names);
  return MakeColumnarView(std::move(table), missing, infinities);
}

std::vector<DeviceArray> ParseDeviceColumns(std::string const& json) {
  CategoryNameTable none;
  return ParseColumns(json, ParseDeviceColumn, &none);
}

}  // namespace kauri
