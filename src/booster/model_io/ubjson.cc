#include "booster/model_io/ubjson.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace kauri::model_io {
namespace {

// Numbers in the byte order of UBJSON: the most significant byte first.

namespace detail {

inline std::uint8_t SwapBytes(std::uint8_t bits) { return bits; }
inline std::uint16_t SwapBytes(std::uint16_t bits) { return __builtin_bswap16(bits); }
inline std::uint32_t SwapBytes(std::uint32_t bits) { return __builtin_bswap32(bits); }
inline std::uint64_t SwapBytes(std::uint64_t bits) { return __builtin_bswap64(bits); }

template <typename Bits>
Bits BigEndian(Bits bits) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return SwapBytes(bits);
#else
  return bits;
#endif
}

template <std::size_t kBytes>
struct BitsOfSize;
template <>
struct BitsOfSize<1> {
  using Type = std::uint8_t;
};
template <>
struct BitsOfSize<2> {
  using Type = std::uint16_t;
};
template <>
struct BitsOfSize<4> {
  using Type = std::uint32_t;
};
template <>
struct BitsOfSize<8> {
  using Type = std::uint64_t;
};

}  // namespace detail

/// \tparam T an integer or floating-point type of 1, 2, 4 or 8 bytes; `bytes` need not be aligned.
template <typename T>
T LoadBigEndian(char const* bytes) {
  typename detail::BitsOfSize<sizeof(T)>::Type bits;
  std::memcpy(&bits, bytes, sizeof(bits));
  bits = detail::BigEndian(bits);
  T value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

template <typename T>
void StoreBigEndian(T value, char* out) {
  typename detail::BitsOfSize<sizeof(T)>::Type bits;
  std::memcpy(&bits, &value, sizeof(bits));
  bits = detail::BigEndian(bits);
  std::memcpy(out, &bits, sizeof(bits));
}

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

namespace {

template <typename T>
void AppendScalar(char marker, T value, std::string* out) {
  char bytes[sizeof(T)];
  StoreBigEndian(value, bytes);
  *out += marker;
  out->append(bytes, sizeof(T));
}

template <typename T>
void AppendItems(Span<T const> values, std::string* out) {
  auto const begin = out->size();
  out->resize(begin + values.size() * sizeof(T));
  auto* next = out->data() + begin;
  for (std::size_t i = 0; i < values.size(); ++i) StoreBigEndian(values[i], next + i * sizeof(T));
}

template <typename T>
bool Fits(std::int64_t value) {
  return value > std::numeric_limits<T>::min() && value < std::numeric_limits<T>::max();
}

}  // namespace

void UbjsonWriter::Length(std::size_t length) { AppendScalar('L', static_cast<std::int64_t>(length), &out_); }

void UbjsonWriter::Text(std::string_view text) {
  Length(text.size());
  out_ += text;
}

void UbjsonWriter::BeginArray(std::size_t size) {
  out_ += "[#";
  Length(size);
}

void UbjsonWriter::String(std::string_view text) {
  out_ += 'S';
  Text(text);
}

void UbjsonWriter::Integer(std::int64_t value) {
  if (Fits<std::int8_t>(value)) {
    AppendScalar('i', static_cast<std::int8_t>(value), &out_);
  } else if (Fits<std::int16_t>(value)) {
    AppendScalar('I', static_cast<std::int16_t>(value), &out_);
  } else if (Fits<std::int32_t>(value)) {
    AppendScalar('l', static_cast<std::int32_t>(value), &out_);
  } else {
    AppendScalar('L', value, &out_);
  }
}

void UbjsonWriter::Float(float value) { AppendScalar('d', value, &out_); }

void UbjsonWriter::Numbers(Span<float const> values) {
  out_ += "[$d#";
  Length(values.size());
  AppendItems(values, &out_);
}

void UbjsonWriter::Numbers(Span<std::int8_t const> values) {
  out_ += "[$i#";
  Length(values.size());
  AppendItems(values, &out_);
}

void UbjsonWriter::Numbers(Span<std::int16_t const> values) {
  out_ += "[$I#";
  Length(values.size());
  AppendItems(values, &out_);
}

void UbjsonWriter::Numbers(Span<std::uint8_t const> values) {
  out_ += "[$U#";
  Length(values.size());
  AppendItems(values, &out_);
}

void UbjsonWriter::Numbers(Span<std::int32_t const> values) {
  out_ += "[$l#";
  Length(values.size());
  AppendItems(values, &out_);
}

void UbjsonWriter::Numbers(Span<std::int64_t const> values) {
  out_ += "[$L#";
  Length(values.size());
  AppendItems(values, &out_);
}

}  // namespace kauri::model_io
