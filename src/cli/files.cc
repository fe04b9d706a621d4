#include "cli/files.h"

#include <cerrno>
#include <filesystem>
#include <iostream>
#include <utility>

#include "cli/interrupt.h"
#include "cli/report.h"
#include "common/platform/process.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri::cli {
namespace fs = std::filesystem;

void CheckWritable(std::string const& path, std::string const& role) {
  std::error_code error;
  auto const parent = fs::path(path).parent_path();
  if (!parent.empty() && !fs::is_directory(parent, error)) {
    Fail(ErrorKind::kIo, "the folder of the ", role, " ", Quoted(path), " does not exist; make it first.");
  }
  if (fs::is_directory(path, error)) {
    Fail(ErrorKind::kIo, "the ", role, " ", Quoted(path), " is a directory; give a file's path.");
  }
  try {
    RequireWritable(path);
  } catch (Error const& refusal) {
    Fail(refusal.Kind(), "the ", role, ": ", refusal.what());
  }
}

void EndIfNobodyReads() {
  if (platform::HasNoReader(platform::kStandardOutput)) throw Interrupted(platform::kBrokenPipe);
}

OutputFile::OutputFile(std::string path, std::string role) : path_(std::move(path)), role_(std::move(role)) {
  stream_ = &std::cout;
  if (path_ == "stdout") return;
  CheckWritable(path_, role_);
  auto place = FindPlace(path_);
  if (place.is_regular) replacement_ = std::make_unique<ReplacementFile>(std::move(place));
  file_.open(fs::path(replacement_ == nullptr ? path_ : replacement_->Name()), std::ios::binary);
  if (!file_) Refuse("cannot open", errno);
  stream_ = &file_;
}

void OutputFile::Close(std::string const& contents) {
  if (*stream_) errno = 0;  // otherwise the failed write has set errno
  stream_->flush();
  if (file_.is_open()) file_.close();
  if (!*stream_) {
    if (stream_ == &std::cout) EndIfNobodyReads();
    Refuse("cannot write all of", errno);
  }
  if (replacement_ != nullptr) {
    if (auto const error = replacement_->Commit()) Refuse("cannot put in its place", error);
    replacement_.reset();
  }
  SayWritten(contents, path_);
}

void OutputFile::Refuse(char const* what, int error) const {
  Fail(ErrorKind::kIo, what, " the ", role_, " ", Quoted(path_), ": ",
       error == 0 ? std::string("an earlier write failed") : ReasonOf(error), ".");
}

}  // namespace kauri::cli
