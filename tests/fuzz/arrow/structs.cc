#include "arrow/structs.h"

#include <algorithm>
#include <cstring>

#include "support/require.h"

namespace kauri::fuzz {
namespace {

char const* const kFormats[] = {"g", "f", "l", "i", "c", "C", "s",     "S", "I",
                                "L", "b", "e", "u", "n", "",  nullptr, "U", "vu"};
char const* const kCodeFormats[] = {"c", "i", "C", "l", "S", "L", "g", "b"};
char const* const kDictionaryFormats[] = {"u", "U", "vu", "l", "c", "C", "g", nullptr};
char const* const kNames[] = {"a", "b", "a", "", nullptr, "\xff", "\"", "d"};

bool IsText(char const* format) {
  return format != nullptr && (format[0] == 'u' || format[0] == 'U' || format[0] == 'v');
}

/// Returns the bits of an element; 0 for types without a fixed size.
std::size_t BitsOf(char const* format) {
  if (format == nullptr || format[0] == '\0') return 0;
  switch (format[0]) {
    case 'b':
      return 1;
    case 'c':
    case 'C':
      return 8;
    case 's':
    case 'S':
    case 'e':
      return 16;
    case 'i':
    case 'I':
    case 'f':
    case 'u':
      return 32;
    default:
      return 64;
  }
}

template <typename T>
void CountRelease(T* object) {
  ++*static_cast<int*>(object->private_data);
  object->release = nullptr;
}

template <typename T>
T** PointersTo(std::uint8_t* memory) {
  return reinterpret_cast<T**>(memory);
}

}  // namespace

ArrowFactory::ArrowFactory(Bytes* bytes) : bytes_(*bytes) {
  for (auto n = bytes_.Below(4); n > 0; --n) {
    auto const is_categorical = bytes_.Below(3) == 0;
    auto const* format = is_categorical ? bytes_.Of(kCodeFormats) : bytes_.Of(kFormats);
    auto const* name = bytes_.Of(kNames);
    columns_.push_back({format, name, is_categorical ? bytes_.Of(kDictionaryFormats) : nullptr});
    if (is_categorical && columns_.back().dictionary == nullptr) columns_.back().dictionary = "";
  }
}

template <typename T>
void ArrowFactory::SetRelease(T* object) {
  if (IsFault(64)) return;
  releases_.push_back(0);
  object->private_data = &releases_.back();
  object->release = CountRelease<T>;
}

std::uint8_t* ArrowFactory::Memory(std::size_t n_bytes) {
  memory_.push_back(std::make_unique<std::uint8_t[]>(n_bytes));
  auto* const memory = memory_.back().get();
  auto const form = bytes_.Next();
  for (std::size_t i = 0; i < n_bytes; ++i) memory[i] = static_cast<std::uint8_t>(form * (i + 1) * 7 / 4 % 256);
  if (form % 2 == 0) std::fill(memory, memory + n_bytes, static_cast<std::uint8_t>(form / 2 % 4));
  return memory;
}

ArrowSchema* ArrowFactory::SchemaOf(Column const& column) {
  schemas_.emplace_back();
  auto* const schema = &schemas_.back();
  schema->format = column.format;
  schema->name = column.name;
  if (column.dictionary != nullptr) {
    schema->dictionary = SchemaOf({column.dictionary[0] == '\0' ? nullptr : column.dictionary, "", nullptr});
  }
  return schema;
}

ArrowSchema ArrowFactory::MakeSchema() {
  ArrowSchema schema{};
  schema.format = IsFault(32) ? "g" : "+s";
  auto const n = columns_.size() + (IsFault(32) ? 1 : 0);
  auto** children = PointersTo<ArrowSchema>(Memory(n * sizeof(void*)));
  for (std::size_t i = 0; i < n; ++i) children[i] = i < columns_.size() ? SchemaOf(columns_[i]) : nullptr;
  schema.children = IsFault(64) ? nullptr : children;
  schema.n_children = IsFault(64) ? -1 : static_cast<std::int64_t>(n);
  SetRelease(&schema);
  return schema;
}

ArrowArray* ArrowFactory::Array(std::int64_t length, std::int64_t n_buffers) {
  arrays_.emplace_back();
  auto* const array = &arrays_.back();
  array->length = IsFault(64) ? -1 : length;
  array->offset = bytes_.Below(4) == 3 ? bytes_.Below(20) : 0;
  if (IsFault(64)) array->offset = -1;
  array->n_buffers = IsFault(32) ? bytes_.Below(3) : n_buffers;
  auto const n = static_cast<std::size_t>(array->n_buffers);
  auto** buffers = PointersTo<void const>(Memory(n * sizeof(void*)));
  std::fill(buffers, buffers + n, nullptr);
  array->buffers = IsFault(64) ? nullptr : buffers;
  auto const bits = static_cast<std::size_t>(std::max<std::int64_t>(0, array->offset + array->length));
  if (array->buffers == nullptr || n == 0) return array;
  std::int64_t const null_counts[] = {0, -1, 1, length, -5};
  array->null_count = bytes_.Of(null_counts);
  if (array->null_count != 0 && !IsFault(16)) buffers[0] = Memory((bits + 7) / 8);
  return array;
}

ArrowArray* ArrowFactory::NumbersOf(char const* format, std::int64_t length) {
  auto* const array = Array(length, 2);
  auto const n = static_cast<std::size_t>(std::max<std::int64_t>(0, array->offset + array->length));
  if (array->buffers == nullptr || array->n_buffers < 2 || IsFault(32)) return array;
  array->buffers[1] = Memory((n * BitsOf(format) + 7) / 8);
  return array;
}

/// Fills offsets that usually ascend, into bytes that reach as far as the largest.
void ArrowFactory::FillOffsets(ArrowArray* array, bool wide) {
  auto const n = static_cast<std::size_t>(std::max<std::int64_t>(0, array->offset + array->length)) + 1;
  auto* const memory = Memory(n * (wide ? 8 : 4));
  std::int64_t at = 0;
  std::int64_t end = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (wide) std::memcpy(memory + i * 8, &at, 8);
    if (!wide) std::memcpy(memory + i * 4, &at, 4);
    end = std::max(end, at);
    at += IsFault(32) ? -1 : static_cast<std::int64_t>(bytes_.Below(4));
  }
  array->buffers[1] = memory;
  array->buffers[2] = IsFault(32) ? nullptr : Memory(static_cast<std::size_t>(end));
}

