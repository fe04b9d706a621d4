/// The collective calls of XGBoost's clients, over the group that the calling thread has joined.
#include <array>
#include <cstddef>
#include <exception>
#include <limits>
#include <string>

#include "c_api/communicator.h"
#include "c_api/guard.h"
#include "c_api/tracker_config.h"
#include "collective/network/elements.h"
#include "common/platform/process.h"
#include "common/text/log.h"
#include "common/threads/per_thread.h"

namespace kauri::c_api {
namespace {

constexpr double kDefaultTimeout = 1800;  // seconds, as in XGBoost
constexpr std::int64_t kDefaultRetries = 3;
constexpr std::int64_t kMostRetries = 1000;

JoinOptions JoinOptionsOf(CommunicatorConfig const& config) {
  JoinOptions options;
  options.tracker = {config.Text("dmlc_tracker_uri", ""), config.Port("dmlc_tracker_port")};
  options.secret = config.Text(kSecretKey, "");
  options.task = config.Text("dmlc_task_id", "");
  options.port = config.Port("dmlc_worker_port");
  options.retries = static_cast<int>(config.Integer("dmlc_retry", kDefaultRetries, 0, kMostRetries));
  auto const timeout = config.Integer("dmlc_timeout", 0, 0, kMostSeconds);
  options.timeout = timeout == 0 ? kDefaultTimeout : static_cast<double>(timeout);
  return options;
}

/// Leaves the thread's group.
void Leave() {
  auto& group = GroupOfThread();
  if (group != nullptr) group->Leave();
  group = nullptr;
}

void Init(JsonConfig const& document) {
  CommunicatorConfig const config(document, "XGCommunicatorInit");
  config.RequireKnownCommunicator();
  auto const options = JoinOptionsOf(config);
  Leave();
  if (!options.tracker.host.empty()) GroupOfThread() = std::make_shared<SocketGroup>(options);
}

/// Runs fn(group), or nothing in a group of one rank or without one. A failure ends the group, because other ranks may
/// wait for this one. Wrong arguments do not: they are found before or after all messages of a call.
template <typename Fn>
void InGroupOfThread(Fn&& fn) {
  auto const group = GroupOfRanks();
  if (group == nullptr) return;
  try {
    fn(*group);
  } catch (std::exception const& failure) {
    auto const* const error = dynamic_cast<Error const*>(&failure);
    if (error == nullptr || error->Kind() != ErrorKind::kParameter) {
      group->Abort("rank " + std::to_string(group->Rank()) + " of the group failed: " + failure.what());
    }
    throw;
  }
}

void RequireOnlyRank(int root) {
  if (root == 0) return;
  Fail(ErrorKind::kParameter, "XGCommunicatorBroadcast: there is no process ", root, "; the only one is 0.");
}

/// Gathers the parts of a buffer, whose part r of equal size belongs to rank r.
void GatherParts(SocketGroup* group, Span<std::byte> buffer) {
  auto const n_ranks = static_cast<std::size_t>(group->Size());
  if (buffer.size() % n_ranks != 0) {
    Fail(ErrorKind::kParameter, "XGCommunicatorAllgather: ", buffer.size(),
         " bytes are not a part of equal size for each of ", n_ranks, " ranks; pass the size of the whole buffer.");
  }
  auto const part = buffer.size() / n_ranks;
  auto const all = group->Gather(buffer.subspan(part * static_cast<std::size_t>(group->Rank()), part));
  for (std::size_t rank = 0; rank < n_ranks; ++rank) {
    if (all[rank].size() == part) continue;
    Fail(ErrorKind::kParameter, "XGCommunicatorAllgather: rank ", rank, " has a part of ", all[rank].size(),
         " bytes, rank ", group->Rank(), " one of ", part, "; all ranks must pass buffers of the same size.");
  }
  for (std::size_t rank = 0; rank < n_ranks; ++rank) {
    std::copy(all[rank].begin(), all[rank].end(), buffer.begin() + part * rank);
  }
}

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace
using kauri::ElementType;

int XGCommunicatorInit(char const* config) {
  return Guard([&] { Init(JsonConfig(config, "XGCommunicatorInit")); });
}

int XGCommunicatorFinalize(void) {
  return Guard([&] { Leave(); });
}

int XGCommunicatorSignalError(void) {
  return Guard([&] {
    InGroupOfThread([](auto& group) {
      group.Abort("rank " + std::to_string(group.Rank()) +
                  " of the group failed: it called XGCommunicatorSignalError.");
    });
  });
}

int XGCommunicatorGetRank(void) {
  auto const group = GroupOfRanks();
  return group == nullptr ? 0 : group->Rank();
}

int XGCommunicatorGetWorldSize(void) {
  auto const group = GroupOfRanks();
  return group == nullptr ? 1 : group->Size();
}

int XGCommunicatorIsDistributed(void) {
  auto is_distributed = 0;
  Guard([&] { is_distributed = GroupOfThread() == nullptr ? 0 : 1; });
  return is_distributed;
}

int XGCommunicatorPrint(char const* message) {
  return Guard([&] {
    NotNull(message, "message");
    auto const group = GroupOfThread();
    if (group == nullptr) return kauri::Log(kauri::LogLevel::kInfo, message);
    group->Print(message);
  });
}

int XGCommunicatorGetProcessorName(char const** out) {
  return Guard([&] {
    static kauri::PerThread<std::string> names;
    auto& name = names.OfThisThread();
    name = kauri::platform::HostName();
    *NotNull(out, "name_str") = name.c_str();
  });
}

int XGCommunicatorBroadcast(void* buffer, std::size_t size, int root) {
  return Guard([&] {
    if (size > 0) NotNull(buffer, "buffer");
    if (GroupOfRanks() == nullptr) RequireOnlyRank(root);
    InGroupOfThread([&](auto& group) { group.Broadcast({static_cast<std::byte*>(buffer), size}, root); });
  });
}

int XGCommunicatorAllreduce(void* buffer, std::size_t count, int data_type, int op) {
  return Guard([&] {
    auto const type = static_cast<ElementType>(data_type);
    auto const most = std::numeric_limits<std::size_t>::max() / 2 / kauri::SizeOfElement(type);
    if (count > most)
      kauri::Fail(kauri::ErrorKind::kParameter, "XGCommunicatorAllreduce: count=", count, " is too large.");
    if (count > 0) NotNull(buffer, "buffer");
    auto const elements = kauri::PlainElements(buffer, count, type, static_cast<kauri::ReduceOp>(op));
    auto const name = kauri::ReductionName(static_cast<kauri::ReduceOp>(op), type);
    InGroupOfThread([&](auto& group) { group.Reduce(name, elements.get()); });
  });
}

int XGCommunicatorAllgather(void* buffer, std::size_t count) {
  return Guard([&] {
    if (count > 0) NotNull(buffer, "buffer");
    InGroupOfThread([&](auto& group) { GatherParts(&group, {static_cast<std::byte*>(buffer), count}); });
  });
}
