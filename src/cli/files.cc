#include "cli/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "kauri/error.h"

namespace kauri::cli {
namespace fs = std::filesystem;

std::string ReadFile(std::string const& path, std::string const& role, std::size_t max_bytes) {
  std::error_code error;
  if (fs::is_directory(path, error)) Fail(ErrorKind::kIo, "the ", role, " '", path, "' is a directory.");
  std::ifstream file(path, std::ios::binary);
  if (!file) Fail(ErrorKind::kIo, "cannot open the ", role, " '", path, "': ", std::strerror(errno), ".");
  std::string bytes;
  std::string block(std::size_t{1} << 16U, '\0');
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
    bytes.append(block, 0, static_cast<std::size_t>(file.gcount()));
    if (bytes.size() > max_bytes) {
      Fail(ErrorKind::kIo, "the ", role, " '", path, "' is larger than ", max_bytes, " bytes; is it the right file?");
    }
  }
  if (file.bad()) Fail(ErrorKind::kIo, "cannot read the ", role, " '", path, "': ", std::strerror(errno), ".");
  return bytes;
}

void CheckWritable(std::string const& path, std::string const& role) {
  std::error_code error;
  auto const parent = fs::path(path).parent_path();
  if (!parent.empty() && !fs::is_directory(parent, error)) {
    Fail(ErrorKind::kIo, "the folder of the ", role, " '", path, "' does not exist; make it first.");
  }
  if (fs::is_directory(path, error)) {
    Fail(ErrorKind::kIo, "the ", role, " '", path, "' is a directory; give a file's path.");
  }
}

OutputFile::OutputFile(std::string path, std::string role) : path_(std::move(path)), role_(std::move(role)) {
  stream_ = &std::cout;
  if (path_ == "stdout") return;
  CheckWritable(path_, role_);
  std::error_code error;
  if (fs::exists(path_, error) && !fs::is_regular_file(path_, error)) {
    file_.open(path_, std::ios::binary);
  } else {
    OpenBeside();
  }
  if (!file_) Refuse("cannot open");
  stream_ = &file_;
}

OutputFile::~OutputFile() {
  std::error_code error;
  if (!temporary_.empty()) fs::remove(temporary_, error);
}

void OutputFile::OpenBeside() {
  std::error_code error;
  target_ = fs::weakly_canonical(path_, error);
  if (error) target_ = path_;
  auto name = target_;
  name += ".new-" + std::to_string(getpid());
  auto const descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) Refuse("cannot open a file beside");
  close(descriptor);
  temporary_ = name;
  auto const old_file = fs::status(target_, error);
  if (fs::exists(old_file)) fs::permissions(temporary_, old_file.permissions(), error);
  file_.open(temporary_, std::ios::binary);
}

void OutputFile::Close() {
  stream_->flush();
  if (file_.is_open()) file_.close();
  if (!*stream_) Refuse("cannot write all of");
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) Refuse("cannot put in its place");
  temporary_.clear();
}

void OutputFile::Refuse(char const* what) const {
  Fail(ErrorKind::kIo, what, " the ", role_, " '", path_, "': ", std::strerror(errno), ".");
}

}  // namespace kauri::cli
