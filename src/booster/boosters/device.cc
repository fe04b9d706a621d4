#include "booster/boosters/device.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string>

#include "kauri/error.h"
#include "kauri/plugin.h"

namespace kauri {
namespace {

[[noreturn]] void RefuseDevice(std::string const& text) {
  Fail(ErrorKind::kParameter, "parameter device='", text,
       "' is not valid; expected cpu, cuda, cuda:N with N >= 0, several as cuda:N,M,.. or cuda:all.");
}

/// Parses numbers separated by commas, from position `at` on.
std::vector<int> ParseOrdinals(std::string const& text, std::size_t at) {
  std::vector<int> ordinals;
  auto const* const end = text.data() + text.size();
  for (auto const* next = text.data() + at;; ++next) {
    int ordinal = -1;
    auto const result = std::from_chars(next, end, ordinal);
    if (result.ec != std::errc() || ordinal < 0 || (result.ptr != end && *result.ptr != ',')) RefuseDevice(text);
    if (std::find(ordinals.begin(), ordinals.end(), ordinal) != ordinals.end()) {
      Fail(ErrorKind::kParameter, "parameter device='", text, "' names cuda:", ordinal,
           " twice; name each device once.");
    }
    ordinals.push_back(ordinal);
    if (result.ptr == end) return ordinals;
    next = result.ptr;
  }
}

/// The devices that the text of `device` names. They need not exist.
struct AskedFor {
  DeviceKind kind = DeviceKind::kCpu;
  bool all = false;                ///< every device of the machine; `ordinals` is empty
  std::vector<int> ordinals = {};  ///< CUDA devices in the order of the text
};

AskedFor ParseDevice(ParamMap const& map) {
  auto const found = map.find("device");
  if (found == map.end() || found->second == "cpu") return {};
  auto const& text = found->second;
  for (std::string const name : {"cuda", "gpu"}) {
    if (text == name) return {DeviceKind::kCuda, false, {0}};
    if (text == name + ":all") return {DeviceKind::kCuda, true};
    if (text.rfind(name + ":", 0) == 0) return {DeviceKind::kCuda, false, ParseOrdinals(text, name.size() + 1)};
  }
  RefuseDevice(text);
}

}  // namespace

DeviceKind ParseDeviceKind(ParamMap const& map) { return ParseDevice(map).kind; }

int OrdinalOf(ParamMap const& map) {
  auto const asked = ParseDevice(map);
  return asked.kind == DeviceKind::kCuda && asked.ordinals.size() == 1 ? asked.ordinals.front() : -1;
}

Device FindDevice(ParamMap const& map) {
  auto asked = ParseDevice(map);
  if (asked.kind == DeviceKind::kCpu) return {};
  if (asked.all) {
    asked.ordinals.resize(RequireCudaDevices());
    std::iota(asked.ordinals.begin(), asked.ordinals.end(), 0);
  }
  for (auto const ordinal : asked.ordinals) RequireCudaDevice(ordinal);
  Device device{asked.kind, asked.ordinals.front()};
  if (asked.ordinals.size() > 1) device.ordinals = std::move(asked.ordinals);
  return device;
}

bool HasDevice(ParamMap const& map) {
  try {
    FindDevice(map);
    return true;
  } catch (Error const&) {
    return false;
  }
}

}  // namespace kauri
