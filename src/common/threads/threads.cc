#include "common/threads/threads.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "common/platform/process.h"

namespace kauri {
namespace {

/// Computes a value at the first call. Threads that call concurrently compute the same value, without a lock that
/// fork() could copy.
template <typename Find>
int Once(std::atomic<int>* known, Find const& find) {
  constexpr int kNothing = -1;  // 0 means not computed yet
  auto value = known->load(std::memory_order_relaxed);
  if (value == 0) {
    auto const found = find();
    value = found > 0 ? found : kNothing;
    known->store(value, std::memory_order_relaxed);
  }
  return std::max(0, value);
}

/// Returns the number of threads that the quota allows; 0 without a quota.
int QuotaThreads() {
  static std::atomic<int> s_known{0};
  return Once(&s_known, [] {
    constexpr double kMost = 1 << 20;
    auto const quota = CpuQuota("");
    return quota > 0 ? static_cast<int>(std::min(kMost, std::ceil(quota))) : 0;
  });
}

int ThreadsInVariable(char const* name) {
  auto const text = platform::EnvironmentVariable(name);
  return ThreadsInText(text ? text->c_str() : nullptr);
}

int AskedFor() {
  static std::atomic<int> s_known{0};
  return Once(&s_known, [] { return ThreadsInVariable("OMP_NUM_THREADS"); });
}

int Limit() {
  static std::atomic<int> s_known{0};
  return Once(&s_known, [] { return ThreadsInVariable("OMP_THREAD_LIMIT"); });
}

}  // namespace

int NumProcessors() {
  auto const quota = QuotaThreads();
  auto const mask = platform::NumAllowedProcessors();
  return quota > 0 ? std::min(quota, mask) : mask;
}

int MaxThreads() {
  constexpr int kPerProcessor = 4;
  constexpr int kAtLeast = 256;
  auto const most = std::max(kAtLeast, kPerProcessor * platform::NumAllowedProcessors());
  return Limit() > 0 ? std::min(Limit(), most) : most;
}

int NumThreadsFor(std::int64_t wanted) {
  if (wanted <= 0) wanted = AskedFor() > 0 ? AskedFor() : NumProcessors();
  return wanted == 1 ? 1 : static_cast<int>(std::min<std::int64_t>(wanted, MaxThreads()));
}

int ThreadsInText(char const* text) {
  if (text == nullptr) return 0;
  char* end = nullptr;
  errno = 0;
  auto const count = std::strtoll(text, &end, 10);
  while (*end == ' ' || *end == '\t') ++end;
  auto const is_count = end != text && errno == 0 && (*end == '\0' || *end == ',');
  if (!is_count || count <= 0) return 0;
  return static_cast<int>(std::min<std::int64_t>(count, std::numeric_limits<int>::max()));
}

namespace {

/// A mounted hierarchy of control groups: the group `group` is the folder `folder`.
struct Mount {
  bool is_version_2;
  std::string group;
  std::string folder;
};

std::vector<std::string> Split(std::string const& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

bool Has(std::vector<std::string> const& parts, std::string const& part) {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

/// Returns the hierarchies with a CPU controller, from lines such as `32 31 0:29 /group /sys/fs/cgroup/cpu rw,relatime
/// - cgroup cgroup rw,cpu`.
std::vector<Mount> Mounts(std::string const& root) {
  std::vector<Mount> mounts;
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    auto const fields = Split(line, ' ');
    auto const dash = static_cast<std::size_t>(std::find(fields.begin(), fields.end(), "-") - fields.begin());
    if (dash < 6 || dash + 3 >= fields.size()) continue;
    auto const is_version_2 = fields[dash + 1] == "cgroup2";
    auto const is_version_1 = fields[dash + 1] == "cgroup" && Has(Split(fields[dash + 3], ','), "cpu");
    if (is_version_2 || is_version_1) mounts.push_back({is_version_2, fields[3], fields[4]});
  }
  return mounts;
}

/// Returns this process's group in a hierarchy, from lines such as `0::/group` (version 2) and `4:cpu,cpuacct:/group`.
std::string GroupOf(Mount const& mount, std::string const& root) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    auto const first = line.find(':');
    auto const second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    auto const controllers = line.substr(first + 1, second - first - 1);
    auto const is_it = mount.is_version_2 ? controllers.empty() : Has(Split(controllers, ','), "cpu");
    if (is_it && line[second + 1] == '/') return line.substr(second + 1);
  }
  return "/";
}

/// Returns quota / period if both exist and are positive ("max" and -1 are no bound), else 0.
double Ratio(std::istream& quota_text, std::istream& period_text) {
  double quota = 0;
  double period = 0;
  return quota_text >> quota && period_text >> period && quota > 0 && period > 0 ? quota / period : 0;
}

double QuotaOf(std::string const& folder, bool is_version_2) {
  if (is_version_2) {
    std::ifstream both(folder + "/cpu.max");
    return Ratio(both, both);
  }
  std::ifstream quota(folder + "/cpu.cfs_quota_us");
  std::ifstream period(folder + "/cpu.cfs_period_us");
  return Ratio(quota, period);
}

/// Returns the part of `group` below the mounted group; empty if it lies elsewhere, as it may inside a container.
std::string Below(std::string const& mounted, std::string const& group) {
  auto const from = mounted == "/" ? 0 : mounted.size();
  auto const is_below = from == 0 || (group + '/').compare(0, from + 1, mounted + '/') == 0;
  return is_below && group != "/" ? group.substr(from) : "";
}

void Lower(double other, double* quota) {
  if (other > 0) *quota = *quota > 0 ? std::min(*quota, other) : other;
}

}  // namespace

double CpuQuota(std::string const& root) {
  double quota = 0;
  for (auto const& mount : Mounts(root)) {
    auto below = Below(mount.group, GroupOf(mount, root));
    while (true) {
      Lower(QuotaOf(root + mount.folder + below, mount.is_version_2), &quota);
      auto const slash = below.rfind('/');
      if (slash == std::string::npos) break;
      below.resize(slash);
    }
  }
  return quota;
}

}  // namespace kauri
