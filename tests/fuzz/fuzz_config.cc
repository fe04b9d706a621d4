/// \file Configuration files of any bytes. The result must be settings with a name, or one error that names the line.
#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/config_parser.h"
#include "kauri/error.h"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  try {
    auto const text = std::string(reinterpret_cast<char const*>(data), size);
    for (auto const& setting : kauri::cli::ParseConfig(text, "fuzz.conf")) {
      if (setting.key.empty() || setting.origin.rfind("fuzz.conf:", 0) != 0) __builtin_trap();
    }
  } catch (kauri::Error const& error) {
    if (std::string(error.what()).rfind("fuzz.conf:", 0) != 0) __builtin_trap();
  }
  return 0;
}
