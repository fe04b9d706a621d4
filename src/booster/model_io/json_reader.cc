#include "booster/model_io/json_reader.h"

#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

namespace kauri::model_io {
namespace {

/// JSON type with float as the number type, so that text is rounded once, to float32.
using Json = nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t, float>;

/// Marks of the infinities while the text is parsed. No model file holds integers of 2^63 or more.
constexpr std::uint64_t kPlusInfinity = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMinusInfinity = kPlusInfinity - 1;

class Handler final : public nlohmann::json_sax<Json> {
 public:
  explicit Handler(DocumentBuilder* builder) : builder_(builder) {}

  bool null() override { return Done(&DocumentBuilder::Null); }
  bool boolean(bool value) override { return Done(&DocumentBuilder::Boolean, value); }
  bool number_integer(std::int64_t value) override { return Done(&DocumentBuilder::Integer, value); }
  bool number_unsigned(std::uint64_t value) override {
    using Limits = std::numeric_limits<float>;
    if (value == kPlusInfinity) return Done(&DocumentBuilder::Float, Limits::infinity());
    if (value == kMinusInfinity) return Done(&DocumentBuilder::Float, -Limits::infinity());
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      Fail(ErrorKind::kModel, "model: '", builder_->Path(), "' is ", value, "; expected an integer below 2^63");
    }
    return Done(&DocumentBuilder::Integer, static_cast<std::int64_t>(value));
  }
  bool number_float(float value, std::string const&) override { return Done(&DocumentBuilder::Float, value); }
  bool string(std::string& text) override { return Done(&DocumentBuilder::String, std::move(text)); }
  bool binary(Json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return Done(&DocumentBuilder::BeginObject); }
  bool key(std::string& text) override { return Done(&DocumentBuilder::Key, std::move(text)); }
  bool end_object() override { return Done(&DocumentBuilder::EndObject); }
  bool start_array(std::size_t) override { return Done(&DocumentBuilder::BeginArray); }
  bool end_array() override { return Done(&DocumentBuilder::EndArray); }
  bool parse_error(std::size_t position, std::string const& token, Json::exception const&) override {
    Fail(ErrorKind::kModel, "model: not valid JSON at byte ", position, ", near '", Printable(token), "', at '",
         builder_->Path(), "'; the file is cut off or damaged");
  }

 private:
  template <typename Method, typename... Args>
  bool Done(Method method, Args&&... args) {
    (builder_->*method)(std::forward<Args>(args)...);
    return true;
  }

  DocumentBuilder* builder_;
};

bool Contains(Span<char const> text, std::string_view word) {
  return memmem(text.data(), text.size(), word.data(), word.size()) != nullptr;
}

/// Returns the text with NaN outside of strings replaced by null, and infinities replaced by their marks.
std::string MarkNonFinite(std::string_view text) {
  constexpr std::string_view kNaN = "NaN";
  constexpr std::string_view kInfinity = "Infinity";
  std::string marked;
  marked.reserve(text.size() + text.size() / 4);
  bool inside_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (inside_string && text[i] == '\\') {
      marked += text[i++];
    } else if (text[i] == '"') {
      inside_string = !inside_string;
    } else if (!inside_string && text[i] == 'N' && text.compare(i, kNaN.size(), kNaN) == 0) {
      marked += "null";
      i += kNaN.size() - 1;
      continue;
    } else if (!inside_string && text[i] == 'I' && text.compare(i, kInfinity.size(), kInfinity) == 0) {
      bool const negative = !marked.empty() && marked.back() == '-';
      if (negative) marked.pop_back();
      marked += std::to_string(negative ? kMinusInfinity : kPlusInfinity);
      i += kInfinity.size() - 1;
      continue;
    }
    if (i < text.size()) marked += text[i];
  }
  return marked;
}

}  // namespace

Value ParseJson(Span<char const> text) {
  std::string marked;
  if (Contains(text, "NaN") || Contains(text, "Infinity")) {
    marked = MarkNonFinite({text.data(), text.size()});
    text = {marked.data(), marked.size()};
  }
  DocumentBuilder builder;
  Handler handler(&builder);
  Json::sax_parse(text.data(), text.data() + text.size(), &handler);
  return builder.Take();
}

}  // namespace kauri::model_io
