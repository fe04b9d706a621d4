#include "cuda/collective/device_ranks.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "collective/reduce.h"
#include "common/text/log.h"
#include "cuda/common/buffer.h"
#include "kauri/error.h"

namespace kauri::cuda {
namespace {

constexpr char const* kLibrary = "libnccl.so.2";

class Loader {
 public:
  Nccl Load() {
    handle_ = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) {
      auto const* reason = dlerror();
      found_.problem = reason == nullptr ? std::string(kLibrary) + " is not there" : reason;
      return found_;
    }
    int (*get_version)(int*) = nullptr;
    Find("ncclGetVersion", &get_version);
    Find("ncclGetUniqueId", &found_.get_unique_id);
    Find("ncclCommInitRank", &found_.comm_init_rank);
    Find("ncclAllReduce", &found_.all_reduce);
    Find("ncclCommGetAsyncError", &found_.comm_get_async_error);
    Find("ncclCommAbort", &found_.comm_abort);
    Find("ncclGetErrorString", &found_.get_error_string);
    if (!found_.problem.empty()) return found_;
    if (get_version(&found_.version) != kNcclSuccess || found_.version < kOldestNccl) {
      found_.problem =
          std::string(kLibrary) + " is of version " + std::to_string(found_.version) + ", and 2.4 or newer is needed";
    }
    return found_;
  }

 private:
  template <typename Function>
  void Find(char const* name, Function* function) {
    *function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (*function == nullptr) found_.problem = std::string(kLibrary) + " has no function " + name;
  }

  void* handle_ = nullptr;  // never closed, because communicators may outlive their users
  Nccl found_;
};

using WaitClock = std::chrono::steady_clock;

constexpr std::size_t kMostOnHost = std::size_t{1} << 23U;  // numbers of a call, 64 MiB
/// Most sums take less than this; a sleeping thread wakes late.
constexpr auto kSpinning = std::chrono::milliseconds(2);
constexpr auto kNap = std::chrono::microseconds(50);

/// The description of a rank's device and NCCL.
struct RankDevice {
  std::int32_t nccl_version;  ///< 0: the rank has no NCCL
  std::array<char, 16> uuid;  ///< UUID of the device
};

RankDevice Describe(int device) {
  cudaDeviceProp properties{};
  KAURI_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  RankDevice described{GetNccl().IsThere() ? GetNccl().version : 0, {}};
  std::copy_n(properties.uuid.bytes, described.uuid.size(), described.uuid.begin());
  return described;
}

/// Returns the reason why the ranks cannot use NCCL together; empty if they can.
std::string ProblemOf(std::vector<std::vector<RankDevice>> const& ranks) {
  std::set<std::array<char, 16>> devices;
  for (auto const& rank : ranks) {
    if (rank.size() != 1)
      Fail(ErrorKind::kCollective, "a rank gave the names of ", rank.size(), " devices; expected one device per rank.");
    if (rank[0].nccl_version == 0) {
      auto const& own = GetNccl().problem;
      return own.empty() ? "another rank has no NCCL" : own;
    }
    if (rank[0].nccl_version != ranks[0][0].nccl_version) {
      return "the ranks have NCCL of versions " + std::to_string(ranks[0][0].nccl_version) + " and " +
             std::to_string(rank[0].nccl_version);
    }
    if (!devices.insert(rank[0].uuid).second) return "two ranks are on one device";
  }
  return {};
}

void CheckNccl(int result, char const* call) {
  if (result == kNcclSuccess || result == kNcclInProgress) return;
  Fail(ErrorKind::kCollective, "NCCL: ", call, " failed: ", GetNccl().get_error_string(result),
       ". Another rank may have failed; NCCL_DEBUG=WARN says more.");
}

}  // namespace

Nccl const& GetNccl() {
  static Nccl const kNccl = Loader().Load();
  return kNccl;
}

DeviceRanks::DeviceRanks(int device, std::chrono::milliseconds deadline)
    : device_(device), deadline_(deadline), summed_(device) {}

DeviceRanks::~DeviceRanks() { Leave(); }

