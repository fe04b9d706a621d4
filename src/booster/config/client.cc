#include "booster/config/client.h"

#include <charconv>
#include <filesystem>

#include "common/files/read_file.h"
#include "common/platform/library.h"
#include "common/platform/process.h"
#include "kauri/error.h"

namespace kauri {
namespace {

/// Parses "3.4.1" or "3.5.0-dev". \returns false if `text` does not begin with a version.
bool ParseVersion(std::string const& text, std::array<int, 3>* out) {
  std::array<int, 3> version{};
  auto const* next = text.data();
  auto const* const end = next + text.size();
  for (std::size_t i = 0; i < version.size(); ++i) {
    if (i > 0 && (next == end || *next++ != '.')) return false;
    auto const read = std::from_chars(next, end, version[i]);
    if (read.ec != std::errc() || version[i] < 0) return false;
    next = read.ptr;
  }
  *out = version;
  return true;
}

/// Returns the text of the package's file VERSION, or an empty string if it cannot be read.
std::string VersionFileOf(std::filesystem::path const& library) {
  constexpr std::size_t kMostBytes = 1000;
  auto const file = library.parent_path().parent_path() / "VERSION";
  try {
    return ReadFile(FileToRead{file.string(), "version", kMostBytes});
  } catch (Error const&) {
    return {};
  }
}

}  // namespace

Client DescribeClient(std::string const& library, std::string const& otherwise) {
  Client client;
  ParseVersion(KAURI_XGBOOST_VERSION, &client.version);
  ParseVersion(otherwise, &client.version);
  auto const name = std::filesystem::path(library).filename().string();
  if (name.rfind(platform::kLibraryPrefix + std::string("xgboost."), 0) != 0) return client;
  client.habits = Habits::kXgboost;
  ParseVersion(VersionFileOf(library), &client.version);
  return client;
}

Client const& ThisClient() {
  static auto const kClient = [] {
    auto const variable = platform::EnvironmentVariable("KAURI_XGBOOST_VERSION");
    auto const library = platform::LibraryOf(reinterpret_cast<void const*>(&DescribeClient));
    return DescribeClient(library, variable.value_or(""));
  }();
  return kClient;
}

}  // namespace kauri
