/// Files that cannot be written, end too soon or are not files.
#include "sequence/files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "sequence/world.h"

namespace kauri::fuzz {
namespace {

namespace fs = std::filesystem;

/// A temporary folder, removed at the end of the process.
class Folder {
 public:
  Folder() : path_((fs::temp_directory_path() / "kauri-fuzz-XXXXXX").string()) {
    Require(mkdtemp(path_.data()) != nullptr, "a folder can be made");
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string const& Path() {
    if (!is_used_) Fill();
    return path_;
  }
  void Clear() {
    if (!is_used_) return;
    for (auto const& entry : fs::directory_iterator(path_)) {
      Require(entry.path().filename().string().find(".new-") == std::string::npos, "no unfinished file is left behind");
      fs::remove(entry.path());
    }
    is_used_ = false;
  }

 private:
  void Fill() {
    fs::create_symlink("/dev/full", path_ + "/full.json");
    fs::create_symlink("/dev/zero", path_ + "/endless.ubj");
    fs::create_symlink(path_ + "/nothing.ubj", path_ + "/dangling.ubj");
    is_used_ = true;
  }

  std::string path_;
  bool is_used_ = false;
};

Folder& TheFolder() {
  static Folder folder;
  return folder;
}

/// Limits the size of this process's files to a number of bytes, like a full disk.
class FileLimit {
 public:
  explicit FileLimit(rlim_t n_bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit const limit{n_bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileLimit(FileLimit const&) = delete;
  FileLimit& operator=(FileLimit const&) = delete;

 private:
  rlimit before_{};
};

/// The reading end of a pipe that holds a text and nothing after it.
class FullPipe {
 public:
  explicit FullPipe(std::string const& text) {
    constexpr std::size_t kCapacity = 32768;
    int ends[2];
    Require(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0, "a pipe can be made");
    auto const written = write(ends[1], text.data(), text.size() < kCapacity ? text.size() : kCapacity);
    Require(written >= 0 || text.empty(), "a pipe can be filled");
    close(ends[1]);
    end_ = ends[0];
  }
  ~FullPipe() { close(end_); }
  FullPipe(FullPipe const&) = delete;
  FullPipe& operator=(FullPipe const&) = delete;
  std::string Path() const { return "/proc/self/fd/" + std::to_string(end_); }

 private:
  int end_;
};

constexpr rlim_t kNoLimit = RLIM_INFINITY;

std::string LongName() { return std::string(300, 'a') + ".json"; }

}  // namespace

std::string TemporaryFile(std::string const& name) { return TheFolder().Path() + "/" + name; }

void ClearTemporaryFiles() { TheFolder().Clear(); }

void SaveFile(World* world) {
  auto& bytes = world->Input();
  auto* const booster = world->Booster();
  std::string const names[] = {"model.json", "model.ubj",     "full.json", "none/model.json", LongName(),
                               "",           "model.unknown", "model.ubj", "dangling.ubj"};
  auto const path = TemporaryFile(bytes.Of(names));
  auto const form = bytes.Next();
  FileLimit const limit(form < 128 ? kNoLimit : static_cast<rlim_t>(form - 128) * 16);
  world->Change(booster, [&] { return XGBoosterSaveModel(booster, path.c_str()); });
}

void LoadFile(World* world) {
  auto& bytes = world->Input();
  auto* const booster = world->Booster();
  std::string const names[] = {"model.json", "model.ubj", "model.json", "none/model.json", LongName(),
                               "",           "model.ubj", "matrix.bin", "dangling.ubj"};
  auto const form = bytes.Next();
  if (form % 4 == 0) {
    FullPipe const pipe(world->Text());
    auto const path = pipe.Path();
    world->Change(booster, [&] { return XGBoosterLoadModel(booster, path.c_str()); });
    return;
  }
  // A file without an end is read until it is too large, which takes a while, so it is rare.
  auto const path = TemporaryFile(form == 1 ? "endless.ubj" : bytes.Of(names));
  if (form % 4 == 1) static_cast<void>(truncate(path.c_str(), static_cast<off_t>(form / 4) * 16) == 0);
  world->Change(booster, [&] { return XGBoosterLoadModel(booster, path.c_str()); });
}

}  // namespace kauri::fuzz
