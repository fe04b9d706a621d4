/// \file Models that are almost correct: good ones of every kind with a few changes in their documents, as JSON and as
/// UBJSON. They must be refused, or all calls on them must give consistent results.
#include <cstddef>
#include <cstdint>
#include <string>

#include "model_structure/models.h"
#include "model_structure/mutate.h"
#include "model_structure/use.h"
#include "support/bytes.h"

using kauri::fuzz::Bytes;
using kauri::fuzz::Json;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static auto const models = kauri::fuzz::MakeModels();
  Bytes bytes(data, size);
  auto const& model = models[bytes.Next() % models.size()];
  auto const form = bytes.Next();
  auto document = model;
  kauri::fuzz::OpenAttributes(&document);
  for (auto n = 1 + form / 4 % 4; n > 0; --n) kauri::fuzz::Mutate(&bytes, &document);
  kauri::fuzz::CloseAttributes(&document);
  std::string text;
  if (form % 2 == 0) {
    text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  } else {
    Json::to_ubjson(document, text, form / 2 % 2 == 1);
  }
  kauri::fuzz::UseModel(text, form / 16 % 2 == 1);
  return 0;
}
