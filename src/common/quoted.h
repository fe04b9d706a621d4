/// \file Text from outside, as messages show it. Whatever quotes a name, a path, a value or a line of a file goes
/// through here: a message stays short, valid UTF-8 and on one line, whatever somebody passes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kauri {

/// The bytes of the valid UTF-8 sequence at the start of `text` (RFC 3629: shortest form, no surrogates); 0 when there
/// is none.
std::size_t Utf8Length(std::string_view text);

/// Bytes of a text that a message shows.
constexpr std::size_t kShownBytes = 300;

/// `text` in single quotes: at most `shown` of its bytes, then "..." and how many there are; control characters and
/// what is not UTF-8 as \xNN.
std::string Quoted(std::string_view text, std::size_t shown = kShownBytes);

/// A finished message as it leaves the library: of more than 4 KiB the beginning and the end, where the cure stands;
/// control characters and what is not UTF-8 as \xNN.
std::string Presentable(std::string_view message);

}  // namespace kauri