void DeviceRanks::Leave() noexcept {
  if (comm_ != nullptr) GetNccl().comm_abort(comm_);  // also ends the waits of other ranks in it
  comm_ = nullptr;
  of_ = nullptr;
}

bool DeviceRanks::IsOf(Context const& ctx) const {
  return of_ == ctx.collective && rank_ == ctx.collective->Rank() && size_ == ctx.collective->Size();
}

void DeviceRanks::Sum(Context const& ctx, CudaContext const& cuda, std::int64_t* values, std::size_t n) {
  if (MaxOverRanks(ctx, IsOf(ctx) ? 0 : 1) != 0) Join(ctx);
  if (comm_ == nullptr) return SumByHost(ctx, cuda, values, n);
  SumByNccl(cuda, values, n);
}

void DeviceRanks::Join(Context const& ctx) {
  Leave();
  auto const problem = ProblemOf(GatherOverRanks<RankDevice>(ctx, {Describe(device_)}));
  if (problem.empty()) {
    MakeCommunicator(ctx);
  } else {
    Log(LogLevel::kInfo, "sums over ranks go through host memory: ", problem);
  }
  of_ = ctx.collective;
  rank_ = ctx.collective->Rank();
  size_ = ctx.collective->Size();
}

void DeviceRanks::MakeCommunicator(Context const& ctx) {
  auto const& nccl = GetNccl();
  std::vector<NcclId> mine;
  if (ctx.collective->Rank() == 0) {
    mine.resize(1);
    CheckNccl(nccl.get_unique_id(mine.data()), "ncclGetUniqueId");
  }
  auto const ids = GatherOverRanks(ctx, mine);
  if (ids[0].size() != 1)
    Fail(ErrorKind::kCollective, "rank 0 sent ", ids[0].size(),
         " NCCL ids; expected one. Run the same version of Kauri on all ranks.");
  CheckNccl(nccl.comm_init_rank(&comm_, ctx.collective->Size(), ids[0][0], ctx.collective->Rank()), "ncclCommInitRank");
}

void DeviceRanks::SumByNccl(CudaContext const& cuda, std::int64_t* values, std::size_t n) {
  auto const& nccl = GetNccl();
  CheckNccl(nccl.all_reduce(values, values, n, kNcclInt64, kNcclSum, comm_, cuda.stream), "ncclAllReduce");
  summed_.Record(cuda);
  WaitForSum();
}

/// Polls with a deadline, because a stream that waits for a lost rank would block the host for ever.
void DeviceRanks::WaitForSum() {
  auto const start = WaitClock::now();
  while (!summed_.IsReached()) {
    auto const waited = WaitClock::now() - start;
    if (waited > deadline_) GiveUp("no answer within the deadline");
    if (waited < kSpinning) continue;
    int error = kNcclSuccess;
    GetNccl().comm_get_async_error(comm_, &error);
    if (error != kNcclSuccess && error != kNcclInProgress) GiveUp(GetNccl().get_error_string(error));
    std::this_thread::sleep_for(kNap);
  }
}

void DeviceRanks::GiveUp(char const* why) {
  auto const rank = rank_;
  Leave();
  Fail(ErrorKind::kCollective, "rank ", rank, " of ", size_, " waited for a sum over the ranks' devices (NCCL): ", why,
       "; another rank has ended or hangs.");
}

void DeviceRanks::SumByHost(Context const& ctx, CudaContext const& cuda, std::int64_t* values, std::size_t n) {
  on_host_.Reserve(std::min(n, kMostOnHost));
  for (std::size_t first = 0; first < n; first += kMostOnHost) {
    auto const some = std::min(kMostOnHost, n - first);
    CopyToHost(cuda, values + first, some, on_host_.data());
    cuda.Synchronize();  // for the numbers, which the other ranks get, and for the previous copy
    SumOverRanks(ctx, Span<std::int64_t>(on_host_.data(), some));
    CopyToDevice(cuda, on_host_.data(), some, values + first);
  }
}

}  // namespace kauri::cuda
