#include "data/bins/page_file.h"

#include <atomic>
#include <cerrno>
#include <filesystem>

#include "common/platform/file.h"
#include "common/platform/process.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri {
namespace {

[[noreturn]] void FailToWrite(std::string const& place, std::int64_t n_bytes, int error) {
  bool const is_full = platform::IsOutOfSpace(error);
  Fail(ErrorKind::kIo, "cannot write the page file ", Quoted(place), " (", n_bytes, " bytes): ", ReasonOf(error), ". ",
       is_full ? "Free space there, or set cache_prefix to a place with enough space." : "Check the disk.");
}

std::string PrefixOrTemporary(std::string const& prefix) {
  if (!prefix.empty()) return prefix;
  std::error_code error;
  auto const folder = std::filesystem::temp_directory_path(error);
  return ((error ? std::filesystem::path(".") : folder) / "kauri").string();
}

/// Opens a new file; *path becomes its name. \returns a descriptor or -1 with errno set.
int OpenNew(std::string const& prefix, std::string* path) {
  constexpr int kTries = 1000;
  static std::atomic<int> next{0};
  for (int i = 0; i < kTries; ++i) {
    *path = prefix + ".pages-" + std::to_string(platform::ProcessId()) + "-" + std::to_string(next++);
    auto const descriptor = platform::OpenFile(*path, platform::OpenMode::kUnnamed);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

}  // namespace

PageFile::PageFile(std::string const& prefix) : descriptor_(OpenNew(PrefixOrTemporary(prefix), &place_)) {
  if (descriptor_ < 0) {
    Fail(ErrorKind::kIo, "cannot make the page file ", Quoted(place_), ": ", ReasonOf(errno),
         ". Set cache_prefix to a path in a folder that exists and can be written to.");
  }
}

PageFile::~PageFile() { platform::CloseFile(descriptor_); }

void PageFile::Reserve(std::int64_t n_bytes) const {
  if (auto const error = platform::ReserveSpace(descriptor_, n_bytes)) FailToWrite(place_, n_bytes, error);
}

void PageFile::Write(std::int64_t offset, Span<char const> bytes) const {
  auto const n_bytes = static_cast<std::int64_t>(bytes.size());
  while (!bytes.empty()) {
    auto const written = platform::WriteAt(descriptor_, bytes.data(), bytes.size(), offset);
    if (written < 0) FailToWrite(place_, n_bytes, errno);
    offset += written;
    auto const done = static_cast<std::size_t>(written);
    bytes = bytes.subspan(done, bytes.size() - done);
  }
}

void PageFile::Read(std::int64_t offset, Span<char> bytes) const {
  while (!bytes.empty()) {
    auto const got = platform::ReadAt(descriptor_, bytes.data(), bytes.size(), offset);
    if (got <= 0) {
      Fail(ErrorKind::kIo, "cannot read ", bytes.size(), " bytes at ", offset, " of the page file ", Quoted(place_),
           ": ", got == 0 ? std::string("it ends before") : ReasonOf(errno), ". Check the disk.");
    }
    offset += got;
    auto const done = static_cast<std::size_t>(got);
    bytes = bytes.subspan(done, bytes.size() - done);
  }
}

}  // namespace kauri
