/// The collective calls of XGBoost's clients, for a single process.
#include <cstddef>
#include <string>

#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/json_config.h"
#include "common/platform/process.h"
#include "common/text/json_text.h"
#include "common/text/log.h"
#include "common/text/quoted.h"
#include "common/threads/per_thread.h"

namespace kauri::c_api {
namespace {

// Checks of configurations, shared by the tracker and the collective calls of XGBoost's clients.

/// Checks the communicator. \throws Error(kParameter) for another dmlc_communicator than rabit, in particular federated
/// learning. call: the exported function's name.
void RequireKnownCommunicator(JsonConfig const& config, char const* call) {
  constexpr char const* kKey = "dmlc_communicator";
  if (!config.IsGiven(kKey)) return;
  auto const name = config.Text(kKey);
  if (name == "rabit") return;
  if (name == "federated") {
    Fail(ErrorKind::kParameter, call, ": dmlc_communicator=federated: Kauri is not compiled with federated learning ",
         "support and has none; leave dmlc_communicator out, or use kauriboost.dask.");
  }
  Fail(ErrorKind::kParameter, call, ": Unknown communicator: dmlc_communicator=", Quoted(name),
       "; expected rabit, or leave it out.");
}

/// True if the calling thread is between Init with a tracker and Finalize; clients ask for it to know that Init had an
/// effect.
KAURI_STATIC_THREAD_LOCAL bool t_has_tracker = false;

/// Starts the communicator. A tracker means several processes, except for Kauri's own tracker of one worker.
void Init(JsonConfig const& config) {
  RequireKnownCommunicator(config, "XGCommunicatorInit");
  t_has_tracker = config.IsGiven("kauri_n_workers") && config.Integer("kauri_n_workers") == 1;
  if (t_has_tracker) return;
  for (auto const& [key, value] : config.Document().items()) {
    if (key.find("tracker_uri") == std::string::npos) continue;
    Fail(ErrorKind::kParameter, "XGCommunicatorInit: ", key, "=", value.dump(),
         " asks for training in several processes, which these calls do not support; train with ",
         "kauriboost.dask, which takes a Dask cluster's workers, or in one process.");
  }
}

}  // namespace

// The tracker of XGBoost's collective for a single worker. It has no workers to connect, so it answers the clients'
// calls and opens no port.

namespace {

struct Tracker : HandleBase {
  Tracker(std::string host, std::int64_t tracker_port)
      : HandleBase(HandleKind::kTracker), host_name(std::move(host)), port(tracker_port) {}

  std::string host_name;
  std::int64_t port;
  bool runs = false;
};

Tracker& TrackerOf(TrackerHandle handle) {
  return static_cast<Tracker&>(CheckedHandle(handle, HandleKind::kTracker, "tracker"));
}

Tracker* MakeTracker(JsonConfig const& config) {
  constexpr std::int64_t kMostPorts = 65535;
  RequireKnownCommunicator(config, "XGTrackerCreate");
  auto const n_workers = config.Integer("n_workers");
  if (n_workers != 1) {
    Fail(ErrorKind::kParameter, "XGTrackerCreate: n_workers=", n_workers,
         n_workers > 1 ? " asks for training in several processes, which this tracker does not support; train "
                         "with kauriboost.dask, which takes a Dask cluster's workers, or use one worker."
                       : " is not valid; expected 1.");
  }
  auto const port = config.IsGiven("port") ? config.Integer("port") : 0;
  if (port < 0 || port > kMostPorts) {
    Fail(ErrorKind::kParameter, "XGTrackerCreate: port=", port, " is not valid; expected 0 to ", kMostPorts, ".");
  }
  return new Tracker(config.IsGiven("host") ? config.Text("host") : "127.0.0.1", port);
}

std::string WorkerArguments(Tracker const& tracker) {
  return JsonObject({{"dmlc_tracker_uri", JsonQuoted(tracker.host_name)},
                     {"dmlc_tracker_port", std::to_string(tracker.port)},
                     {"kauri_n_workers", "1"}});
}

void RequireRunning(Tracker const& tracker, char const* call) {
  if (!tracker.runs) Fail(ErrorKind::kParameter, call, ": the tracker does not run; call XGTrackerRun first.");
}

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace

int XGCommunicatorInit(char const* config) {
  return Guard([&] { Init(JsonConfig(config, "XGCommunicatorInit")); });
}

int XGCommunicatorFinalize(void) {
  t_has_tracker = false;
  return 0;
}

int XGCommunicatorSignalError(void) { return 0; }

int XGCommunicatorGetRank(void) { return 0; }

int XGCommunicatorGetWorldSize(void) { return 1; }

int XGCommunicatorIsDistributed(void) { return t_has_tracker ? 1 : 0; }

int XGCommunicatorPrint(char const* message) {
  return Guard([&] { kauri::Log(kauri::LogLevel::kInfo, NotNull(message, "message")); });
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
    if (root != 0) {
      kauri::Fail(kauri::ErrorKind::kParameter, "XGCommunicatorBroadcast: there is no process ", root,
                  "; the only one is 0.");
    }
  });
}

int XGCommunicatorAllreduce(void* buffer, std::size_t count, int /*data_type*/, int /*op*/) {
  return Guard([&] {
    if (count > 0) NotNull(buffer, "buffer");
  });
}

int XGCommunicatorAllgather(void* buffer, std::size_t count) {
  return Guard([&] {
    if (count > 0) NotNull(buffer, "buffer");
  });
}

int XGTrackerCreate(char const* config, TrackerHandle* handle) {
  return Guard([&] { *NotNull(handle, "handle") = MakeTracker(JsonConfig(config, "XGTrackerCreate")); });
}

int XGTrackerWorkerArgs(TrackerHandle handle, char const** args) {
  return Guard([&] {
    auto& tracker = TrackerOf(handle);
    NotNull(args, "args");
    auto& text = tracker.Buffers().text;
    text = WorkerArguments(tracker);
    *args = text.c_str();
  });
}

int XGTrackerRun(TrackerHandle handle, char const* /*config*/) {
  return Guard([&] { TrackerOf(handle).runs = true; });
}

int XGTrackerWaitFor(TrackerHandle handle, char const* /*config*/) {
  return Guard([&] { RequireRunning(TrackerOf(handle), "XGTrackerWaitFor"); });
}

int XGTrackerFree(TrackerHandle handle) {
  return Guard([&] { delete &TrackerOf(handle); });
}
