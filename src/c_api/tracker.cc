/// The tracker of XGBoost's collective for a single worker. It has no workers to connect, so it answers the clients'
/// calls and opens no port.
#include <string>

#include "c_api/communicator.h"
#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/json_config.h"
#include "common/text/json_text.h"

namespace kauri::c_api {
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
