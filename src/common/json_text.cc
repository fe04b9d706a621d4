#include "common/json_text.h"

#include <algorithm>

#include "common/quoted.h"

namespace kauri {
namespace {

/// The deepest level of brackets outside of strings: of a valid text what its document has, of another at least what a
/// parser comes to before it stops.
std::size_t Depth(std::string const& text) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  auto in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto const c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

nlohmann::json ParseJsonText(std::string const& text, ErrorKind kind) {
  if (Depth(text) > kMaxJsonDepth) {
    Fail(kind, "JSON nested deeper than ", kMaxJsonDepth, " levels: ", Quoted(text), "; pass what the call documents.");
  }
  return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace kauri
