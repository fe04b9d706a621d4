/// \file A graph of ONNX under construction. The numbers are those of onnx.proto.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "booster/export/protobuf.h"

namespace kauri::model_export {

enum class OnnxType : std::int64_t { kFloat = 1, kUint8 = 2, kInt64 = 7, kString = 8, kBool = 9, kDouble = 11 };

template <typename Number>
constexpr OnnxType OnnxTypeOf() {
  if constexpr (std::is_same_v<Number, float>) return OnnxType::kFloat;
  if constexpr (std::is_same_v<Number, double>) return OnnxType::kDouble;
  if constexpr (std::is_same_v<Number, std::int64_t>) return OnnxType::kInt64;
  return OnnxType::kUint8;
}

template <typename Number>
Message OnnxTensor(std::string const& name, std::vector<Number> const& numbers, OnnxType type = OnnxTypeOf<Number>()) {
  Message tensor;
  tensor.Int(1, static_cast<std::int64_t>(numbers.size())).Int(2, static_cast<std::int64_t>(type));
  return tensor.Bytes(8, name).Bytes(9, RawBytes(numbers));
}

/// Attributes of a node.
class OnnxAttributes {
 public:
  OnnxAttributes& Int(std::string const& name, std::int64_t value) {
    return Add(Message().Bytes(1, name).Int(20, 2).Int(3, value));
  }
  OnnxAttributes& Ints(std::string const& name, std::vector<std::int64_t> const& values) {
    return Add(Message().Bytes(1, name).Int(20, 7).Ints(8, values));
  }
  template <typename Number>
  OnnxAttributes& Tensor(std::string const& name, std::vector<Number> const& values) {
    return Add(Message().Bytes(1, name).Int(20, 4).Sub(5, OnnxTensor(name, values)));
  }
  std::vector<Message> const& All() const { return all_; }

 private:
  OnnxAttributes& Add(Message attribute) {
    all_.push_back(std::move(attribute));
    return *this;
  }

  std::vector<Message> all_;
};

class OnnxGraph {
 public:
  /// Adds a node and returns the name of its first output.
  std::string Node(std::string const& operation, std::vector<std::string> const& inputs,
                   std::vector<std::string> const& outputs, OnnxAttributes const& attributes = {},
                   std::string const& domain = "") {
    Message node;
    for (auto const& input : inputs) node.Bytes(1, input);
    for (auto const& output : outputs) node.Bytes(2, output);
    node.Bytes(3, outputs[0]).Bytes(4, operation);
    for (auto const& attribute : attributes.All()) node.Sub(5, attribute);
    if (!domain.empty()) node.Bytes(7, domain);
    graph_.Sub(1, node);
    return outputs[0];
  }
  std::string Node(std::string const& operation, std::vector<std::string> const& inputs, std::string const& output,
                   OnnxAttributes const& attributes = {}, std::string const& domain = "") {
    return Node(operation, inputs, std::vector<std::string>{output}, attributes, domain);
  }
  std::string Cast(std::string const& input, OnnxType to, std::string const& output) {
    return Node("Cast", {input}, output, OnnxAttributes().Int("to", static_cast<std::int64_t>(to)));
  }
  /// Adds a constant vector and returns its name.
  template <typename Number>
  std::string Constant(std::string const& name, std::vector<Number> const& numbers) {
    graph_.Sub(5, OnnxTensor(name, numbers));
    return name;
  }
  std::string Strings(std::string const& name, std::vector<std::string> const& texts) {
    Message tensor;
    tensor.Int(1, static_cast<std::int64_t>(texts.size())).Int(2, static_cast<std::int64_t>(OnnxType::kString));
    for (auto const& text : texts) tensor.Bytes(6, text);
    graph_.Sub(5, tensor.Bytes(8, name));
    return name;
  }
  std::string Mask(std::string const& name, std::vector<std::uint8_t> const& flags) {
    graph_.Sub(5, OnnxTensor(name, flags, OnnxType::kBool));
    return name;
  }
  /// Declares an input of the model. width: the second dimension; 0: there is none.
  void Input(std::string const& name, OnnxType type, std::int64_t width) { graph_.Sub(11, Value(name, type, width)); }
  void Output(std::string const& name, OnnxType type, std::int64_t width) { graph_.Sub(12, Value(name, type, width)); }
  Message Finish() { return graph_.Bytes(2, "kauri"); }

 private:
  static Message Value(std::string const& name, OnnxType type, std::int64_t width) {
    Message shape;
    shape.Sub(1, Message().Bytes(2, "rows"));
    if (width > 0) shape.Sub(1, Message().Int(1, width));
    auto const tensor = Message().Int(1, static_cast<std::int64_t>(type)).Sub(2, shape);
    return Message().Bytes(1, name).Sub(2, Message().Sub(1, tensor));
  }

  Message graph_;
};

}  // namespace kauri::model_export
