#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

CategoryNames ReadTexts(std::string const& format, ArrowArray const& values) {
  CheckValues(values, 3);
  ArrowTexts const texts(format, values, "of its dictionary ");
  CategoryNames names;
  for (std::int64_t i = 0; i < values.length; ++i) names.texts.emplace_back(texts.At(values.offset + i, i));
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

/// A text of up to 12 bytes, or its beginning and the location of the whole text.
struct TextView {
  std::int32_t length;
  char inlined[4];
  std::int32_t buffer;
  std::int32_t offset;
};
static_assert(sizeof(TextView) == 16, "as the format has it");

}  // namespace

bool IsArrowText(std::string const& format) { return format == "u" || format == "U" || format == "vu"; }

std::string_view ArrowTexts::At(std::int64_t element, std::int64_t shown) const {
  if (form_ == Form::kViews) return ViewAt(element, shown);
  return form_ == Form::kShort ? TextAt<std::int32_t>(element, shown) : TextAt<std::int64_t>(element, shown);
}

/// Offset: the type of the offsets into the bytes of the texts, std::int32_t or std::int64_t.
template <typename Offset>
std::string_view ArrowTexts::TextAt(std::int64_t element, std::int64_t shown) const {
  auto const* offsets = static_cast<Offset const*>(values_.buffers[1]) + element;
  auto const* bytes = static_cast<char const*>(values_.buffers[2]);
  if (offsets[0] < 0 || offsets[1] < offsets[0] || (bytes == nullptr && offsets[1] > offsets[0])) {
    Fail(ErrorKind::kData, "entry ", shown, " ", where_, "goes from byte ", offsets[0], " to ", offsets[1],
         "; offsets must ascend from 0.");
  }
  if (bytes == nullptr) return {};
  return {bytes + offsets[0], static_cast<std::size_t>(offsets[1] - offsets[0])};
}

std::string_view ArrowTexts::ViewAt(std::int64_t element, std::int64_t shown) const {
  constexpr std::int32_t kInlined = 12;
  auto const* address =
      static_cast<char const*>(values_.buffers[1]) + element * static_cast<std::int64_t>(sizeof(TextView));
  TextView view;
  std::memcpy(&view, address, sizeof(view));
  auto const n_data = values_.n_buffers - 3;  // the buffers between validity and views, and the sizes
  auto const is_inlined = view.length >= 0 && view.length <= kInlined;
  if (!is_inlined && (view.length < 0 || view.buffer < 0 || view.buffer >= n_data || view.offset < 0 ||
                      values_.buffers[2 + view.buffer] == nullptr)) {
    Fail(ErrorKind::kData, "entry ", shown, " ", where_, "has ", view.length, " bytes from ", view.offset,
         " on in buffer ", view.buffer, " of ", n_data, ", which is out of range.");
  }
  auto const* text =
      is_inlined ? address + 4 : static_cast<char const*>(values_.buffers[2 + view.buffer]) + view.offset;
  return {text, static_cast<std::size_t>(view.length)};
}

void ArrowTextColumn::Add(ArrowTexts const& texts, PackedBits const& valid, std::int64_t first,
                          std::vector<float>* codes) {
  for (std::size_t row = 0; row < codes->size(); ++row) {
    auto const place = static_cast<std::int64_t>(row);
    if (valid.bytes != nullptr && !valid.At(place)) continue;
    auto const found = numbers_.emplace(texts.At(first + place, place), static_cast<std::int32_t>(numbers_.size()));
    (*codes)[row] = static_cast<float>(found.first->second);
  }
  if (static_cast<std::int64_t>(numbers_.size()) < kCategoryLimit) return;
  Fail(ErrorKind::kData, "it has ", numbers_.size(), " different texts; at most ", kCategoryLimit - 1,
       " categories are possible. Leave the column out.");
}

CategoryNames ArrowTextColumn::Names(std::int64_t n_rows, std::vector<float>* sorted_code) const {
  std::vector<std::pair<std::string_view, std::int32_t>> all(numbers_.begin(), numbers_.end());
  std::sort(all.begin(), all.end());
  CategoryNames names;
  sorted_code->resize(all.size());
  for (std::size_t place = 0; place < all.size(); ++place) {
    names.texts.emplace_back(all[place].first);
    (*sorted_code)[static_cast<std::size_t>(all[place].second)] = static_cast<float>(place);
  }
  SetTexts(n_rows, &names);
  return names;
}

CategoryNames ReadDictionary(std::string const& format, ArrowArray const& values) {
  if (IsArrowText(format)) return ReadTexts(format, values);
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
