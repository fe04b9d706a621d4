#include "cli/files.h"

#include <cerrno>
#include <iostream>
#include <utility>
#include <vector>

#include "cli/interrupt.h"
#include "cli/report.h"
#include "common/platform/process.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri::cli {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16U;

/// Returns whether there is a folder at the path.
bool IsFolder(std::string const& path) {
  platform::FileStatus status;
  return platform::GetStatus(path, &status) && status.kind == platform::FileKind::kFolder;
}

/// Writes the text of a stream to a descriptor. What was not flushed at the end is lost.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor), bytes_(kBufferBytes) { BeginAnew(); }

 protected:
  int_type overflow(int_type next) override {
    if (sync() != 0) return traits_type::eof();
    if (traits_type::eq_int_type(next, traits_type::eof())) return traits_type::not_eof(next);
    return sputc(traits_type::to_char_type(next));
  }

  int sync() override {
    for (char const* from = pbase(); from != pptr();) {
      auto const count = platform::WriteTo(descriptor_, from, static_cast<std::size_t>(pptr() - from));
      if (count < 0) return -1;
      from += count;
    }
    BeginAnew();
    return 0;
  }

 private:
  void BeginAnew() { setp(bytes_.data(), bytes_.data() + bytes_.size()); }

  int descriptor_;
  std::vector<char> bytes_;
};

}  // namespace

void CheckWritable(std::string const& path, std::string const& role) {
  auto const slash = path.find_last_of(platform::kPathSeparators);
  if (slash != std::string::npos && !IsFolder(path.substr(0, slash + 1))) {
    Fail(ErrorKind::kIo, "the folder of the ", role, " ", Quoted(path), " does not exist; make it first.");
  }
  if (IsFolder(path)) {
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

OutputFile::OutputFile(std::string path, std::string role)
    : path_(std::move(path)), role_(std::move(role)), stream_(&std::cout) {
  if (path_ == "stdout") return;
  CheckWritable(path_, role_);
  auto place = FindPlace(path_);
  if (place.is_regular) replacement_ = std::make_unique<ReplacementFile>(std::move(place));
  // Windows lets nobody write beyond the lock on a replacement except through its own descriptor.
  if (replacement_ == nullptr) direct_.Replace(platform::OpenFile(path_, platform::OpenMode::kWrite));
  if (replacement_ == nullptr && !direct_.IsOpen()) Refuse("cannot open", errno);
  buffer_ = std::make_unique<DescriptorBuffer>(replacement_ == nullptr ? direct_.Get() : replacement_->Number());
  file_.rdbuf(buffer_.get());
  stream_ = &file_;
}

void OutputFile::Close(std::string const& contents) {
  if (*stream_) errno = 0;  // otherwise the failed write has set errno
  stream_->flush();
  if (!*stream_) {
    if (stream_ == &std::cout) EndIfNobodyReads();
    Refuse("cannot write all of", errno);
  }
  if (auto const error = direct_.IsOpen() ? direct_.Close() : 0) Refuse("cannot write all of", error);
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
