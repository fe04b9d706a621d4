#include "common/files/atomic_file.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

#include "common/platform/process.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr char const* kMark = ".new-";

/// Writes all bytes. \returns 0 or an errno.
int WriteAll(int descriptor, Span<char const> bytes) {
  while (!bytes.empty()) {
    auto const written = platform::WriteTo(descriptor, bytes.data(), bytes.size());
    if (written < 0) return errno;
    auto const count = static_cast<std::size_t>(written);
    bytes = bytes.subspan(count, bytes.size() - count);
  }
  return 0;
}

std::string CureOf(int error) {
  if (platform::IsOutOfSpace(error)) return "Make room or choose another place.";
  if (error == ENAMETOOLONG) return "Give a shorter name.";
  if (error == ELOOP) return "Links lead in a circle; give the path of a file.";
  return "Check the folder and its permissions.";
}

[[noreturn]] void FailToWrite(std::string const& path, std::string const& size, int error) {
  Fail(ErrorKind::kIo, "cannot write ", Quoted(path), size, ": ", ReasonOf(error),
       ". An older file of that name is unchanged. ", CureOf(error));
}

std::string FolderOf(std::string const& path) {
  auto const slash = path.find_last_of(platform::kPathSeparators);
  if (slash == std::string::npos) return ".";
  return path.substr(0, std::max<std::size_t>(slash, 1));
}

/// Reads the target of the link `path`, relative to the current folder. Returns false if `path` is not a link.
bool ReadLink(std::string const& path, std::string* target) {
  std::error_code error;
  auto const said = std::filesystem::read_symlink(path, error);
  if (error) return false;
  *target = said.is_absolute() ? said.string() : FolderOf(path) + "/" + said.string();
  return true;
}

/// Returns the end of a chain of links to a file that does not exist. The system has no call for this.
std::string FollowDangling(std::string const& path) {
  constexpr int kMostLinks = 40;  // the same limit as the system's
  auto end = path;
  for (int i = 0; ReadLink(end, &end); ++i) {
    if (i == kMostLinks) FailToWrite(path, "", ELOOP);
  }
  return end;
}

/// Returns the beginning of a name that leaves room for a mark, in whole characters of UTF-8: not every system has
/// others. A name in another code is cut at the limit.
std::string NameBefore(std::size_t mark_bytes, std::string const& name) {
  constexpr std::size_t kMostFollowing = 3;  // a character of UTF-8 has a first byte and up to three that follow it
  auto const limit = platform::kMostNameBytes - mark_bytes;
  if (limit >= name.size()) return name;
  for (std::size_t n_back = 0; n_back <= kMostFollowing; ++n_back) {
    auto const follows = (static_cast<unsigned char>(name[limit - n_back]) & 0xC0U) == 0x80U;
    if (!follows) return name.substr(0, limit - n_back);
  }
  return name.substr(0, limit);
}

/// Opens a new file beside `path`, its name no longer than names may be; *name becomes its path. \returns a descriptor
/// or -1 with errno set.
int OpenBeside(std::string const& path, std::string* name) {
  constexpr int kTries = 1000;
  auto const name_begin = path.find_last_of(platform::kPathSeparators) + 1;  // 0 without a separator
  for (int i = 0; i < kTries; ++i) {
    auto const mark = kMark + std::to_string(platform::ProcessId()) + "-" + std::to_string(i);
    *name = path.substr(0, name_begin) + NameBefore(mark.size(), path.substr(name_begin)) + mark;
    auto const descriptor = platform::OpenFile(*name, platform::OpenMode::kNew);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

bool IsNumber(std::string const& text) {
  return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
}

/// Returns whether `entry` is the name of a new file for `name`, begun by a process of this machine that has ended.
bool IsOfDeadProcess(std::string const& entry, std::string const& name) {
  auto const mark = entry.rfind(kMark);
  if (mark == std::string::npos) return false;
  auto const numbers = entry.substr(mark + std::strlen(kMark));
  auto const dash = numbers.find('-');
  if (dash == std::string::npos || !IsNumber(numbers.substr(0, dash)) || !IsNumber(numbers.substr(dash + 1)))
    return false;
  if (NameBefore(entry.size() - mark, name) != entry.substr(0, mark)) return false;
  return platform::HasEnded(std::stoi(numbers));
}

/// Deletes new files that killed processes left beside `path`. A writer on another machine of a shared folder holds the
/// lock or, if the file system has no locks across machines, has written within the last minute.
void RemoveStale(std::string const& path) {
  constexpr std::time_t kStaleSeconds = 60;
  auto const folder = FolderOf(path);
  auto const name = path.substr(path.find_last_of(platform::kPathSeparators) + 1);
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    auto const& entry = entries->path();
    platform::FileStatus status;
    if (!IsOfDeadProcess(entry.filename().string(), name)) continue;
    if (!platform::GetEntryStatus(entry.string(), &status) || status.kind != platform::FileKind::kRegular) continue;
    if (std::time(nullptr) - status.modified > kStaleSeconds) RemoveLeftover(entry.string());
  }
}

/// Writes all pieces. \returns 0 or an errno.
int WritePieces(int descriptor, Span<Span<char const> const> pieces) {
  for (auto const& piece : pieces) {
    if (auto const error = WriteAll(descriptor, piece)) return error;
  }
  return 0;
}

std::string TotalSize(Span<Span<char const> const> pieces) {
  std::size_t size = 0;
  for (auto const& piece : pieces) size += piece.size();
  return " (" + std::to_string(size) + " bytes)";
}

void WriteDirectly(std::string const& path, Span<Span<char const> const> pieces) {
  Descriptor const file(platform::OpenFile(path, platform::OpenMode::kWrite));
  auto const error = file.IsOpen() ? WritePieces(file.Get(), pieces) : errno;
  if (error == 0) return;
  Fail(ErrorKind::kIo, "cannot write ", Quoted(path), TotalSize(pieces), ": ", ReasonOf(error), ".");
}

}  // namespace

