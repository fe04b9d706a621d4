/// \file gzip of any bytes. The result must be text or an error, the same for any division of the bytes. The first byte
/// chooses the division.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "data/text/whole_text.h"
#include "kauri/error.h"

namespace {

struct Outcome {
  std::string text;
  std::string problem;
};

Outcome Unpack(kauri::Span<char const> packed, std::size_t step) {
  Outcome outcome;
  kauri::Gunzip gunzip("x", [&](kauri::Span<char const> bytes) { outcome.text.append(bytes.data(), bytes.size()); });
  try {
    for (std::size_t begin = 0; begin < packed.size(); begin += step) {
      gunzip.Add(packed.subspan(begin, std::min(step, packed.size() - begin)));
    }
    gunzip.Finish();
  } catch (kauri::Error const& error) {
    outcome.problem = error.what();
    if (error.Kind() != kauri::ErrorKind::kData) __builtin_trap();
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 2) return 0;
  kauri::Span<char const> const packed(reinterpret_cast<char const*>(data) + 1, size - 1);
  auto const whole = Unpack(packed, packed.size());
  auto const cut = Unpack(packed, data[0] + std::size_t{1});
  if (whole.problem != cut.problem || whole.text != cut.text) __builtin_trap();
  return 0;
}