/// Fills texts within their views, or in the single buffer beside them.
void ArrowFactory::FillViews(ArrowArray* array) {
  constexpr std::int32_t kData = 40;
  auto const n = static_cast<std::size_t>(std::max<std::int64_t>(0, array->offset + array->length));
  auto* const views = Memory(n * 16);
  for (std::size_t i = 0; i < n; ++i) {
    auto const far = bytes_.Below(3) == 0;
    std::int32_t const length = far ? 13 + static_cast<std::int32_t>(bytes_.Below(8)) : IsFault(32) ? -1 : i % 13;
    std::memcpy(views + i * 16, &length, 4);
    if (!far) continue;
    std::int32_t const place[] = {IsFault(16) ? 1 : 0, static_cast<std::int32_t>(bytes_.Below(kData - 20))};
    std::memcpy(views + i * 16 + 8, place, 8);
  }
  array->buffers[1] = views;
  array->buffers[2] = IsFault(32) ? nullptr : Memory(kData);
  if (array->n_buffers < 4) return;
  auto* const sizes = Memory(8);
  std::int64_t const size = kData;
  std::memcpy(sizes, &size, 8);
  array->buffers[3] = sizes;
}

ArrowArray* ArrowFactory::TextsOf(char const* format, std::int64_t length) {
  auto const is_view = format[0] == 'v';
  auto* const array = Array(length, is_view ? 4 : 3);
  if (array->buffers == nullptr || array->n_buffers < 3) return array;
  if (is_view) {
    FillViews(array);
  } else {
    FillOffsets(array, format[0] == 'U');
  }
  return array;
}

ArrowArray* ArrowFactory::DictionaryOf(char const* format) {
  if (IsFault(64)) return nullptr;
  auto const length = bytes_.Below(6);
  return IsText(format) ? TextsOf(format, length) : NumbersOf(format, length);
}

ArrowArray ArrowFactory::MakeBatch() {
  ArrowArray batch{};
  batch.length = bytes_.Below(16);
  if (columns_.empty() && IsFault(8)) batch.length = std::int64_t{1} << (bytes_.Below(64));
  if (IsFault(16)) batch.offset = bytes_.Below(5);
  batch.n_buffers = 1;
  batch.buffers = PointersTo<void const>(Memory(sizeof(void*)));
  batch.buffers[0] = nullptr;
  auto const n = columns_.size();
  auto** children = PointersTo<ArrowArray>(Memory(n * sizeof(void*)));
  for (std::size_t i = 0; i < n; ++i) {
    auto const length = batch.offset + batch.length - (IsFault(32) ? 1 : 0);
    auto const* const format = columns_[i].format;
    auto const is_text = IsText(format) && !IsFault(16);
    children[i] = IsFault(64) ? nullptr : is_text ? TextsOf(format, length) : NumbersOf(format, length);
    if (children[i] == nullptr || columns_[i].dictionary == nullptr) continue;
    children[i]->dictionary = DictionaryOf(columns_[i].dictionary);
  }
  batch.children = IsFault(64) ? nullptr : children;
  batch.n_children = static_cast<std::int64_t>(n) - (n > 0 && IsFault(64) ? 1 : 0);
  SetRelease(&batch);
  return batch;
}

void ArrowFactory::RequireReleased() const {
  for (auto const count : releases_) Require(count == 1, "a struct is released once");
}

}  // namespace kauri::fuzz
