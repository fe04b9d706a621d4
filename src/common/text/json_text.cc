#include "common/text/json_text.h"

#include <algorithm>

#include "common/text/quoted.h"

namespace kauri {
namespace {

using Json = nlohmann::json;

/// Returns the deepest level of brackets outside of strings. For a valid text it is the depth of its document; for an
/// invalid text it is at least the depth that a parser reaches before it stops.
std::size_t Depth(std::string const& text) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  auto in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto const c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

/// Destroys a document from the leaves up: destroying an empty list or object takes no memory.
void TakeApart(Json* value) noexcept {
  if (!value->is_structured()) return;
  for (auto& child : *value) TakeApart(&child);
  if (value->is_object()) {
    value->get_ref<Json::object_t&>().clear();
  } else {
    value->get_ref<Json::array_t&>().clear();
  }
}

/// Fills a document. If memory ends half-way, its owner destroys it by TakeApart.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(Json* root) : place_(root) {}

  bool null() override { return Put(nullptr); }
  bool boolean(bool value) override { return Put(value); }
  bool number_integer(std::int64_t value) override { return Put(value); }
  bool number_unsigned(std::uint64_t value) override { return Put(value); }
  bool number_float(double value, std::string const&) override { return Put(value); }
  bool string(std::string& value) override { return Put(std::move(value)); }
  bool binary(Json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return Open(Json::value_t::object); }
  bool start_array(std::size_t) override { return Open(Json::value_t::array); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(std::string& name) override {
    place_ = &open_.back()->get_ref<Json::object_t&>()[name];
    TakeApart(place_);  // the earlier value of a name given twice
    return true;
  }
  bool parse_error(std::size_t, std::string const&, Json::exception const&) override { return false; }

 private:
  template <typename T>
  bool Put(T&& value) {
    if (!open_.empty() && open_.back()->is_array()) {
      auto& array = open_.back()->get_ref<Json::array_t&>();
      array.emplace_back(std::forward<T>(value));
      place_ = &array.back();
    } else {
      *place_ = Json(std::forward<T>(value));
    }
    return true;
  }
  bool Open(Json::value_t kind) {
    Put(kind);
    open_.push_back(place_);
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  Json* place_;              ///< place of the next value, unless that belongs to an array
  std::vector<Json*> open_;  ///< open lists and objects, from the root to the innermost
};

template <typename Range, typename ToText>
std::string Joined(char open, char close, Range const& range, ToText const& to_text) {
  std::string text(1, open);
  for (auto const& element : range) {
    if (text.size() > 1) text += ',';
    text += to_text(element);
  }
  return text + close;
}

}  // namespace

JsonDocument::~JsonDocument() { TakeApart(&root_); }

JsonDocument ParseJsonText(std::string const& text, ErrorKind kind) {
  if (Depth(text) > kMaxJsonDepth) {
    Fail(kind, "JSON nested deeper than ", kMaxJsonDepth, " levels: ", Quoted(text), "; pass what the call documents.");
  }
  JsonDocument document;
  Builder builder(&document.root_);
  if (Json::sax_parse(text, &builder)) return document;
  TakeApart(&document.root_);
  document.root_ = Json(Json::value_t::discarded);
  return document;
}

Json const& JsonMember(Json const& object, char const* name) {
  static Json const kNone;
  auto const found = object.find(name);
  return found == object.end() ? kNone : *found;
}

std::string JsonQuoted(std::string const& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string JsonObject(std::map<std::string, std::string> const& members) {
  return Joined('{', '}', members, [](auto const& member) { return JsonQuoted(member.first) + ":" + member.second; });
}

std::string JsonArray(std::vector<std::string> const& elements) {
  return Joined('[', ']', elements, [](std::string const& element) { return element; });
}

}  // namespace kauri
