/// \file Model files of any bytes. The result must be an Error, or a model that both formats restore byte for byte.
#include <cstddef>
#include <cstdint>

#include "booster/model_io/model_io.h"
#include "kauri/error.h"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  kauri::Model model;
  try {
    model = kauri::ParseModel({reinterpret_cast<char const*>(data), size});
  } catch (kauri::Error const& error) {
    if (error.Kind() != kauri::ErrorKind::kModel) __builtin_trap();
    return 0;
  }
  for (auto const format : {kauri::ModelFormat::kJson, kauri::ModelFormat::kUbjson}) {
    auto const bytes = kauri::SerialiseModel(model, format);
    auto const again = kauri::ParseModel({bytes.data(), bytes.size()});
    if (kauri::SerialiseModel(again, format) != bytes) __builtin_trap();
  }
  return 0;
}
