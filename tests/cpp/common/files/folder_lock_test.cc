#include "common/files/folder_lock.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>

#include "common/platform/process.h"
#include "kauri/error.h"
#include "support/posix.h"

namespace kauri {
namespace {

namespace fs = std::filesystem;

class FolderLockTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto const* name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::path(::testing::TempDir()) /
              ("kauri_lock_" + std::string(name) + "_" + std::to_string(platform::ProcessId()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  /// Returns the error of locking the folder; empty if it was free.
  std::string Refusal() const {
    try {
      FolderLock const lock(folder_.string(), "model_dir");
      return "";
    } catch (Error const& error) {
      EXPECT_EQ(error.Kind(), ErrorKind::kIo);
      return error.what();
    }
  }

  fs::path folder_;
};

TEST_F(FolderLockTest, OneAtATime) {
  {
    FolderLock const lock(folder_.string(), "model_dir");
    auto const message = Refusal();
    for (auto const& part : {"model_dir='" + folder_.string() + "' is in use by another training (process " +
                                 std::to_string(platform::ProcessId()) + ")",
                             std::string("wait until it ends, or give each training a folder of its own")}) {
      EXPECT_NE(message.find(part), std::string::npos) << message;
    }
  }
  EXPECT_EQ(Refusal(), "");
  EXPECT_TRUE(fs::is_empty(folder_));
}

#if KAURI_TEST_POSIX
TEST_F(FolderLockTest, DiesWithTheProcess) {
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  auto const child = fork();
  if (child == 0) {
    FolderLock const lock(folder_.string(), "model_dir");
    char const done = 'x';
    _exit(write(pipe_ends[1], &done, 1) == 1 && pause() != 0 ? 0 : 1);
  }
  char done = 0;
  ASSERT_EQ(read(pipe_ends[0], &done, 1), 1);
  EXPECT_NE(Refusal().find("(process " + std::to_string(child) + ")"), std::string::npos);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(fs::is_empty(folder_));  // the file remains, the lock does not
  EXPECT_EQ(Refusal(), "");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(FolderLockTest, OfManyAtOnceOneWins) {
  constexpr int kChildren = 8;
  std::array<pid_t, kChildren> children{};
  std::array<int, 2> start{};
  ASSERT_EQ(pipe(start.data()), 0);
  for (auto& child : children) {
    child = fork();
    if (child != 0) continue;
    close(start[1]);
    char nothing = 0;
    auto const ended = read(start[0], &nothing, 1);  // all children start together when the parent closes its end
    std::optional<FolderLock> lock;
    try {
      lock.emplace(folder_.string(), "model_dir");
    } catch (Error const&) {
      _exit(1);
    }
    usleep(500000);
    lock.reset();
    _exit(static_cast<int>(ended));
  }
  close(start[1]);
  int n_winners = 0;
  for (auto const child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    n_winners += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 1 : 0;
  }
  EXPECT_EQ(n_winners, 1);
  EXPECT_TRUE(fs::is_empty(folder_));
}

#endif

TEST_F(FolderLockTest, AFolderThatIsNotThere) {
  folder_ /= "none";
  EXPECT_NE(Refusal().find("Give a folder that exists and can be written to"), std::string::npos);
  folder_ = folder_.parent_path();
}

}  // namespace
}  // namespace kauri
