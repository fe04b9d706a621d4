/// \file Typed access to the members of an object; every error names the path of the member.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "booster/model_io/document.h"

namespace kauri::model_io {

/// Reads one object of a document. Large arrays are moved out of it. Every method throws Error(kModel) when the member
/// is absent (unless said otherwise), of another type, or out of range.
class ObjectReader {
 public:
  /// path: the object's place in the document, for messages. \throws Error(kModel) unless `value` is an object.
  ObjectReader(Value* value, std::string path);

  bool Has(std::string const& key) const { return Find(key) != nullptr; }
  Value* At(std::string const& key) const;
  Value* Find(std::string const& key) const;  ///< nullptr if absent
  std::string PathOf(std::string const& key) const { return path_.empty() ? key : path_ + "." + key; }
  Object const& Members() const { return *object_; }

  ObjectReader Child(std::string const& key) const { return {At(key), PathOf(key)}; }
  std::string String(std::string const& key) const;
  /// Returns an integer within [lowest, highest], stored as a number or as text.
  std::int64_t IntegerIn(std::string const& key, std::int64_t lowest, std::int64_t highest) const;
  std::map<std::string, std::string> StringMap(std::string const& key) const;
  std::vector<std::string> Strings(std::string const& key) const;
  /// Returns an array whose elements are not numbers; it may be empty.
  Array* Elements(std::string const& key) const;

  std::vector<float> TakeFloats(std::string const& key) const;
  std::vector<std::int64_t> TakeInt64(std::string const& key) const;
  std::vector<std::int32_t> TakeInt32(std::string const& key) const;
  /// Takes an array whose elements are 0 or 1.
  std::vector<std::uint8_t> TakeFlags(std::string const& key) const;

  template <typename... Parts>
  [[noreturn]] void FailAt(std::string const& key, Parts const&... parts) const {
    Fail(ErrorKind::kModel, "model: '", PathOf(key), "' ", parts...);
  }

 private:
  Object* object_;
  std::string path_;
};

/// Parses an integer. \returns false unless all of `text` is one.
bool ParseInteger(std::string const& text, std::int64_t* out);

}  // namespace kauri::model_io
