#include "common/files/read_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>

#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr int kPatienceMs = 3000;  // waiting time for a writer to a pipe
constexpr int kStepMs = 50;

class Reader {
 public:
  /// O_NONBLOCK: opening a pipe without a writer would otherwise wait for ever. It has no effect on regular files.
  explicit Reader(FileToRead const& wanted)
      : wanted_(wanted), file_(open(wanted.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (!file_.IsOpen()) Refuse(ReasonOf(errno) + ". Check the path.");
    if (fstat(file_.Get(), &status_) != 0) Refuse(ReasonOf(errno) + ".");
    if (S_ISDIR(status_.st_mode)) Refuse("it is a folder; give the path of a file.");
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
  std::size_t KnownSize() const { return S_ISREG(status_.st_mode) ? static_cast<std::size_t>(status_.st_size) : 0; }

  void CheckSize() {
    auto const known = KnownSize();
    limit_ = std::min(wanted_.max_bytes, std::max(known, kMostStreamBytes));
    if (known > limit_) RefuseSize();
    auto const pages = static_cast<std::size_t>(std::max(sysconf(_SC_PHYS_PAGES), 1L));
    auto const page_bytes = static_cast<std::size_t>(std::max(sysconf(_SC_PAGESIZE), 1L));
    if (known / page_bytes < pages) return;
    Fail(ErrorKind::kMemory, "the ", wanted_.role, " ", Quoted(wanted_.path), " has ", known,
         " bytes, more than the memory of this machine; is it the right file?");
  }

  /// Reads up to `most` bytes. \returns 0 at the end.
  std::size_t ReadSome(char* to, std::size_t most, bool is_first) const {
    for (int waited = 0;;) {
      auto const count = read(file_.Get(), to, most);
      if (count > 0) return static_cast<std::size_t>(count);
      // A pipe without a writer yet looks like a pipe at its end.
      auto const nobody_writes = count == 0 && is_first && S_ISFIFO(status_.st_mode);
      if (count == 0 && (!nobody_writes || waited >= kPatienceMs)) return 0;
      if (count < 0 && errno != EINTR && errno != EAGAIN) Refuse(ReasonOf(errno) + ".");
      if (count < 0 && errno == EINTR) continue;
      pollfd waiting{file_.Get(), POLLIN, 0};
      poll(&waiting, 1, nobody_writes ? kStepMs : -1);
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
  struct stat status_ {};
  std::size_t limit_ = 0;
};

}  // namespace

std::string ReadFile(FileToRead const& file) { return Reader(file).Read(); }

}  // namespace kauri
