/// \file A parsed JSON or UBJSON text. Arrays of numbers are kept as typed vectors, so that a document of trees takes
/// about as much memory as the trees, and they can be moved out of it.
///
/// Limits that hold for both formats: nesting of at most kMaxDepth, no key twice in one object, no arrays of mixed
/// kinds.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kauri/error.h"

namespace kauri::model_io {

struct Value;
struct Member;
using Object = std::vector<Member>;  ///< ascending by key
using Array = std::vector<Value>;    ///< strings, objects or arrays
using Integers = std::vector<std::int64_t>;
using Floats = std::vector<float>;

struct Value {
  /// An empty array is an empty Integers. Null inside an array of numbers is NaN, true and false are 1 and 0.
  std::variant<std::monostate, bool, std::int64_t, float, std::string, Object, Array, std::vector<std::uint8_t>,
               std::vector<std::int32_t>, Integers, Floats>
      data;
};

struct Member {
  std::string key;
  Value value;
};

/// Builds a document from the events of a parser. Every method throws Error(kModel) if a limit is exceeded.
class DocumentBuilder {
 public:
  static constexpr std::size_t kMaxDepth = 64;

  void Null();
  void Boolean(bool value);
  void Integer(std::int64_t value);
  void Float(float value);
  void String(std::string value);
  /// Adds a whole array of numbers.
  void TypedArray(Value array);
  void BeginObject();
  void Key(std::string key);
  void EndObject();
  void BeginArray();
  void EndArray();
  /// Moves the document out, once it is complete.
  Value Take();
  std::size_t Depth() const { return frames_.size(); }
  /// Returns the parser's position, such as "learner.gradient_booster.model.trees[3]".
  std::string Path() const;

 private:
  enum class Kind { kObject, kUndecided, kIntegers, kFloats, kValues };
  /// An open object or array.
  struct Frame {
    Kind kind;
    std::string key;  ///< key of the next member
    Object members;
    Array values;
    Integers integers;
    Floats floats;
  };

  void Begin(Kind kind);
  Frame End();
  void Add(Value value);
  void MakeFloats(Frame* frame);
  [[noreturn]] void FailMixed() const;

  std::vector<Frame> frames_;
  Value root_;
};

/// Returns `text` for a message: truncated if it is long, with '?' for each byte that is not printable ASCII.
std::string Printable(std::string const& text);

}  // namespace kauri::model_io
