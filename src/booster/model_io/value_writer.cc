#include "booster/model_io/value_writer.h"

#include <variant>

namespace kauri::model_io {
namespace {

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

}  // namespace

void WriteValue(Value const& value, JsonWriter* writer) { std::visit(Visitor<JsonWriter>{writer}, value.data); }
void WriteValue(Value const& value, UbjsonWriter* writer) { std::visit(Visitor<UbjsonWriter>{writer}, value.data); }

}  // namespace kauri::model_io
