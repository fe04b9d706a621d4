#include "booster/model_io/snapshot.h"

#include <utility>
#include <variant>

#include "booster/model_io/document.h"
#include "booster/model_io/json.h"
#include "booster/model_io/model_document.h"
#include "booster/model_io/model_io.h"
#include "booster/model_io/object_reader.h"
#include "booster/model_io/ubjson.h"

namespace kauri::model_io {
namespace {

// Writes a parsed document as JSON or UBJSON again. Parsing has converted whole numbers in arrays of floats, and
// true and false in arrays, to numbers of the array's kind.

void WriteValue(Value const& value, JsonWriter* writer);
void WriteValue(Value const& value, UbjsonWriter* writer);

/// One overload for each kind of value; depth is bounded by DocumentBuilder::kMaxDepth.
template <typename Writer>
struct Visitor {
  Writer* writer;

  void operator()(std::monostate /*null*/) const { writer->Null(); }
  void operator()(bool value) const { writer->Boolean(value); }
  void operator()(std::int64_t value) const { writer->Integer(value); }
  void operator()(float value) const { writer->Float(value); }
  void operator()(std::string const& text) const { writer->String(text); }
  void operator()(Object const& members) const {
    writer->BeginObject();
    for (auto const& member : members) {
      writer->Key(member.key);
      WriteValue(member.value, writer);
    }
    writer->EndObject();
  }
  void operator()(Array const& values) const {
    writer->BeginArray(values.size());
    for (auto const& value : values) WriteValue(value, writer);
    writer->EndArray();
  }
  /// Writes integers without a common type: XGBoost reads the numbers of a version in this form.
  void operator()(Integers const& integers) const {
    writer->BeginArray(integers.size());
    for (auto const integer : integers) writer->Integer(integer);
    writer->EndArray();
  }
  template <typename T>
  void operator()(std::vector<T> const& numbers) const {
    writer->Numbers(Span<T const>(numbers));
  }
};

void WriteValue(Value const& value, JsonWriter* writer) { std::visit(Visitor<JsonWriter>{writer}, value.data); }
void WriteValue(Value const& value, UbjsonWriter* writer) { std::visit(Visitor<UbjsonWriter>{writer}, value.data); }

}  // namespace
}  // namespace kauri::model_io

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
