/// \file Reads and writes JSON text. The writer's text is XGBoost's: compact, numbers with the fewest digits that read
/// back the same. Numbers as text do not depend on the locale.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "booster/model_io/document.h"
#include "kauri/span.h"

namespace kauri::model_io {

constexpr std::size_t kFloatTextBytes = 16;  ///< the longest text is -1.17549435E-38

/// Writes the shortest text that reads back as `value`, as XGBoost does in model files: 5E-1, 1.5E0, -0E0, NaN,
/// -Infinity. Writes at most kFloatTextBytes to `out`. \returns the end of the text.
char* WriteFloat(float value, char* out);
std::string FloatText(float value);

/// Formats a number of a dump with up to nine significant digits, as printf's %.9g in the C locale.
std::string NineDigits(float value);

/// Formats a number of a linear model's dump with up to six significant digits, as %g.
std::string SixDigits(float value);

/// Parses a finite number. \returns false unless all of `text` is one; surrounding blanks are allowed.
bool ParseFloat(std::string const& text, float* out);

/// Parses standard JSON, and the tokens NaN, Infinity and -Infinity that XGBoost writes (until 3.0.0 the threshold of a
/// categorical split is NaN). \throws Error(kModel) with the position for anything else.
Value ParseJson(Span<char const> text);

/// Appends `text`, escaped for a JSON string, without quotes. Bytes that are not UTF-8 become the replacement
/// character, because JSON text must not contain them.
void AppendEscaped(std::string_view text, std::string* out);

/// Appends a document to a string. The caller passes keys in ascending order and closes every object and array.
class JsonWriter {
 public:
  static constexpr std::size_t kBytesPerNode = 100;  ///< approximate, per node of a tree; for Reserve

  void Reserve(std::size_t bytes) { out_.reserve(bytes); }
  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  /// Begins an array; its `size` values follow.
  void BeginArray(std::size_t /*size*/) { Open('['); }
  void EndArray() { Close(']'); }
  void Key(std::string_view key);
  void String(std::string_view text);
  void Integer(std::int64_t value);
  void Float(float value);
  void Boolean(bool value) { Word(value ? "true" : "false"); }
  void Null() { Word("null"); }

  void Numbers(Span<float const> values) { WriteNumbers(values, kFloatTextBytes, &WriteFloat); }
  /// \tparam T an integer.
  template <typename T>
  void Numbers(Span<T const> values) {
    WriteNumbers(values, kIntegerTextBytes, [](T value, char* out) {
      return std::to_chars(out, out + kIntegerTextBytes, static_cast<std::int64_t>(value)).ptr;
    });
  }

  std::string Take() { return std::move(out_); }

 private:
  static constexpr std::size_t kIntegerTextBytes = 20;

  void Separate();
  void Open(char bracket);
  void Close(char bracket);
  void Quote(std::string_view text);
  void Word(std::string_view word);

  template <typename T, typename Write>
  void WriteNumbers(Span<T const> values, std::size_t longest, Write const& write) {
    Separate();
    auto const begin = out_.size();
    out_.resize(begin + 2 + values.size() * (longest + 1));
    auto* end = &out_[begin];
    *end++ = '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) *end++ = ',';
      end = write(values[i], end);
    }
    *end++ = ']';
    out_.resize(end - out_.data());
    first_ = false;
  }

  std::string out_;
  bool first_ = true;  ///< the innermost object or array is empty, or a key's value is next
};

}  // namespace kauri::model_io
