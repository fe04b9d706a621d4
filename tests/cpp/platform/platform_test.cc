/// \file Tests of src/common/platform on every system, and of the bits of the functions that models are made of. They
/// need little of the library, so that cmake/cross.sh compiles them for another system soon.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "common/math.h"
#include "common/platform/file.h"
#include "common/platform/library.h"
#include "common/platform/memory.h"
#include "common/platform/process.h"
#include "common/platform/thread.h"

namespace kauri::platform {
namespace {

namespace fs = std::filesystem;

/// An empty folder, deleted with all that is in it.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("kauri-platform-" + std::to_string(ProcessId()))) {
    fs::remove_all(path_);
    fs::create_directory(path_);
  }
  ~Folder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;

  std::string Of(char const* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

void Write(std::string const& path, std::string const& text) {
  Descriptor const file(OpenFile(path, OpenMode::kNew));
  ASSERT_TRUE(file.IsOpen()) << ReasonOf(errno);
  ASSERT_EQ(WriteTo(file.Get(), text.data(), text.size()), static_cast<std::ptrdiff_t>(text.size()));
  EXPECT_EQ(SyncFile(file.Get()), 0);
}

std::string Read(int file) {
  std::array<char, 100> text{};
  auto const size = ReadAt(file, text.data(), text.size(), 0);
  return {text.data(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(size, 0))};
}

std::string Read(std::string const& path) {
  Descriptor const file(OpenFile(path, OpenMode::kRead));
  return file.IsOpen() ? Read(file.Get()) : ReasonOf(errno);
}

TEST(PlatformFile, IsWrittenAndReadAsItIs) {
  Folder const folder;
  std::string const text("line\r\nline\n\x1a\0end",
                         16);  // no system may change line ends, or stop at a control character
  Write(folder.Of("a"), text);
  EXPECT_EQ(Read(folder.Of("a")), text);
  EXPECT_EQ(OpenFile(folder.Of("a"), OpenMode::kNew), -1);
  EXPECT_EQ(errno, EEXIST);
  EXPECT_EQ(OpenFile(folder.Of("b"), OpenMode::kRead), -1);
  EXPECT_EQ(errno, ENOENT);
}

TEST(PlatformFile, IsReadFromWhereItStandsAndAtAnOffset) {
  Folder const folder;
  Write(folder.Of("a"), "0123456789");
  Descriptor const file(OpenFile(folder.Of("a"), OpenMode::kRead));
  std::array<char, 4> part{};
  EXPECT_EQ(ReadFrom(file.Get(), part.data(), 2), 2);
  EXPECT_EQ(ReadAt(file.Get(), part.data(), part.size(), 6), 4);
  EXPECT_EQ(std::string(part.data(), part.size()), "6789");
  EXPECT_EQ(ReadAt(file.Get(), part.data(), part.size(), 10), 0);
  EXPECT_EQ(ReadFrom(file.Get(), part.data(), part.size()), 4);  // offsets do not move where the file stands
  EXPECT_EQ(std::string(part.data(), part.size()), "2345");
}

TEST(PlatformFile, HasAStatus) {
  Folder const folder;
  Write(folder.Of("a"), "123");
  FileStatus status;
  ASSERT_TRUE(GetStatus(folder.Of("a"), &status));
  EXPECT_EQ(status.kind, FileKind::kRegular);
  EXPECT_EQ(status.n_bytes, 3U);
  EXPECT_LT(std::abs(status.modified - std::time(nullptr)), 60);
  FileStatus opened;
  Descriptor const file(OpenFile(folder.Of("a"), OpenMode::kRead));
  ASSERT_TRUE(GetStatus(file.Get(), &opened));
  EXPECT_EQ(opened.number, status.number);
  EXPECT_EQ(opened.device, status.device);
  ASSERT_TRUE(GetStatus(folder.Of(""), &status));
  EXPECT_EQ(status.kind, FileKind::kFolder);
  EXPECT_FALSE(GetStatus(folder.Of("b"), &status));
  EXPECT_EQ(errno, ENOENT);
}

TEST(PlatformFile, ReplacesAnother) {
  Folder const folder;
  Write(folder.Of("old"), "old");
  Write(folder.Of("new"), "new");
  EXPECT_EQ(RenameFile(folder.Of("new"), folder.Of("old")), 0);
  EXPECT_EQ(Read(folder.Of("old")), "new");
  EXPECT_FALSE(fs::exists(folder.Of("new")));
  EXPECT_NE(RenameFile(folder.Of("nothing"), folder.Of("old")), 0);
  EXPECT_EQ(Read(folder.Of("old")), "new");
}

TEST(PlatformFile, IsReplacedWhileItIsOpenOrNotAtAll) {
  Folder const folder;
  Write(folder.Of("old"), "old");
  Write(folder.Of("new"), "new");
  Descriptor const reader(OpenFile(folder.Of("old"), OpenMode::kRead));
  auto const is_replaced = RenameFile(folder.Of("new"), folder.Of("old")) == 0;  // not on Windows
  EXPECT_EQ(Read(folder.Of("old")), is_replaced ? "new" : "old");
  EXPECT_EQ(Read(reader.Get()), "old");  // who has it open goes on reading
}

TEST(PlatformFile, IsLockedForOne) {
  Folder const folder;
  Descriptor first(OpenFile(folder.Of("lock"), OpenMode::kLock));
  Descriptor const second(OpenFile(folder.Of("lock"), OpenMode::kLock));
  ASSERT_TRUE(first.IsOpen() && second.IsOpen());
  EXPECT_EQ(TryLock(first.Get()), LockOutcome::kTaken);
  EXPECT_EQ(TryLock(second.Get()), LockOutcome::kHeldByAnother);
  EXPECT_EQ(WriteAt(first.Get(), "owner", 5, 0), 5);
  EXPECT_EQ(Read(second.Get()), "owner");  // the lock keeps nobody from reading
  EXPECT_EQ(EmptyFile(first.Get()), 0);
  EXPECT_EQ(Read(second.Get()), "");
  EXPECT_EQ(first.Close(), 0);
  EXPECT_EQ(TryLock(second.Get()), LockOutcome::kTaken);
}

TEST(PlatformFile, MayHaveNoName) {
  Folder const folder;
  {
    Descriptor const file(OpenFile(folder.Of("pages"), OpenMode::kUnnamed));
    ASSERT_TRUE(file.IsOpen()) << ReasonOf(errno);
    EXPECT_EQ(ReserveSpace(file.Get(), 1000), 0);
    EXPECT_EQ(WriteAt(file.Get(), "later", 5, 10), 5);
    std::array<char, 5> text{};
    EXPECT_EQ(ReadAt(file.Get(), text.data(), text.size(), 10), 5);
    EXPECT_EQ(std::string(text.data(), text.size()), "later");
  }
  EXPECT_FALSE(fs::exists(folder.Of("pages")));
}

/// Returns a path as the standard library takes it, however long it is.
std::string Marked(std::string const& path) {
#ifdef _WIN32
  return "\\\\?\\" + fs::path(path).make_preferred().string();
#else
  return path;
#endif
}

TEST(PlatformFile, MayHaveALongPath) {
  Folder const folder;
  std::vector<std::string> folders{folder.Of("a")};
  for (int i = 0; i < 3; ++i) folders.push_back(folders.back() + "/" + std::string(100, 'd'));
  for (auto const& path : folders) fs::create_directory(Marked(path));
  auto const path = folders.back() + "/file";
  Write(path, "text");
  EXPECT_EQ(Read(path), "text");
  FileStatus status;
  EXPECT_FALSE(GetStatus(path + ".weight", &status));
#ifdef _WIN32
  EXPECT_TRUE(GetStatus(Marked(path), &status));
  for (auto const* mark : {"\\\\.\\", "//?/", "//./"}) EXPECT_TRUE(GetStatus(mark + path, &status)) << mark;
#endif
  EXPECT_EQ(RenameFile(path, path + "2"), 0);
  EXPECT_EQ(Read(path + "2"), "text");
  RemoveFile(path + "2");
  std::reverse(folders.begin(), folders.end());
  for (auto const& each : folders) EXPECT_TRUE(fs::remove(Marked(each)));
}

TEST(PlatformFile, IsDeletedWhileItIsOpen) {
  Folder const folder;
  Write(folder.Of("a"), "text");
  {
    Descriptor const file(OpenFile(folder.Of("a"), OpenMode::kRead));
    RemoveFile(folder.Of("a"));
    EXPECT_EQ(Read(file.Get()), "text");
  }
  EXPECT_FALSE(fs::exists(folder.Of("a")));
}

TEST(PlatformProcess, KnowsItselfAndItsMachine) {
  EXPECT_GT(ProcessId(), 0);
  EXPECT_FALSE(HasEnded(ProcessId()));
  EXPECT_TRUE(HasEnded(999999996));
  EXPECT_FALSE(HostName().empty());
  EXPECT_GE(NumAllowedProcessors(), 1);
  EXPECT_GT(BytesOfMemory(), std::int64_t{1} << 20U);
}

TEST(PlatformLibrary, SaysWhyItCannotBeLoaded) {
  std::string problem;
  EXPECT_EQ(OpenLibrary("no-such-library", &problem), nullptr);
  EXPECT_FALSE(problem.empty());
  EXPECT_FALSE(IsLibraryLoaded("no-such-library"));
}

#ifndef __APPLE__  // there, the system lists all paths that it tried

TEST(PlatformLibrary, LeavesThePathToTheCaller) {
  Folder const folder;
  auto const path = folder.Of("plugin.so");
  Write(path, "no shared object");
  std::string problem;
  EXPECT_EQ(OpenLibrary(path, &problem), nullptr);
  EXPECT_GT(problem.size(), 10U) << problem;
  EXPECT_EQ(problem.find(path), std::string::npos) << problem;
  EXPECT_EQ(OpenLibrary(folder.Of("nowhere.so"), &problem), nullptr);
  EXPECT_EQ(problem.find(folder.Of("nowhere.so")), std::string::npos) << problem;
}

#endif

TEST(PlatformThread, KeepsItsOwnPointer) {
  static std::atomic<int> n_destroyed{0};
  static ThreadPointer pointer([](void*) { ++n_destroyed; });
  int value = 0;
  EXPECT_EQ(pointer.Get(), nullptr);
  std::thread other([&] {
    EXPECT_EQ(pointer.Get(), nullptr);
    EXPECT_TRUE(pointer.Set(&value));
    EXPECT_EQ(pointer.Get(), &value);
  });
  other.join();
  EXPECT_EQ(n_destroyed, 1);
  EXPECT_EQ(pointer.Get(), nullptr);
}

/// The words by which two threads speak to each other.
struct Conversation {
  FutexWord asked{0};
  FutexWord answered{0};
};

void* Answer(void* argument) {
  auto* const conversation = static_cast<Conversation*>(argument);
  NameThisThread("kauri");
  while (conversation->asked.load() == 0) FutexWait(&conversation->asked, 0);
  std::array<char, std::size_t{2} << 20U> large;  // fits on the stack
  std::fill(large.begin(), large.end(), '\1');
  conversation->answered.store(static_cast<std::uint64_t>(large[large.size() / 2]));
  FutexWakeAll(&conversation->answered);
  return nullptr;
}

TEST(PlatformThread, WaitsAndIsWoken) {
  static Conversation conversation;
  ASSERT_TRUE(StartThread(Answer, &conversation));
  conversation.asked.store(1);
  FutexWake(&conversation.asked);
  while (conversation.answered.load() == 0) FutexWait(&conversation.answered, 0);
  EXPECT_EQ(conversation.answered.load(), 1U);
}

/// Returns a checksum (FNV-1a) of the bits of a function at many arguments.
template <typename Function>
std::uint64_t ChecksumOf(Function const& function) {
  std::uint64_t sum = 0xcbf29ce484222325ULL;
  for (int i = 0; i < 200000; ++i) {
    auto const bits = kauri::detail::DoubleToBits(function(i));
    for (unsigned shift = 0; shift < 64; shift += 8) sum = (sum ^ ((bits >> shift) & 0xFFU)) * 0x100000001b3ULL;
  }
  return sum;
}

TEST(PlatformNumbers, HaveTheSameBitsEverywhere) {
  EXPECT_EQ(ChecksumOf([](int i) { return Exp((i - 100000) * 0.007); }), 14708306196788583451U);
  EXPECT_EQ(ChecksumOf([](int i) { return Log((i + 1) * 0.37); }), 2315574520488177186U);
}

}  // namespace
}  // namespace kauri::platform
