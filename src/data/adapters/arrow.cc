#include "data/adapters/arrow.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "data/arrays/array_dispatch.h"
#include "data/arrays/value_rules.h"
#include "data/batches/chain.h"
#include "data/meta_info.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr auto kMaxColumns = static_cast<std::int64_t>(std::numeric_limits<std::int32_t>::max());

/// Calls release at the end of the scope, as the interface requires of the consumer.
template <typename T>
class Releaser {
 public:
  explicit Releaser(T* object) : object_(object) {}
  ~Releaser() {
    if (object_->release != nullptr) object_->release(object_);
  }
  Releaser(Releaser const&) = delete;
  Releaser& operator=(Releaser const&) = delete;

 private:
  T* object_;
};

template <typename T>
void RequireLive(T const& object, char const* what) {
  if (object.release == nullptr) {
    Fail(ErrorKind::kData, "Arrow: the ", what, " has been released already; ask for a new one.");
  }
}

[[noreturn]] void FailColumn(std::string const& name, std::string const& problem) {
  Fail(ErrorKind::kData, "Arrow: column '", name, "' ", problem);
}

/// The format of columns that hold only nulls. They have no buffers.
constexpr char kNull = 'n';

struct Number {
  char format;
  DType dtype;
  char const* type;
};
constexpr Number kNumbers[] = {
    {'c', DType::kI8, "int"},      {'C', DType::kU8, "int"},    {'s', DType::kI16, "int"},
    {'S', DType::kU16, "int"},     {'i', DType::kI32, "int"},   {'I', DType::kU32, "int"},
    {'l', DType::kI64, "int"},     {'L', DType::kU64, "int"},   {'b', DType::kBool, "i"},
    {'e', DType::kF16, "float"},   {'f', DType::kF32, "float"}, {'g', DType::kF64, "float"},
    {kNull, DType::kF32, "float"},
};

/// Returns a description of the values of a format that is not numeric.
std::string DescribeFormat(std::string const& format) {
  if (format.substr(0, 2) == "d:") return "decimal numbers";
  if (format.substr(0, 1) == "t") return "times";
  if (format.substr(0, 1) == "+") return "nested values";
  return "values";
}

/// Returns advice for a column whose format is not numeric: the end of an error message.
std::string CureOfFormat(std::string const& format) {
  if (DescribeFormat(format) == "times")
    return "make numbers of its parts, such as year and weekday, cast it to numbers, or drop it.";
  return "cast it to numbers, or drop it.";
}

Number const& NumberOf(ArrowSchema const& column, std::string const& name) {
  std::string const format = column.format == nullptr ? "" : column.format;
  for (auto const& number : kNumbers) {
    if (format.size() == 1 && format[0] == number.format) return number;
  }
  FailColumn(name,
             "holds " + DescribeFormat(format) + " (format '" + format + "'), not numbers; " + CureOfFormat(format));
}

/// Returns the index of a column's first element in its buffers. \throws Error(kData) for impossible offsets and
/// lengths.
std::int64_t FirstElement(ArrowArray const& rows, ArrowArray const& column, std::string const& name,
                          std::int64_t item_bits) {
  std::int64_t last = 0;
  std::int64_t bits = 0;
  if (column.offset < 0 || column.length < 0 || __builtin_add_overflow(column.offset, column.length, &last) ||
      __builtin_mul_overflow(last, item_bits, &bits)) {
    FailColumn(name, "has the offset " + std::to_string(column.offset) + " and the length " +
                         std::to_string(column.length) + ", which no array can have.");
  }
  std::int64_t needed = 0;
  if (__builtin_add_overflow(rows.offset, rows.length, &needed) || column.length < needed) {
    FailColumn(name, "has " + std::to_string(column.length) + " elements, but the batch's offset " +
                         std::to_string(rows.offset) + " and length " + std::to_string(rows.length) + " need more.");
  }
  return column.offset + rows.offset;
}

void CheckNulls(ArrowArray const& column, std::string const& name, bool is_text) {
  if ((is_text ? column.n_buffers < 3 : column.n_buffers != 2) || column.buffers == nullptr) {
    auto const* const expected = is_text ? "texts have three or more." : "numbers have two, validity and values.";
    FailColumn(name, "has " + std::to_string(column.n_buffers) + " buffers; " + expected);
  }
  if (column.null_count < -1 || column.null_count > column.length ||
      (column.null_count > 0 && column.buffers[0] == nullptr)) {
    FailColumn(name, "says that " + std::to_string(column.null_count) + " of its " + std::to_string(column.length) +
                         " elements are null" + (column.buffers[0] == nullptr ? ", without a validity buffer." : "."));
  }
  if (column.length > 0 && column.buffers[1] == nullptr) FailColumn(name, "has elements but no buffer of values.");
}

