#include "data/categories/category_column.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <type_traits>

#include "common/text/json_text.h"
#include "data/arrays/array_dispatch.h"
#include "kauri/error.h"
#include "kauri/tree.h"

namespace kauri {
namespace {

using Type = CategoryNames::Type;

Type TypeOf(DType dtype) {
  switch (dtype) {
    case DType::kI8:
      return Type::kI8;
    case DType::kU8:
      return Type::kU8;
    case DType::kI16:
      return Type::kI16;
    case DType::kU16:
      return Type::kU16;
    case DType::kI32:
      return Type::kI32;
    case DType::kU32:
      return Type::kU32;
    case DType::kI64:
      return Type::kI64;
    case DType::kU64:
      return Type::kU64;
    default:
      break;
  }
  return Type::kI64;  // a float that holds whole numbers
}

/// Returns the integer that names a category. Tables that have gaps keep whole numbers as floats.
template <typename T>
std::int64_t IntegerOf(T value) {
  if constexpr (std::is_integral_v<T>) return static_cast<std::int64_t>(value);
  constexpr auto kLimit = 0x1p53;  // above it, doubles cannot represent every integer
  auto const number = static_cast<double>(value);
  if (std::abs(number) <= kLimit && number == std::floor(number)) return static_cast<std::int64_t>(number);
  Fail(ErrorKind::kData, "its categories have names of a floating point dtype, such as ", number,
       "; convert the names to texts or integers.");
}

void RequireFew(std::int64_t n) {
  if (n < kCategoryLimit) return;
  Fail(ErrorKind::kData, "it has ", n, " categories; at most ", kCategoryLimit - 1, " are possible.");
}

/// Requires a vector. A table without columns has rows but no memory.
void RequireVector(ArrayView const& array) {
  if (array.shape[1] == 1) return;
  Fail(ErrorKind::kData, "the names of its categories have the shape [", array.shape[0], ", ", array.shape[1],
       "]; pass vectors.");
}

}  // namespace

CategoryNames NumbersAsNames(ArrayView const& numbers) {
  CategoryNames names;
  names.number_type = TypeOf(numbers.dtype);
  RequireVector(numbers);
  RequireFew(numbers.shape[0]);
  for (std::int64_t i = 0; i < numbers.shape[0]; ++i) {
    auto const number = DispatchDType(
        numbers.dtype, [&](auto tag) { return IntegerOf(LoadElement<decltype(tag)>(ElementAddress(numbers, i, 0))); });
    names.numbers.push_back(number);
  }
  return names;
}

CategoryNames ParseCategoryNames(nlohmann::json const& names) {
  if (!names.is_object()) Fail(ErrorKind::kData, "the names of its categories are no JSON object.");
  if (!names.contains("offsets")) return NumbersAsNames(ParseArrayInterface(names.dump()));
  auto const offsets = ParseArrayInterface(names["offsets"].dump());
  auto const values = ParseArrayInterface(JsonMember(names, "values").dump());
  RequireVector(offsets);
  RequireVector(values);
  if (ItemSize(values.dtype) != 1 || (values.Size() > 1 && values.strides[0] != 1)) {
    Fail(ErrorKind::kData, "the names of its categories are not contiguous bytes.");
  }
  CategoryNames texts;
  RequireFew(offsets.shape[0]);
  for (std::int64_t i = 0; i + 1 < offsets.shape[0]; ++i) {
    auto const begin = ElementAsIndex(offsets, i, "offsets");
    auto const end = ElementAsIndex(offsets, i + 1, "offsets");
    if (begin < 0 || end < begin || end > values.shape[0]) {
      Fail(ErrorKind::kData, "the name of its category ", i, " goes from byte ", begin, " to ", end, " of ",
           values.shape[0], "; offsets must ascend within the bytes.");
    }
    texts.texts.emplace_back(static_cast<char const*>(values.data) + begin, static_cast<std::size_t>(end - begin));
  }
  return texts;
}

std::shared_ptr<std::vector<float> const> ParseCategoryNumbers(nlohmann::json const& numbers, std::size_t n) {
  auto const array = ParseArrayInterface(numbers.dump());
  if (array.shape[1] != 1 || static_cast<std::size_t>(array.shape[0]) != n) {
    Fail(ErrorKind::kData, "the numbers of its categories have the shape [", array.shape[0], ", ", array.shape[1],
         "]; expected one for each of ", n, " names.");
  }
  auto codes = std::make_shared<std::vector<float>>(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto const number = ElementAsIndex(array, static_cast<std::int64_t>(i), "numbers");
    if (number < 0 || number >= kCategoryLimit) {
      Fail(ErrorKind::kData, "the number of its category ", i, " is ", number, "; categories are integers from 0 to ",
           kCategoryLimit - 1, ".");
    }
    (*codes)[i] = static_cast<float>(number);
  }
  return codes;
}

std::shared_ptr<std::vector<float> const> SameCodes(std::size_t n) {
  auto codes = std::make_shared<std::vector<float>>(n);
  std::iota(codes->begin(), codes->end(), 0.0F);
  return codes;
}

}  // namespace kauri
