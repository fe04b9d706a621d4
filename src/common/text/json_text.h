/// \file Parses JSON from callers (configurations and descriptions of arrays) and writes small JSON texts.
///
/// Documents are as large as the caller makes them, so memory may end at any place in here. nlohmann's documents
/// allocate memory in their destructors, and a failure to get it there ends the process. The destructor of a
/// JsonDocument allocates none.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kauri/error.h"

namespace kauri {

/// Maximum depth of lists and objects in a text. Code that copies or prints a document needs stack space for each
/// level.
constexpr std::size_t kMaxJsonDepth = 64;

/// A document to read. Copies of its lists and objects do not have this safe destructor.
class JsonDocument {
 public:
  JsonDocument() = default;
  JsonDocument(JsonDocument&& other) noexcept : root_(std::move(other.root_)) {}
  ~JsonDocument();
  JsonDocument(JsonDocument const&) = delete;
  JsonDocument& operator=(JsonDocument const&) = delete;
  JsonDocument& operator=(JsonDocument&&) = delete;

  nlohmann::json const& Root() const { return root_; }

 private:
  friend JsonDocument ParseJsonText(std::string const& text, ErrorKind kind);

  nlohmann::json root_;
};

/// Parses `text`; the document is discarded (Root().is_discarded()) if `text` is not JSON. \throws Error(`kind`) for
/// more than kMaxJsonDepth levels.
JsonDocument ParseJsonText(std::string const& text, ErrorKind kind);

/// Returns the member, or a null if there is none.
nlohmann::json const& JsonMember(nlohmann::json const& object, char const* name);

/// Returns the text as a string of JSON. Bytes that are not UTF-8 are replaced.
std::string JsonQuoted(std::string const& text);
/// Returns an object of JSON texts, each the value of a member.
std::string JsonObject(std::map<std::string, std::string> const& members);
/// Returns an array of JSON texts.
std::string JsonArray(std::vector<std::string> const& elements);

}  // namespace kauri