void CheckRows(ArrowArray const& rows, std::size_t n_cols) {
  RequireLive(rows, "batch");
  if (rows.length < 0 || rows.offset < 0) {
    Fail(ErrorKind::kData, "Arrow: a batch has the offset ", rows.offset, " and the length ", rows.length,
         "; neither may be negative.");
  }
  if (rows.n_children != static_cast<std::int64_t>(n_cols) || (n_cols > 0 && rows.children == nullptr)) {
    Fail(ErrorKind::kData, "Arrow: a batch has ", rows.n_children, " columns, but the schema has ", n_cols, ".");
  }
  if (rows.null_count != 0 && rows.n_buffers > 0 && rows.buffers != nullptr && rows.buffers[0] != nullptr) {
    Fail(ErrorKind::kData, "Arrow: whole rows are null; drop them, or make their columns null.");
  }
}

}  // namespace

void ArrowTable::Release::operator()(ArrowArray* array) const {
  if (array->release != nullptr) array->release(array);
  delete array;
}

void ArrowTable::ReadSchema(ArrowSchema const& schema) {
  RequireLive(schema, "schema");
  if (schema.format == nullptr || std::strcmp(schema.format, "+s") != 0) {
    Fail(ErrorKind::kData, "Arrow: the data are of the format '", schema.format == nullptr ? "" : schema.format,
         "', not a table (a struct of columns); pass a table or record batch.");
  }
  if (schema.n_children < 0 || schema.n_children > kMaxColumns || (schema.n_children > 0 && !schema.children)) {
    Fail(ErrorKind::kData, "Arrow: the schema has ", schema.n_children, " columns, which no table can have.");
  }
  for (std::int64_t col = 0; col < schema.n_children; ++col) {
    auto const* column = schema.children[col];
    if (column == nullptr) Fail(ErrorKind::kData, "Arrow: the schema's column ", col, " is a null pointer.");
    names_.emplace_back(column->name == nullptr ? "" : column->name);
    auto const is_text = column->dictionary == nullptr && column->format != nullptr && IsArrowText(column->format);
    text_formats_.emplace_back(is_text ? column->format : "");
    if (is_text) {
      dtypes_.push_back(DType::kF32);
      is_null_.push_back(0);
      types_.emplace_back("c");
      dictionary_formats_.emplace_back();
      continue;
    }
    auto const& number = NumberOf(*column, names_.back());
    auto const is_categorical = column->dictionary != nullptr;
    dtypes_.push_back(number.dtype);
    is_null_.push_back(number.format == kNull ? 1 : 0);
    types_.emplace_back(is_categorical ? "c" : number.type);
    dictionary_formats_.emplace_back(
        is_categorical && column->dictionary->format != nullptr ? column->dictionary->format : "");
  }
}

Column ArrowTable::ReadColumn(ArrowArray const& rows, std::size_t col) const {
  auto const& name = names_[col];
  if (rows.children[col] == nullptr) FailColumn(name, "is a null pointer.");
  auto const& array = *rows.children[col];
  auto const is_packed = dtypes_[col] == DType::kBool;
  auto const item = ItemSize(dtypes_[col]);
  auto const first = FirstElement(rows, array, name, is_packed ? 1 : item * 8);
  Column column;
  column.values.dtype = dtypes_[col];
  column.values.shape = {rows.length, 1};
  if (is_null_[col] != 0) {
    column.values.data = &kMissingValue;
    column.values.strides = {0, 0};  // all rows read the same value
    return column;
  }
  CheckNulls(array, name, false);
  column.values.strides = {item, item};
  if (rows.length == 0) return column;
  if (is_packed) {
    column.truth = {static_cast<std::uint8_t const*>(array.buffers[1]), first};
  } else {
    column.values.data = static_cast<char const*>(array.buffers[1]) + first * item;
  }
  if (array.null_count != 0) column.valid = {static_cast<std::uint8_t const*>(array.buffers[0]), first};
  return column;
}

Column ArrowTable::ReadTextColumn(ArrowArray const& rows, std::size_t col) {
  auto const& name = names_[col];
  if (rows.children[col] == nullptr) FailColumn(name, "is a null pointer.");
  auto const& array = *rows.children[col];
  auto const& format = text_formats_[col];
  auto const bits_per_text = format == "u" ? 32 : format == "U" ? 64 : 128;
  auto const first = FirstElement(rows, array, name, bits_per_text);
  CheckNulls(array, name, true);
  auto& codes = text_codes_.emplace_back(static_cast<std::size_t>(rows.length), kMissingValue);
  PackedBits valid;
  if (array.null_count != 0) valid = {static_cast<std::uint8_t const*>(array.buffers[0]), first};
  try {
    texts_[col].Add(ArrowTexts(format, array, ""), valid, first, &codes);
  } catch (Error const& error) {
    FailColumn(name, std::string("cannot be read: ") + error.what());
  }
  Column column;
  column.values.dtype = DType::kF32;
  column.values.shape = {rows.length, 1};
  column.values.strides = {ItemSize(DType::kF32), ItemSize(DType::kF32)};
  column.values.data = codes.data();
  return column;
}

