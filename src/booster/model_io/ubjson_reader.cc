#include "booster/model_io/ubjson_reader.h"

#include <limits>
#include <type_traits>

#include "booster/model_io/big_endian.h"

namespace kauri::model_io {
namespace {

/// Rounds to float32; values beyond its range become infinite.
float Narrowed(double value) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  if (value > kLargest) return std::numeric_limits<float>::infinity();
  return value < -kLargest ? -std::numeric_limits<float>::infinity() : static_cast<float>(value);
}

template <typename Kept, typename Stored>
Kept Convert(Stored value) {
  if constexpr (std::is_same_v<Stored, double>) return Narrowed(value);
  return static_cast<Kept>(value);
}

class Parser {
 public:
  explicit Parser(Span<char const> bytes) : bytes_(bytes) {}

  Value Parse() {
    ReadValue(NextByte());
    if (position_ != bytes_.size()) FailHere("has ", bytes_.size() - position_, " bytes after its end");
    return builder_.Take();
  }

 private:
  template <typename... Parts>
  [[noreturn]] void FailHere(Parts const&... parts) const {
    Fail(ErrorKind::kModel, "model: the UBJSON ", parts..., ", at byte ", position_, ", at '", builder_.Path(),
         "'; the file is cut off or damaged");
  }

  char const* Take(std::size_t count) {
    if (count > bytes_.size() - position_) {
      FailHere("declares ", count, " bytes where ", bytes_.size() - position_, " are left");
    }
    auto const* begin = bytes_.data() + position_;
    position_ += count;
    return begin;
  }
  char NextByte() { return *Take(1); }
  /// Skips the next byte if it is `marker`. \returns whether it was.
  bool Skip(char marker) {
    bool const found = position_ < bytes_.size() && bytes_[position_] == marker;
    if (found) ++position_;
    return found;
  }

  template <typename T>
  T ReadScalar() {
    return LoadBigEndian<T>(Take(sizeof(T)));
  }

  /// Reads an integer after its marker. \returns false if `marker` does not mark an integer.
  bool ReadInteger(char marker, std::int64_t* out) {
    switch (marker) {
      case 'i':
        *out = ReadScalar<std::int8_t>();
        return true;
      case 'U':
        *out = ReadScalar<std::uint8_t>();
        return true;
      case 'I':
        *out = ReadScalar<std::int16_t>();
        return true;
      case 'l':
        *out = ReadScalar<std::int32_t>();
        return true;
      case 'L':
        *out = ReadScalar<std::int64_t>();
        return true;
      default:
        return false;
    }
  }

  /// Reads the length of a sequence of items of at least `item_bytes` each, which the remaining bytes must be able to
  /// hold.
  std::size_t ReadLength(std::size_t item_bytes) {
    auto const marker = NextByte();
    std::int64_t length = 0;
    if (!ReadInteger(marker, &length)) FailHere("has the marker ", Shown(marker), " where a length is due");
    auto const fitting = (bytes_.size() - position_) / item_bytes;
    if (length < 0 || static_cast<std::uint64_t>(length) > fitting) {
      FailHere("declares the length ", length, " where ", bytes_.size() - position_, " bytes are left");
    }
    return static_cast<std::size_t>(length);
  }

  std::string ReadText() {
    auto const length = ReadLength(1);
    return {Take(length), length};
  }

  void ReadValue(char marker) {
    std::int64_t integer = 0;
    if (ReadInteger(marker, &integer)) return builder_.Integer(integer);
    switch (marker) {
      case '{':
        return ReadObject();
      case '[':
        return ReadArray();
      case 'S':
        return builder_.String(ReadText());
      case 'd':
        return builder_.Float(ReadScalar<float>());
      case 'D':
        return builder_.Float(Narrowed(ReadScalar<double>()));
      case 'T':
        return builder_.Boolean(true);
      case 'F':
        return builder_.Boolean(false);
      case 'Z':
        return builder_.Null();
      default:
        FailHere("has the unknown marker ", Shown(marker));
    }
  }

  void ReadObject() {
    builder_.BeginObject();
    while (!Skip('}')) {
      builder_.Key(ReadText());
      ReadValue(NextByte());
    }
    builder_.EndObject();
  }

  void ReadArray() {
    if (Skip('$')) return ReadTypedArray();
    builder_.BeginArray();
    if (Skip('#')) {
      auto const length = ReadLength(1);
      for (std::size_t i = 0; i < length; ++i) ReadValue(NextByte());
    } else {
      while (!Skip(']')) ReadValue(NextByte());
    }
    builder_.EndArray();
  }

  void ReadTypedArray() {
    auto const marker = NextByte();
    if (!Skip('#')) FailHere("has a typed array without a length");
    switch (marker) {
      case 'U':
        return ReadItems<std::uint8_t, std::uint8_t>();
      case 'i':
        return ReadItems<std::int8_t, std::int32_t>();
      case 'I':
        return ReadItems<std::int16_t, std::int32_t>();
      case 'l':
        return ReadItems<std::int32_t, std::int32_t>();
      case 'L':
        return ReadItems<std::int64_t, std::int64_t>();
      case 'd':
        return ReadItems<float, float>();
      case 'D':
        return ReadItems<double, float>();
      default:
        FailHere("has a typed array of the unknown marker ", Shown(marker));
    }
  }

  template <typename Stored, typename Kept>
  void ReadItems() {
    auto const length = ReadLength(sizeof(Stored));
    auto const* bytes = Take(length * sizeof(Stored));
    std::vector<Kept> items(length);
    for (std::size_t i = 0; i < length; ++i)
      items[i] = Convert<Kept>(LoadBigEndian<Stored>(bytes + i * sizeof(Stored)));
    if (items.empty()) return builder_.TypedArray({Integers{}});
    builder_.TypedArray({std::move(items)});
  }

  static std::string Shown(char marker) {
    return "'" + Printable(std::string(1, marker)) + "' (" + std::to_string(static_cast<unsigned char>(marker)) + ")";
  }

  Span<char const> bytes_;
  std::size_t position_ = 0;
  DocumentBuilder builder_;
};

}  // namespace

Value ParseUbjson(Span<char const> bytes) { return Parser(bytes).Parse(); }

}  // namespace kauri::model_io
