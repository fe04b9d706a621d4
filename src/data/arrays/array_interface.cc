#include "kauri/array_interface.h"

#include <nlohmann/json.hpp>

#include "common/text/json_text.h"
#include "data/arrays/array_dispatch.h"
#include "data/arrays/plain_array.h"
#include "kauri/error.h"

namespace kauri {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxShownText = 120;

std::string Shown(json const& value) {
  auto text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kMaxShownText) text = text.substr(0, kMaxShownText) + "...";
  return text;
}

[[noreturn]] void Refuse(std::string const& what) { Fail(ErrorKind::kData, "array interface: ", what); }

JsonDocument ParseObject(std::string const& text) {
  auto document = ParseJsonText(text, ErrorKind::kData);
  if (document.Root().is_discarded()) {
    Refuse("'" + text.substr(0, kMaxShownText) + "' is not JSON; pass the __array_interface__ of an array as JSON.");
  }
  if (!document.Root().is_object()) Refuse("expected a JSON object, found " + Shown(document.Root()) + ".");
  return document;
}

/// Returns the value of a required key.
json const& Get(json const& object, char const* key) {
  auto const found = object.find(key);
  if (found == object.end()) Refuse(std::string("the key '") + key + "' is missing from " + Shown(object) + ".");
  return *found;
}

bool IsHostLittleEndian() {
  std::uint16_t const one = 1;
  std::uint8_t first = 0;
  std::memcpy(&first, &one, 1);
  return first == 1;
}

void CheckByteOrder(char order, bool single_byte, std::string const& typestr) {
  auto const native = IsHostLittleEndian() ? '<' : '>';
  auto const ok = order == native || order == '=' || (single_byte && (order == '|' || order == '<' || order == '>'));
  if (!ok) Refuse("byte order of typestr '" + typestr + "' is not this machine's; convert the array to native order.");
}

DType ParseTypestr(json const& value) {
  auto const typestr = value.is_string() ? value.get<std::string>() : Shown(value);
  struct Known {
    char const* code;
    DType dtype;
  };
  static constexpr Known kKnown[] = {
      {"f2", DType::kF16}, {"f4", DType::kF32}, {"f8", DType::kF64}, {"f16", DType::kF128}, {"i1", DType::kI8},
      {"i2", DType::kI16}, {"i4", DType::kI32}, {"i8", DType::kI64}, {"u1", DType::kU8},    {"u2", DType::kU16},
      {"u4", DType::kU32}, {"u8", DType::kU64}, {"b1", DType::kBool}};
  for (auto const& known : kKnown) {
    if (!value.is_string() || typestr.empty() || typestr.compare(1, std::string::npos, known.code) != 0) continue;
    if (known.dtype == DType::kF128 && sizeof(long double) != 16) break;
    CheckByteOrder(typestr[0], typestr[2] == '1' && typestr.size() == 3, typestr);
    return known.dtype;
  }
  Refuse("typestr '" + typestr +
         "' is not supported; use float of 2, 4, 8 or 16 bytes, integers of 1 to 8 bytes or bool.");
}

std::int64_t ParseInteger(json const& value, char const* key) {
  auto const too_large = value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX};
  if (!value.is_number_integer() || too_large) {
    Refuse(std::string("'") + key + "' holds " + Shown(value) + ", not a 64-bit integer.");
  }
  return value.get<std::int64_t>();
}

void ParseShape(json const& shape, ArrayView* array) {
  if (!shape.is_array() || shape.empty() || shape.size() > 2) {
    Refuse("shape is " + Shown(shape) + "; only arrays of one or two dimensions are supported.");
  }
  array->n_dims = static_cast<int>(shape.size());
  array->shape = {0, 1};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    array->shape[i] = ParseInteger(shape[i], "shape");
    if (array->shape[i] < 0) Refuse("shape " + Shown(shape) + " is negative.");
  }
  std::int64_t size = 0;
  std::int64_t bytes = 0;
  auto const overflow = __builtin_mul_overflow(array->shape[0], array->shape[1], &size) ||
                        __builtin_mul_overflow(size, ItemSize(array->dtype), &bytes);
  if (overflow) Refuse("shape " + Shown(shape) + " has more bytes than 64 bits can count.");
}

/// Returns true if every byte that the strides reach has an address, and offsets fit into int64.
bool ReachIsAddressable(ArrayView const& array) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(array.shape[i] - 1, array.strides[i], &reach)) return false;
    if (__builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high)) return false;
  }
  if (__builtin_add_overflow(high, ItemSize(array.dtype), &high)) return false;
  auto const address = reinterpret_cast<std::uintptr_t>(array.data);
  return address >= std::uint64_t{0} - static_cast<std::uint64_t>(low) &&
         address <= UINTPTR_MAX - static_cast<std::uint64_t>(high);
}

