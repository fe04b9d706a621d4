/// The tracker of XGBoost's clients.
#include "collective/network/tracker.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/tracker_config.h"
#include "common/text/json_text.h"
#include "common/text/quoted.h"

namespace kauri::c_api {

std::string CommunicatorConfig::KeyOf(char const* key) const {
  std::string upper = key;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return document_.Has(upper.c_str()) ? upper : key;
}

std::string CommunicatorConfig::Text(char const* key, std::string const& otherwise) const {
  return IsGiven(key) ? document_.Text(KeyOf(key).c_str()) : otherwise;
}

std::int64_t CommunicatorConfig::Integer(char const* key, std::int64_t otherwise, std::int64_t least,
                                         std::int64_t most) const {
  auto const value = IsGiven(key) ? document_.Integer(KeyOf(key).c_str()) : otherwise;
  if (value >= least && value <= most) return value;
  Fail(ErrorKind::kParameter, call_, ": ", key, "=", value, " is not valid; expected ", least, " to ", most, ".");
}

int CommunicatorConfig::Port(char const* key) const {
  constexpr std::int64_t kMostPorts = 65535;
  return static_cast<int>(Integer(key, 0, 0, kMostPorts));
}

void CommunicatorConfig::RequireKnownCommunicator() const {
  constexpr char const* kKey = "dmlc_communicator";
  auto const name = Text(kKey, "rabit");
  if (name == "rabit") return RequireNoCertificates();
  if (name == "federated") {
    Fail(ErrorKind::kParameter, call_, ": dmlc_communicator=federated: Kauri is not compiled with federated learning ",
         "support and has none; leave dmlc_communicator out, or use kauriboost.dask.");
  }
  Fail(ErrorKind::kParameter, call_, ": Unknown communicator: dmlc_communicator=", Quoted(name),
       "; expected rabit, or leave it out.");
}

void CommunicatorConfig::RequireNoCertificates() const {
  for (auto const* const key : {"server_key_path", "server_cert_path", "client_cert_path", "federated_server_cert",
                                "federated_server_cert_path", "federated_client_key", "federated_client_key_path",
                                "federated_client_cert", "federated_client_cert_path"}) {
    if (!IsGiven(key)) continue;
    Fail(ErrorKind::kParameter, call_, ": ", key, " is given, and this communicator does not encrypt: workers prove a ",
         "secret, and their rows' sums travel in the clear. Leave it out in a private network, or use kauriboost.dask ",
         "or kauriboost.spark, whose connections can have TLS.");
  }
}

namespace {

constexpr std::size_t kSecretBytes = 32;
constexpr std::int64_t kMostWorkers = 1 << 16;

struct TrackerHandleBase : HandleBase {
  explicit TrackerHandleBase(TrackerOptions options) : HandleBase(HandleKind::kTracker), tracker(std::move(options)) {}

  Tracker tracker;
};

TrackerHandleBase& TrackerOf(TrackerHandle handle) {
  return static_cast<TrackerHandleBase&>(CheckedHandle(handle, HandleKind::kTracker, "tracker"));
}

TrackerOptions TrackerOptionsOf(JsonConfig const& document) {
  CommunicatorConfig const config(document, "XGTrackerCreate");
  config.RequireKnownCommunicator();
  TrackerOptions options;
  document.Integer("n_workers");  // says so if there is none
  options.n_workers = static_cast<int>(config.Integer("n_workers", 0, 1, kMostWorkers));
  options.address = {config.Text("host", ""), config.Port("port")};
  if (options.address.host.empty()) options.address.host = LikelyHost();
  options.sort_by = config.Integer("sortby", 0, 0, 1) == 0 ? SortBy::kHost : SortBy::kTask;
  options.timeout = static_cast<double>(config.Integer("timeout", 0, 0, kMostSeconds));
  options.secret = config.Text(kSecretKey, "");
  if (options.secret.empty()) options.secret = RandomHex(kSecretBytes);
  return options;
}

std::string WorkerArguments(Tracker const& tracker) {
  return JsonObject({{"dmlc_tracker_uri", JsonQuoted(tracker.Where().host)},
                     {"dmlc_tracker_port", std::to_string(tracker.Where().port)},
                     {kSecretKey, JsonQuoted(tracker.Secret())}});
}

void WaitFor(Tracker* tracker, char const* config) {
  if (!tracker->IsRunning()) {
    Fail(ErrorKind::kParameter, "XGTrackerWaitFor: the tracker does not run; call XGTrackerRun first.");
  }
  JsonConfig const document(config == nullptr ? "{}" : config, "XGTrackerWaitFor");
  auto const seconds = CommunicatorConfig(document, "XGTrackerWaitFor").Integer("timeout", 0, 0, kMostSeconds);
  tracker->Wait(seconds == 0 ? std::nullopt : std::optional<double>(static_cast<double>(seconds)));
}

/// Frees the tracker. \throws Error(kCollective), once it is freed, if workers could still have come to it.
void FreeTracker(TrackerHandleBase* handle) {
  auto const is_unfinished = handle->tracker.IsRunning() && handle->tracker.IsUnfinished();
  delete handle;
  if (!is_unfinished) return;
  Fail(ErrorKind::kCollective,
       "Failed to accept connection: the tracker is freed before its workers have ended. Keep it, ",
       "and wait for it, until they have.");
}

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace

int XGTrackerCreate(char const* config, TrackerHandle* handle) {
  return Guard([&] {
    NotNull(handle, "handle");
    *handle = new TrackerHandleBase(TrackerOptionsOf(JsonConfig(config, "XGTrackerCreate")));
  });
}

int XGTrackerWorkerArgs(TrackerHandle handle, char const** args) {
  return Guard([&] {
    auto& tracker = TrackerOf(handle);
    NotNull(args, "args");
    auto& text = tracker.Buffers().text;
    text = WorkerArguments(tracker.tracker);
    *args = text.c_str();
  });
}

int XGTrackerRun(TrackerHandle handle, char const* /*config*/) {
  return Guard([&] { TrackerOf(handle).tracker.Run(); });
}

int XGTrackerWaitFor(TrackerHandle handle, char const* config) {
  return Guard([&] {
    auto& tracker = TrackerOf(handle);
    HandleUse const use(&tracker);
    WaitFor(&tracker.tracker, config);
  });
}

int XGTrackerFree(TrackerHandle handle) {
  return Guard([&] {
    auto& tracker = TrackerOf(handle);
    if (tracker.TakeForGood("tracker")) FreeTracker(&tracker);
  });
}
