/// \file JSON from outside: configurations and descriptions of arrays; and small texts of it, for the outside.
///
/// Documents are as large as the caller makes them, so memory may end at any place in here. nlohmann's documents take
/// memory for their own destruction, and a destructor that cannot have it ends the process: a JsonDocument takes none.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kauri/error.h"

namespace kauri {

/// Levels of lists and objects that a text may have. Whatever copies or prints a document takes stack for each of them.
constexpr std::size_t kMaxJsonDepth = 64;

/// A document to read. Copies of its lists and objects do not have what it has.
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

/// The document, discarded (Root().is_discarded()) where `text` is no JSON. \throws Error(`kind`) for more than
/// kMaxJsonDepth.
JsonDocument ParseJsonText(std::string const& text, ErrorKind kind);

/// The member, or a null.
nlohmann::json const& JsonMember(nlohmann::json const& object, char const* name);

/// The text as a string of JSON. Bytes that are no UTF-8 are replaced.
std::string JsonQuoted(std::string const& text);
/// An object of JSON texts, each the value of a member.
std::string JsonObject(std::map<std::string, std::string> const& members);
/// An array of JSON texts.
std::string JsonArray(std::vector<std::string> const& elements);

}  // namespace kauri
