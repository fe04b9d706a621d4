/// \file Text from callers, as messages show it. Code that quotes a name, a path, a value or a line of a file uses
/// these functions: a message stays short, valid UTF-8 and on one line for any input.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kauri {

/// Returns the number of bytes of the valid UTF-8 sequence at the start of `text` (RFC 3629: shortest form, no
/// surrogates); 0 if there is none.
std::size_t Utf8Length(std::string_view text);

/// Number of bytes of a text that a message shows.
constexpr std::size_t kShownBytes = 300;

/// Returns `text` in single quotes: at most `shown` of its bytes, then "..." and its size; control characters and bytes
/// that are not UTF-8 become \xNN.
std::string Quoted(std::string_view text, std::size_t shown = kShownBytes);

/// Returns a finished message as it leaves the library. If it is longer than 4 KiB, only the beginning and the end,
/// which contains the cure, are kept. Control characters and bytes that are not UTF-8 become \xNN.
std::string Presentable(std::string_view message);

}  // namespace kauri
