#include <cstring>
#include <string>
#include <utility>

#include "data/adapters/arrow.h"
#include "data/arrays/array_dispatch.h"
#include "data/categories/category_names.h"
#include "kauri/error.h"
#include "kauri/tree.h"

namespace kauri {
namespace {

struct NumberFormat {
  char format;
  DType dtype;
};
/// Formats of integers. A table with gaps may hold integers as floats.
constexpr NumberFormat kNumbers[] = {{'c', DType::kI8},  {'C', DType::kU8},  {'s', DType::kI16}, {'S', DType::kU16},
                                     {'i', DType::kI32}, {'I', DType::kU32}, {'l', DType::kI64}, {'L', DType::kU64},
                                     {'e', DType::kF16}, {'f', DType::kF32}, {'g', DType::kF64}};

void CheckValues(ArrowArray const& values, std::int64_t least_buffers) {
  auto const& v = values;
  if (v.length < 0 || v.offset < 0 || v.length >= kCategoryLimit || v.offset > kCategoryLimit) {
    Fail(ErrorKind::kData, "its dictionary has the offset ", v.offset, " and the length ", v.length, "; at most ",
         kCategoryLimit - 1, " categories are possible.");
  }
  if (v.n_buffers < least_buffers || v.buffers == nullptr) {
    Fail(ErrorKind::kData, "its dictionary has ", v.n_buffers, " buffers; expected at least ", least_buffers, ".");
  }
  if (v.null_count != 0 && v.buffers[0] != nullptr) {
    for (auto i = v.offset; i < v.offset + v.length; ++i) {
      if (PackedBits{static_cast<std::uint8_t const*>(v.buffers[0]), 0}.At(i)) continue;
      Fail(ErrorKind::kData, "its dictionary has a null, at ", i - v.offset, "; make missing values null codes.");
    }
  }
  if (v.length > 0 && v.buffers[1] == nullptr) Fail(ErrorKind::kData, "its dictionary has no values.");
}

/// Offset: the type of the offsets into the bytes of the texts, std::int32_t or std::int64_t.
template <typename Offset>
CategoryNames ReadTexts(ArrowArray const& values) {
  CheckValues(values, 3);
  CategoryNames names;
  auto const* offsets = static_cast<Offset const*>(values.buffers[1]) + values.offset;
  auto const* bytes = static_cast<char const*>(values.buffers[2]);
  for (std::int64_t i = 0; i < values.length; ++i) {
    if (offsets[i] < 0 || offsets[i + 1] < offsets[i] || (bytes == nullptr && offsets[i + 1] > offsets[i])) {
      Fail(ErrorKind::kData, "entry ", i, " of its dictionary goes from byte ", offsets[i], " to ", offsets[i + 1],
           "; offsets must ascend from 0.");
    }
    if (bytes == nullptr) {
      names.texts.emplace_back();
    } else {
      names.texts.emplace_back(bytes + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
    }
  }
  return names;
}

/// A text of up to 12 bytes, or its beginning and the location of the whole text.
struct TextView {
  std::int32_t length;
  char inlined[4];
  std::int32_t buffer;
  std::int32_t offset;
};
static_assert(sizeof(TextView) == 16, "as the format has it");

CategoryNames ReadTextViews(ArrowArray const& values) {
  CheckValues(values, 3);
  constexpr std::int32_t kInlined = 12;
  CategoryNames names;
  auto const* views = static_cast<char const*>(values.buffers[1]);
  auto const n_data = values.n_buffers - 3;  // the buffers between validity and views, and the sizes
  for (std::int64_t i = 0; i < values.length; ++i) {
    auto const* address = views + (values.offset + i) * static_cast<std::int64_t>(sizeof(TextView));
    TextView view;
    std::memcpy(&view, address, sizeof(view));
    auto const is_inlined = view.length >= 0 && view.length <= kInlined;
    if (!is_inlined && (view.length < 0 || view.buffer < 0 || view.buffer >= n_data || view.offset < 0 ||
                        values.buffers[2 + view.buffer] == nullptr)) {
      Fail(ErrorKind::kData, "entry ", i, " of its dictionary has ", view.length, " bytes from ", view.offset,
           " on in buffer ", view.buffer, " of ", n_data, ", which is out of range.");
    }
    auto const* text =
        is_inlined ? address + 4 : static_cast<char const*>(values.buffers[2 + view.buffer]) + view.offset;
    names.texts.emplace_back(text, static_cast<std::size_t>(view.length));
  }
  return names;
}

CategoryNames ReadNumbers(DType dtype, ArrowArray const& values) {
  CheckValues(values, 2);
  ArrayView numbers;
  auto const item = ItemSize(dtype);
  numbers.dtype = dtype;
  numbers.shape = {values.length, 1};
  numbers.strides = {item, item};
  if (values.length > 0) numbers.data = static_cast<char const*>(values.buffers[1]) + values.offset * item;
  return NumbersAsNames(numbers);
}

}  // namespace

CategoryNames ReadDictionary(std::string const& format, ArrowArray const& values) {
  if (format == "u") return ReadTexts<std::int32_t>(values);
  if (format == "U") return ReadTexts<std::int64_t>(values);
  if (format == "vu") return ReadTextViews(values);
  for (auto const& number : kNumbers) {
    if (format.size() == 1 && format[0] == number.format) return ReadNumbers(number.dtype, values);
  }
  Fail(ErrorKind::kData, "its dictionary holds values of the format '", format,
       "'; categories are named by texts or integers. Cast them to texts.");
}

std::shared_ptr<std::vector<float> const> JoinDictionary(CategoryNames batch, CategoryNames* column) {
  if (column->Size() == 0) *column = batch;
  if (AgreeOnNames(batch, *column)) {
    auto codes = SameCodes(batch.Size());
    if (batch.Size() > column->Size()) *column = std::move(batch);
    return codes;
  }
  auto const known = CategoryCodes(batch, *column);
  auto codes = std::make_shared<std::vector<float>>();
  for (std::size_t category = 0; category < known.size(); ++category) {
    codes->push_back(static_cast<float>(known[category] == kUnknownCategory ? column->Size() : known[category]));
    if (known[category] != kUnknownCategory) continue;
    if (batch.numbers.empty()) column->texts.push_back(batch.texts[category]);
    if (batch.texts.empty()) column->numbers.push_back(batch.numbers[category]);
  }
  return codes;
}

}  // namespace kauri
