/// \file Writes messages in the wire format of Protocol Buffers: the parts that ONNX needs.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace kauri::model_export {

/// A message as bytes. Fields may be added in any order.
class Message {
 public:
  Message& Int(unsigned field, std::int64_t value) {
    Varint(field << 3U);
    Varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  Message& Bytes(unsigned field, std::string_view bytes) {
    Varint(field << 3U | 2U);
    Varint(bytes.size());
    bytes_.append(bytes);
    return *this;
  }
  Message& Sub(unsigned field, Message const& message) { return Bytes(field, message.bytes_); }
  Message& Ints(unsigned field, std::vector<std::int64_t> const& values) {
    Message packed;
    for (auto const value : values) packed.Varint(static_cast<std::uint64_t>(value));
    return Sub(field, packed);
  }
  std::string const& Text() const { return bytes_; }

 private:
  void Varint(std::uint64_t value) {
    for (; value > 0x7F; value >>= 7U) bytes_ += static_cast<char>((value & 0x7FU) | 0x80U);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

/// Returns the bytes of numbers in little-endian order, as raw data of tensors.
template <typename Number>
std::string RawBytes(std::vector<Number> const& numbers) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

}  // namespace kauri::model_export