void ParseStrides(json const& object, ArrayView* array) {
  auto const item = ItemSize(array->dtype);
  array->strides = {item * array->shape[1], item};
  auto const strides = object.find("strides");
  if (strides == object.end() || strides->is_null()) return;
  if (!strides->is_array() || strides->size() != static_cast<std::size_t>(array->n_dims)) {
    Refuse("strides " + Shown(*strides) + " do not match the shape " + Shown(Get(object, "shape")) + ".");
  }
  for (std::size_t i = 0; i < strides->size(); ++i) array->strides[i] = ParseInteger((*strides)[i], "strides");
}

void ParseData(json const& data, ArrayView* array) {
  auto const& address = data.is_array() && !data.empty() ? data[0] : data;
  auto const is_null = address.is_null();
  if (!is_null && (!data.is_array() || data.size() > 2 || !address.is_number_unsigned())) {
    Refuse("'data' is " + Shown(data) + "; expected [address, read_only].");
  }
  auto const value = is_null ? std::uint64_t{0} : address.get<std::uint64_t>();
  if (value > UINTPTR_MAX) Refuse("address " + Shown(address) + " is past this machine's memory.");
  array->data = reinterpret_cast<void const*>(static_cast<std::uintptr_t>(value));
  if (array->data == nullptr && array->Size() > 0) {
    Refuse("the address is null but the array has " + std::to_string(array->Size()) + " elements.");
  }
}

void CheckUnsupportedKeys(json const& object) {
  auto const version = object.find("version");
  if (version != object.end() && (!version->is_number_integer() || *version < 1 || *version > 3)) {
    Refuse("version " + Shown(*version) + " is not supported; 1 to 3 are.");
  }
  auto const mask = object.find("mask");
  if (mask != object.end() && !mask->is_null()) {
    Refuse("masked arrays are not supported; fill masked elements with NaN (numpy.ma.filled) first.");
  }
}

ArrayView ParseView(json const& object) {
  CheckUnsupportedKeys(object);
  ArrayView array;
  array.dtype = ParseTypestr(Get(object, "typestr"));
  ParseShape(Get(object, "shape"), &array);
  ParseStrides(object, &array);
  ParseData(Get(object, "data"), &array);
  if (array.Size() > 0 && !ReachIsAddressable(array)) {
    Refuse("shape " + Shown(object["shape"]) + " with strides " + Shown(JsonMember(object, "strides")) +
           " reaches outside of memory.");
  }
  return array;
}

void RequireDeviceType(DType dtype) {
  if (dtype == DType::kF128) Refuse("float of 16 bytes is not a type of devices; convert it to 8 bytes.");
}

void ParseStream(json const& object, DeviceArray* array) {
  auto const stream = object.find("stream");
  array->names_stream = stream != object.end();
  if (!array->names_stream) return;
  RequireDeviceType(array->view.dtype);
  if (stream->is_null()) {
    array->stream = DeviceArray::kReady;
    return;
  }
  if (!stream->is_number_unsigned() || *stream == 0) {
    Refuse(
        "stream is " + Shown(*stream) +
        "; expected null, 1 (the legacy default stream), 2 (the thread's default stream) or the handle of a stream.");
  }
  array->stream = stream->get<std::uint64_t>();
}

}  // namespace

ArrayView ParseArrayInterface(std::string const& json_text) {
  ArrayView plain;
  if (ParsePlainArray(json_text, &plain)) return plain;
  auto const document = ParseObject(json_text);
  auto const& object = document.Root();
  if (object.find("stream") != object.end()) {
    Refuse("the array lives on a device ('stream' is given); copy it to host memory or use the CUDA entry points.");
  }
  return ParseView(object);
}

DeviceArray ParseAnyArrayInterface(std::string const& json_text) {
  auto const document = ParseObject(json_text);
  DeviceArray array;
  array.view = ParseView(document.Root());
  ParseStream(document.Root(), &array);
  return array;
}

DeviceArray ParseDeviceArrayInterface(std::string const& json_text) {
  auto const array = ParseAnyArrayInterface(json_text);
  RequireDeviceType(array.view.dtype);
  if (array.view.strides[0] < 0 || array.view.strides[1] < 0) {
    Fail(
        ErrorKind::kData, "array interface: strides [", array.view.strides[0], ", ", array.view.strides[1],
        "] are negative, which arrays in device memory may not have; make a contiguous copy (cupy.ascontiguousarray).");
  }
  return array;
}

double ElementAsDouble(ArrayView const& array, std::int64_t row, std::int64_t col) {
  if (row < 0 || row >= array.shape[0] || col < 0 || col >= array.shape[1]) {
    Fail(ErrorKind::kInternal, "element (", row, ", ", col, ") is outside of an array of ", array.shape[0], " x ",
         array.shape[1]);
  }
  return DispatchDType(array.dtype, [&](auto tag) {
    return static_cast<double>(LoadElement<decltype(tag)>(ElementAddress(array, row, col)));
  });
}

}  // namespace kauri
