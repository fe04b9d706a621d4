#include "booster/model_io/snapshot.h"

#include <utility>

#include "booster/model_io/json_reader.h"
#include "booster/model_io/model_io.h"
#include "booster/model_io/model_reader.h"
#include "booster/model_io/model_writer.h"
#include "booster/model_io/object_reader.h"
#include "booster/model_io/value_writer.h"

namespace kauri {
namespace {

constexpr char const* kConfig = "Config";
constexpr char const* kModel = "Model";

}  // namespace

std::string SerialiseSnapshot(std::string const& config, Model const& model, ModelDialect const& dialect) {
  model_io::UbjsonWriter writer;
  writer.BeginObject();
  writer.Key(kConfig);
  model_io::WriteValue(model_io::ParseJson({config.data(), config.size()}), &writer);
  writer.Key(kModel);
  model_io::WriteModel(model, dialect, &writer);
  writer.EndObject();
  return writer.Take();
}

Snapshot ParseSnapshot(Span<char const> bytes) {
  auto document = ParseDocument(bytes);
  model_io::ObjectReader const top(&document, "");
  if (!top.Has(kConfig) || !top.Has(kModel)) return {{}, model_io::ReadModel(&document)};
  model_io::JsonWriter config;
  model_io::WriteValue(*top.At(kConfig), &config);
  return {config.Take(), model_io::ReadModel(top.At(kModel))};
}

}  // namespace kauri
