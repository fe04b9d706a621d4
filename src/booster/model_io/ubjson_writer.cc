#include "booster/model_io/ubjson_writer.h"

#include <limits>

#include "booster/model_io/big_endian.h"

namespace kauri::model_io {
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