Place FindPlace(std::string const& path) {
  platform::FileStatus old_file;
  Place place{path};
  place.exists = platform::GetStatus(path, &old_file);
  if (!place.exists && errno != ENOENT) FailToWrite(path, "", errno);
  if (!place.exists) {
    place.path = FollowDangling(path);
    return place;
  }
  if (old_file.kind == platform::FileKind::kFolder) {
    Fail(ErrorKind::kIo, "cannot write ", Quoted(path), ": it is a folder; give the path of a file.");
  }
  place.is_regular = old_file.kind == platform::FileKind::kRegular;
  place.permissions = old_file.permissions;
  if (!place.is_regular) return place;
  std::error_code error;
  auto const resolved = std::filesystem::canonical(path, error);
  if (!error) place.path = resolved.string();
  return place;
}

ReplacementFile::ReplacementFile(Place place) : place_(std::move(place)), file_(OpenBeside(place_.path, &name_)) {
  if (!file_.IsOpen()) FailToWrite(place_.path, "", errno);
  platform::TryLock(file_.Get());  // only a mark, because not every file system has locks
}

ReplacementFile::~ReplacementFile() {
  if (!name_.empty()) platform::RemoveFile(name_);
}

int ReplacementFile::Commit() {
  auto const error = MoveIntoPlace();
  if (error != 0) return error;
  name_.clear();
  platform::SyncFolder(FolderOf(place_.path));
  return 0;
}

int ReplacementFile::MoveIntoPlace() {
  if (place_.exists) {
    if (auto const error = platform::SetPermissions(file_.Get(), place_.permissions)) return error;
  }
  if (auto const error = platform::SyncFile(file_.Get())) return error;
  if (auto const error = file_.Close()) return error;
  return platform::RenameFile(name_, place_.path);
}

bool IsReplacementName(std::string const& name, std::string* whole) {
  auto const end = name.find(kMark);
  if (end == std::string::npos) return false;
  *whole = name.substr(0, end);
  return true;
}

void RemoveLeftover(std::string const& path) {
  Descriptor const file(platform::OpenFile(path, platform::OpenMode::kReadEntry));
  auto const is_alive = file.IsOpen() && platform::TryLock(file.Get()) == platform::LockOutcome::kHeldByAnother;
  if (!is_alive) platform::RemoveFile(path);
}

void RequireWritable(std::string const& path) {
  constexpr std::size_t kTrialBytes = std::size_t{1} << 16U;
  auto const place = FindPlace(path);
  if (!place.is_regular) {
    if (!platform::IsWritable(path)) FailToWrite(path, "", errno);
    return;
  }
  ReplacementFile const trial(place);
  std::string const block(kTrialBytes, '\0');
  auto error = WriteAll(trial.Number(), {block.data(), block.size()});
  if (error == 0) error = platform::SyncFile(trial.Number());
  if (error != 0) FailToWrite(path, "", error);
}

void WriteFileAtomically(std::string const& path, Span<char const> bytes) {
  WriteFileAtomically(path, Span<Span<char const> const>(&bytes, 1));
}

void WriteFileAtomically(std::string const& path, Span<Span<char const> const> pieces) {
  auto place = FindPlace(path);
  if (!place.is_regular) return WriteDirectly(path, pieces);
  RemoveStale(place.path);
  ReplacementFile file(std::move(place));
  auto error = WritePieces(file.Number(), pieces);
  if (error == 0) error = file.Commit();
  if (error != 0) FailToWrite(path, TotalSize(pieces), error);
}

}  // namespace kauri
