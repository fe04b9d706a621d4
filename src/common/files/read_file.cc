#include "common/files/read_file.h"

#include <algorithm>
#include <limits>

#include "common/platform/memory.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr int kPatienceMs = 3000;  // waiting time for a writer to a pipe
constexpr int kStepMs = 50;

class Reader {
 public:
  explicit Reader(FileToRead const& wanted)
      : wanted_(wanted), file_(platform::OpenFile(wanted.path, platform::OpenMode::kRead)) {
    if (!file_.IsOpen()) Refuse(ReasonOf(errno) + ". Check the path.");
    if (!platform::GetStatus(file_.Get(), &status_)) Refuse(ReasonOf(errno) + ".");
    if (status_.kind == platform::FileKind::kFolder) Refuse("it is a folder; give the path of a file.");
    CheckSize();
  }

  std::string Read() {
    // One byte more than the known size, so that the end is detected without growing.
    std::string bytes(std::min(std::max<std::size_t>(KnownSize(), 4095), limit_) + 1, '\0');
    std::size_t size = 0;
    while (auto const count = ReadSome(&bytes[size], bytes.size() - size, size == 0)) {
      size += count;
      if (size > limit_) RefuseSize();
      if (size == bytes.size()) bytes.resize(std::min(2 * size, limit_ + 1));
    }
    bytes.resize(size);
    if (bytes.empty() && !wanted_.may_be_empty) Refuse("it is empty.");
    return bytes;
  }

 private:
  std::size_t KnownSize() const {
    return status_.kind == platform::FileKind::kRegular ? static_cast<std::size_t>(status_.n_bytes) : 0;
  }

  void CheckSize() {
    auto const known = KnownSize();
    limit_ = std::min(wanted_.max_bytes, std::max(known, kMostStreamBytes));
    if (known > limit_) RefuseSize();
    if (known < static_cast<std::size_t>(platform::BytesOfMemory())) return;
    Fail(ErrorKind::kMemory, "the ", wanted_.role, " ", Quoted(wanted_.path), " has ", known,
         " bytes, more than the memory of this machine; is it the right file?");
  }

  /// Reads up to `most` bytes. \returns 0 at the end.
  std::size_t ReadSome(char* to, std::size_t most, bool is_first) const {
    for (int waited = 0;;) {
      auto const count = platform::ReadFrom(file_.Get(), to, most);
      if (count > 0) return static_cast<std::size_t>(count);
      // A pipe without a writer yet looks like a pipe at its end.
      auto const nobody_writes = count == 0 && is_first && status_.kind == platform::FileKind::kPipe;
      if (count == 0 && (!nobody_writes || waited >= kPatienceMs)) return 0;
      if (count < 0 && errno != EAGAIN) Refuse(ReasonOf(errno) + ".");
      platform::AwaitInput(file_.Get(), nobody_writes ? kStepMs : -1);
      if (nobody_writes) waited += kStepMs;
    }
  }

  [[noreturn]] void RefuseSize() const {
    Fail(ErrorKind::kIo, "the ", wanted_.role, " ", Quoted(wanted_.path), " is larger than ", limit_,
         " bytes; is it the right file?",
         limit_ == kMostStreamBytes ? " A source without a size (a device, a pipe) may not give more." : "");
  }

  [[noreturn]] void Refuse(std::string const& reason) const {
    Fail(ErrorKind::kIo, "cannot read the ", wanted_.role, " ", Quoted(wanted_.path), ": ", reason);
  }

  FileToRead const& wanted_;
  Descriptor file_;
  platform::FileStatus status_;
  std::size_t limit_ = 0;
};

}  // namespace

std::string ReadFile(FileToRead const& file) { return Reader(file).Read(); }

}  // namespace kauri
