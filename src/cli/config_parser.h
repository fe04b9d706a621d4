/// \file Configuration files: `key = value` lines, and the same form as arguments.
///
/// A `#` outside quotes begins a comment. A key or value with blanks at its ends, or with a `#`, is quoted: '..' or
/// "..". Inside quotes only the closing quote is special. Line ends may be LF, CR LF or CR; a UTF-8 byte order mark is
/// skipped. The text is not trusted: anything else is an error that names the line.
#pragma once

#include <string>
#include <vector>

namespace kauri::cli {

struct Setting {
  std::string key;
  std::string value;
  std::string origin;  ///< for error messages: "train.conf:12" or "argument 'eta=0.1'"
  bool is_argument = false;
};

/// Parses settings, in the order of the lines. `name` is the file's name in messages. \throws Error(kParameter):
/// "name:line: what is wrong".
std::vector<Setting> ParseConfig(std::string const& text, std::string const& name);

/// Reads and parses a file. \throws Error(kIo) when the file cannot be read or is larger than 16 MiB.
std::vector<Setting> ReadConfig(std::string const& path);

/// Parses one `key=value` argument; the value is taken literally, since the shell has processed quotes. \throws
/// Error(kParameter) without '=' or key.
Setting ParseArgument(std::string const& argument);

}  // namespace kauri::cli
