/// \file JSON from outside: configurations and descriptions of arrays.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "kauri/error.h"

namespace kauri {

/// Levels of lists and objects that a text may have. Whatever copies or prints a document takes stack for each of them.
constexpr std::size_t kMaxJsonDepth = 64;

/// The document, discarded (is_discarded()) where `text` is no JSON. \throws Error(`kind`) for more than kMaxJsonDepth.
nlohmann::json ParseJsonText(std::string const& text, ErrorKind kind);

}  // namespace kauri
