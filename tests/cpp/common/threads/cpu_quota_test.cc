#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "common/threads/threads.h"

namespace kauri {
namespace {

namespace fs = std::filesystem;

/// A simulated machine whose system files are in a temporary folder.
class Quota : public ::testing::Test {
 protected:
  Quota() {
    auto const* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::temp_directory_path() / (std::string("kauri_quota_") + test->name());
    fs::remove_all(root_);
  }
  ~Quota() override { fs::remove_all(root_); }

  void Write(std::string const& path, std::string const& text) const {
    auto const file = root_ / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void MountVersion2(std::string const& group = "/") const {
    Write("proc/self/mountinfo", "22 1 0:20 / /proc rw - proc proc rw\n30 23 0:26 " + group +
                                     " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup rw,nsdelegate\n");
  }
  double Get() const { return CpuQuota(root_.string()); }

 private:
  fs::path root_;
};

TEST_F(Quota, NothingToRead) { EXPECT_EQ(Get(), 0); }

TEST_F(Quota, OfAContainer) {
  MountVersion2();
  Write("proc/self/cgroup", "0::/\n");
  Write("sys/fs/cgroup/cpu.max", "150000 100000\n");
  EXPECT_EQ(Get(), 1.5);
}

TEST_F(Quota, NoBound) {
  MountVersion2();
  Write("proc/self/cgroup", "0::/user.slice\n");
  Write("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
  EXPECT_EQ(Get(), 0);
}

TEST_F(Quota, TheLeastOfAllGroupsAround) {
  MountVersion2();
  Write("proc/self/cgroup", "0::/jobs/batch/one\n");
  Write("sys/fs/cgroup/jobs/batch/one/cpu.max", "800000 100000\n");
  Write("sys/fs/cgroup/jobs/cpu.max", "300000 100000\n");
  Write("sys/fs/cgroup/jobs/batch/cpu.max", "max 100000\n");
  Write("sys/fs/cgroup/other/cpu.max", "100000 100000\n");
  EXPECT_EQ(Get(), 3);
}

/// A mount may show the hierarchy below some group only.
TEST_F(Quota, OfAMountedGroup) {
  MountVersion2("/docker/abc");
  Write("proc/self/cgroup", "0::/docker/abc/inner\n");
  Write("sys/fs/cgroup/inner/cpu.max", "200000 50000\n");
  EXPECT_EQ(Get(), 4);
  Write("proc/self/cgroup", "0::/docker/abcd\n");  // outside the mount: only the mounted part is visible
  Write("sys/fs/cgroup/cpu.max", "25000 50000\n");
  EXPECT_EQ(Get(), 0.5);
}

TEST_F(Quota, Version1) {
  Write("proc/self/mountinfo",
        "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
        "34 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n"
        "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n");
  Write("proc/self/cgroup", "9:cpuset:/wrong\n4:cpu,cpuacct:/system/job\n0::/system/job\n");
  Write("sys/fs/cgroup/cpu,cpuacct/system/job/cpu.cfs_quota_us", "250000\n");
  Write("sys/fs/cgroup/cpu,cpuacct/system/job/cpu.cfs_period_us", "100000\n");
  Write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  Write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Get(), 2.5);
}

TEST_F(Quota, NonsenseIsNoBound) {
  MountVersion2();
  for (char const* const text : {"", "max", "100000", "0 100000", "100000 0", "-5 100000", "a b", "\x01\x02 3"}) {
    Write("proc/self/cgroup", "0::/\n");
    Write("sys/fs/cgroup/cpu.max", text);
    EXPECT_EQ(Get(), 0) << text;
  }
  Write("sys/fs/cgroup/cpu.max", "100000 100000\n");
  for (char const* const text : {"", ":", "0:", "0::", "nonsense\n", "0::relative\n"}) {
    Write("proc/self/cgroup", text);
    EXPECT_EQ(Get(), 1) << text;
  }
}

}  // namespace
}  // namespace kauri