void ArrowTable::FinishTexts() {
  for (std::size_t col = 0; col < text_formats_.size(); ++col) {
    if (text_formats_[col].empty()) continue;
    categories_.resize(names_.size());
    auto codes = std::make_shared<std::vector<float>>();
    categories_[col] = texts_[col].Names(n_rows_, codes.get());
    for (auto& batch : columns_) batch[col].codes = codes;
  }
}

void ArrowTable::ReadCategories(ArrowArray const& array, std::size_t col, Column* column) {
  if (array.dictionary == nullptr) FailColumn(names_[col], "is categorical, but a batch of it has no dictionary.");
  categories_.resize(names_.size());
  if (dictionary_formats_[col] == std::string(1, kNull)) {  // the dictionary holds only nulls
    auto const length = static_cast<std::size_t>(std::max<std::int64_t>(array.dictionary->length, 0));
    column->codes = std::make_shared<std::vector<float>>(length, kMissingValue);
    return;
  }
  try {
    column->codes = JoinDictionary(ReadDictionary(dictionary_formats_[col], *array.dictionary), &categories_[col]);
  } catch (Error const& error) {
    FailColumn(names_[col], std::string("cannot be read: ") + error.what());
  }
}

void ArrowTable::AddBatch(Batch batch) {
  CheckRows(*batch, dtypes_.size());
  texts_.resize(dtypes_.size());
  std::vector<Column> columns;
  for (std::size_t col = 0; col < dtypes_.size(); ++col) {
    auto const is_text = !text_formats_[col].empty();
    columns.push_back(is_text ? ReadTextColumn(*batch, col) : ReadColumn(*batch, col));
    if (types_[col] == "c" && !is_text) ReadCategories(*batch->children[col], col, &columns.back());
  }
  if (__builtin_add_overflow(n_rows_, batch->length, &n_rows_)) {
    Fail(ErrorKind::kData, "Arrow: the batches have more rows than memory can hold.");
  }
  columns_.push_back(std::move(columns));
  batches_.push_back(std::move(batch));
}

std::shared_ptr<ArrowTable const> ArrowTable::FromStream(ArrowArrayStream* stream) {
  RequireLive(*stream, "stream");
  Releaser<ArrowArrayStream> const release(stream);
  auto const check = [&](int status, char const* what) {
    if (status == 0) return;
    auto const* message = stream->get_last_error == nullptr ? nullptr : stream->get_last_error(stream);
    Fail(ErrorKind::kData, "Arrow: the stream's ", what, " failed with ", status, ": ",
         message == nullptr ? "no message" : message);
  };
  if (stream->get_schema == nullptr || stream->get_next == nullptr) {
    Fail(ErrorKind::kData, "Arrow: the stream's ", stream->get_schema == nullptr ? "get_schema" : "get_next",
         " is a null pointer; every stream has both functions.");
  }
  auto table = std::make_shared<ArrowTable>();
  {
    ArrowSchema schema{};
    check(stream->get_schema(stream, &schema), "get_schema");
    Releaser<ArrowSchema> const release_schema(&schema);
    table->ReadSchema(schema);
  }
  for (;;) {
    Batch batch(new ArrowArray{});
    check(stream->get_next(stream, batch.get()), "get_next");
    if (batch->release == nullptr) {
      table->FinishTexts();
      return table;
    }
    table->AddBatch(std::move(batch));
  }
}

std::shared_ptr<ArrowTable const> ArrowTable::FromArray(ArrowSchema* schema, ArrowArray* array) {
  Releaser<ArrowSchema> const release(schema);
  RequireLive(*array, "batch");
  Batch batch(new ArrowArray(*array));  // moved, as the interface allows
  array->release = nullptr;
  auto table = std::make_shared<ArrowTable>();
  table->ReadSchema(*schema);
  table->AddBatch(std::move(batch));
  table->FinishTexts();
  return table;
}

std::unique_ptr<DataView> ArrowTable::View(float missing) const {
  if (columns_.empty()) return MakeColumnarView({std::vector<Column>(dtypes_.size()), {}}, missing);
  std::vector<std::unique_ptr<DataView>> batches;
  for (auto const& columns : columns_) batches.push_back(MakeColumnarView({columns, {}}, missing));
  auto all = MakeChain(std::move(batches));
  all->SetCategories(categories_);
  return all;
}

void SetArrowNames(ArrowTable const& table, MetaInfo* info) {
  SetFeatureStrings(info, "feature_name", table.Names());
  SetFeatureStrings(info, "feature_type", table.Types());
}

}  // namespace kauri
