/// \file Reads and writes UBJSON (draft 12).
///
/// The writer writes UBJSON as XGBoost reads it: every length is an int64 ('L'), numbers of an array share one type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "booster/model_io/document.h"
#include "kauri/span.h"

namespace kauri::model_io {

/// Parses the part of UBJSON that XGBoost writes, and arrays without a length. Every declared length is checked against
/// the remaining bytes before memory is allocated. \throws Error(kModel) with the position for anything else.
Value ParseUbjson(Span<char const> bytes);

/// Appends a document to a string. The caller passes keys in ascending order and closes every object and array.
class UbjsonWriter {
 public:
  static constexpr std::size_t kBytesPerNode = 40;  ///< approximate, per node of a tree; for Reserve

  void Reserve(std::size_t bytes) { out_.reserve(bytes); }
  void BeginObject() { out_ += '{'; }
  void EndObject() { out_ += '}'; }
  /// Begins an array; its `size` values follow.
  void BeginArray(std::size_t size);
  void EndArray() {}
  void Key(std::string_view key) { Text(key); }
  void String(std::string_view text);
  /// Appends an integer in the fewest bytes.
  void Integer(std::int64_t value);
  void Float(float value);
  void Boolean(bool value) { out_ += value ? 'T' : 'F'; }
  void Null() { out_ += 'Z'; }

  void Numbers(Span<float const> values);
  void Numbers(Span<std::int8_t const> values);
  void Numbers(Span<std::uint8_t const> values);
  void Numbers(Span<std::int16_t const> values);
  void Numbers(Span<std::int32_t const> values);
  void Numbers(Span<std::int64_t const> values);

  std::string Take() { return std::move(out_); }

 private:
  void Length(std::size_t length);
  void Text(std::string_view text);

  std::string out_;
};

}  // namespace kauri::model_io
