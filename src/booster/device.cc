#include "booster/device.h"

#include <charconv>
#include <string>

#include "kauri/error.h"

namespace kauri {
namespace {

[[noreturn]] void RefuseDevice(std::string const& text) {
  Fail(ErrorKind::kParameter, "parameter device='", text, "' is not valid; expected cpu, cuda or cuda:N with N >= 0.");
}

int ParseOrdinal(std::string const& text, std::size_t at) {
  int ordinal = -1;
  auto const* end = text.data() + text.size();
  auto const result = std::from_chars(text.data() + at, end, ordinal);
  if (result.ec != std::errc() || result.ptr != end || ordinal < 0) RefuseDevice(text);
  return ordinal;
}

}  // namespace

Device ParseDevice(ParamMap const& map) {
  auto const found = map.find("device");
  if (found == map.end() || found->second == "cpu") return {};
  auto const& text = found->second;
  if (text == "cuda" || text == "gpu") return {DeviceKind::kCuda, 0};
  for (auto const* prefix : {"cuda:", "gpu:"}) {
    if (text.rfind(prefix, 0) == 0) return {DeviceKind::kCuda, ParseOrdinal(text, std::string(prefix).size())};
  }
  RefuseDevice(text);
}

}  // namespace kauri
