#include "data/arrays/plain_array.h"

#include <cstdint>
#include <cstring>

namespace kauri {
namespace {

/// The rest of a text. Every step skips blanks and then takes what it expects, or returns false.
class Scanner {
 public:
  explicit Scanner(std::string const& text) : next_(text.c_str()) {}

  bool Take(char wanted) {
    SkipBlanks();
    if (*next_ != wanted) return false;
    ++next_;
    return true;
  }
  bool TakeWord(char const* word) {
    SkipBlanks();
    auto const length = std::strlen(word);
    if (std::strncmp(next_, word, length) != 0) return false;
    next_ += length;
    return true;
  }
  /// Takes an integer below 10^max_digits, without leading zeros.
  bool TakeInteger(int max_digits, std::uint64_t* value) {
    SkipBlanks();
    auto const* first = next_;
    *value = 0;
    for (; *next_ >= '0' && *next_ <= '9'; ++next_) *value = *value * 10 + static_cast<std::uint64_t>(*next_ - '0');
    auto const n_digits = next_ - first;
    return n_digits == 1 || (n_digits > 1 && n_digits <= max_digits && *first != '0');
  }
  bool IsAtEnd() {
    SkipBlanks();
    return *next_ == '\0';
  }

 private:
  void SkipBlanks() {
    while (*next_ == ' ') ++next_;
  }

  char const* next_;
};

struct PlainArray {
  std::uint64_t address = 0;
  std::uint64_t n_rows = 0;
  std::uint64_t n_cols = 0;
};

bool TakeData(Scanner* text, PlainArray* array) {
  constexpr int kAddressDigits = 19;  // numbers below 10^19 fit into 64 bits
  return text->Take('[') && text->TakeInteger(kAddressDigits, &array->address) && text->Take(',') &&
         (text->TakeWord("true") || text->TakeWord("false")) && text->Take(']');
}

bool TakeShape(Scanner* text, PlainArray* array) {
  constexpr int kDigits = 9;  // so that the product of two has fewer than 2^60 bytes
  return text->Take('[') && text->TakeInteger(kDigits, &array->n_rows) && text->Take(',') &&
         text->TakeInteger(kDigits, &array->n_cols) && text->Take(']');
}

bool TakeDescription(Scanner* text) {
  return text->Take('[') && text->Take('[') && text->TakeWord("\"\"") && text->Take(',') && text->TakeWord("\"<f4\"") &&
         text->Take(']') && text->Take(']');
}

/// Takes a key, its colon and its value. `seen` has a bit for each key.
bool TakeMember(Scanner* text, unsigned* seen, PlainArray* array) {
  struct Key {
    char const* name;
    bool (*take)(Scanner*, PlainArray*);
  };
  static constexpr Key kKeys[] = {{"\"data\"", TakeData},
                                  {"\"shape\"", TakeShape},
                                  {"\"typestr\"", [](Scanner* rest, PlainArray*) { return rest->TakeWord("\"<f4\""); }},
                                  {"\"strides\"", [](Scanner* rest, PlainArray*) { return rest->TakeWord("null"); }},
                                  {"\"version\"", [](Scanner* rest, PlainArray*) { return rest->TakeWord("3"); }},
                                  {"\"descr\"", [](Scanner* rest, PlainArray*) { return TakeDescription(rest); }}};
  unsigned bit = 1;
  for (auto const& key : kKeys) {
    if (text->TakeWord(key.name)) {
      if ((*seen & bit) != 0) return false;
      *seen |= bit;
      return text->Take(':') && key.take(text, array);
    }
    bit <<= 1U;
  }
  return false;
}

bool TakeObject(Scanner* text, PlainArray* array) {
  constexpr unsigned kRequired = 7;  // data, shape and typestr
  unsigned seen = 0;
  if (!text->Take('{')) return false;
  do {
    if (!TakeMember(text, &seen, array)) return false;
  } while (text->Take(','));
  return text->Take('}') && text->IsAtEnd() && (seen & kRequired) == kRequired;
}

}  // namespace

bool ParsePlainArray(std::string const& json, ArrayView* array) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "'<' is native");
  if (std::strlen(json.c_str()) != json.size()) return false;
  Scanner text(json);
  PlainArray plain;
  if (!TakeObject(&text, &plain) || plain.address == 0) return false;
  auto const n_bytes = plain.n_rows * plain.n_cols * sizeof(float);
  if (plain.address > UINTPTR_MAX - n_bytes) return false;
  array->data = reinterpret_cast<void const*>(static_cast<std::uintptr_t>(plain.address));
  array->dtype = DType::kF32;
  array->shape = {static_cast<std::int64_t>(plain.n_rows), static_cast<std::int64_t>(plain.n_cols)};
  array->strides = {array->shape[1] * static_cast<std::int64_t>(sizeof(float)), sizeof(float)};
  array->n_dims = 2;
  return true;
}

}  // namespace kauri
