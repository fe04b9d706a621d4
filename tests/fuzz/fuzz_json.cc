/// \file JSON texts of any bytes: descriptions of arrays (which are not read), options of dumps, configurations of
/// calls and of boosters, snapshots. The first byte chooses.
#include <cstddef>
#include <cstdint>
#include <string>

#include "booster/model_io/dump_format.h"
#include "c_api/json_config.h"
#include "data/arrays/plain_array.h"
#include "kauri/array_interface.h"
#include "kauri/c_api.h"
#include "kauri/error.h"

namespace {

void Require(bool holds) {
  if (!holds) __builtin_trap();
}

/// Parses an array interface. The fast path for plain texts must give the same result as the full parser.
void ParseArray(std::string const& text) {
  auto const any = kauri::ParseAnyArrayInterface(text);
  Require(any.view.shape[0] >= 0 && any.view.shape[1] >= 0);
  Require(any.view.Size() == 0 || any.view.data != nullptr);
  kauri::ArrayView plain;
  if (!kauri::ParsePlainArray(text, &plain)) return;
  Require(plain.data == any.view.data && plain.dtype == any.view.dtype && plain.shape == any.view.shape);
  Require(plain.strides == any.view.strides && plain.n_dims == any.view.n_dims);
}

void ReadConfig(std::string const& text) {
  kauri::c_api::JsonConfig const config(text.c_str(), "fuzz");
  for (auto const& [key, value] : config.Document().items()) {
    if (value.is_number_integer()) config.Integer(key.c_str());
    if (value.is_boolean()) config.Boolean(key.c_str());
    if (value.is_array()) config.Integers(key.c_str());
    config.Number(key.c_str());
  }
}

void LoadBooster(std::string const& text, bool is_snapshot) {
  BoosterHandle booster = nullptr;
  Require(XGBoosterCreate(nullptr, 0, &booster) == 0);
  auto const status = is_snapshot ? XGBoosterUnserializeFromBuffer(booster, text.data(), text.size())
                                  : XGBoosterLoadJsonConfig(booster, text.c_str());
  bst_ulong length = 0;
  char const* out = nullptr;
  auto const saved = status == 0 && XGBoosterSaveJsonConfig(booster, &length, &out) == 0;
  Require(saved || KauriGetLastErrorKind() != KAURI_ERROR_INTERNAL);
  XGBoosterFree(booster);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::string const text(reinterpret_cast<char const*>(data) + 1, size - 1);
  try {
    switch (data[0] % 5) {
      case 0:
        ParseArray(text);
        break;
      case 1:
        kauri::model_io::ParseDumpOptions(text);
        break;
      case 2:
        ReadConfig(text);
        break;
      default:
        LoadBooster(text, data[0] % 5 == 3);
    }
  } catch (kauri::Error const& error) {
    Require(error.what()[0] != '\0' && error.Kind() != kauri::ErrorKind::kInternal);
  }
  return 0;
}
