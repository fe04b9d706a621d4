#include "model_structure/mutate.h"

#include <algorithm>
#include <string>
#include <utility>

namespace kauri::fuzz {
namespace {

/// Returns a member or element chosen by the input; null for other values.
Json* ChildOf(Bytes* bytes, Json* node) {
  if (!node->is_structured() || node->empty()) return nullptr;
  auto const place = bytes->Next() % node->size();
  return &*std::next(node->begin(), static_cast<Json::difference_type>(place));
}

/// Chooses a place: starts near values that are worth changing, and moves on a few steps.
Json* PlaceIn(Bytes* bytes, Json* document) {
  Json::json_pointer const starts[] = {Json::json_pointer("/learner/gradient_booster/model/trees"),
                                       Json::json_pointer("/learner/gradient_booster/model"),
                                       Json::json_pointer("/learner/gradient_booster/gbtree/model/trees"),
                                       Json::json_pointer("/learner/learner_model_param"),
                                       Json::json_pointer("/learner/objective"),
                                       Json::json_pointer("/learner/attributes"),
                                       Json::json_pointer("/learner"),
                                       Json::json_pointer("")};
  auto const& start = bytes->Of(starts);
  auto* place = document->contains(start) ? &(*document)[start] : document;
  for (auto n = bytes->Below(5); n > 0; --n) {
    auto* const next = ChildOf(bytes, place);
    if (next == nullptr) break;
    place = next;
  }
  return place;
}

Json NumberFor(Bytes* bytes) {
  Json const numbers[] = {0,   1,     2,    3,          -1,          5,       6,          7,        100,
                          -2,  0.5,   1e30, 2147483647, -2147483648, 65536,   4294967296, 16777216, 255,
                          1e5, 1e300, 4,    -0.0,       2147483646,  1 << 30, 3000000000, 1e-40,    8};
  return bytes->Of(numbers);
}

/// Returns a value as text, because these documents store numbers as texts.
Json AsTextOf(Json const& value) { return value.is_string() ? value : Json(value.dump()); }

Json OtherType(Bytes* bytes, Json const& value) {
  switch (bytes->Below(7)) {
    case 0:
      return nullptr;
    case 1:
      return AsTextOf(value);
    case 2:
      return Json::array({value});
    case 3:
      return Json{{"x", value}};
    case 4:
      return true;
    case 5:
      return Json::array();
    default:
      return Json::object();
  }
}

void Resize(Bytes* bytes, Json* place) {
  if (!place->is_array()) return;
  auto const size = bytes->Below(4);
  if (size == 3) {
    place->push_back(place->empty() ? Json(0) : place->back());
  } else if (size == 2 && !place->empty()) {
    place->erase(place->size() - 1);
  } else {
    place->get_ref<Json::array_t&>().resize(size, 0);
  }
}

void Drop(Bytes* bytes, Json* place) {
  if (!place->is_structured() || place->empty()) return;
  auto const index = static_cast<Json::difference_type>(bytes->Next() % place->size());
  place->erase(std::next(place->begin(), index));
}

void Swap(Bytes* bytes, Json* place) {
  auto* const first = ChildOf(bytes, place);
  auto* const second = ChildOf(bytes, place);
  if (first != nullptr && first != second) std::swap(*first, *second);
}

void SetNumber(Bytes* bytes, Json* place) {
  auto const number = NumberFor(bytes);
  *place = place->is_string() ? AsTextOf(number) : number;
}

void SetText(Bytes* bytes, Json* place) {
  char const* const kTexts[] = {"", "gbtree", "dart", "gblinear", "nan", "multi:softprob", "[1E0,2E0]", "x", "c", "-1"};
  *place = bytes->Of(kTexts);
}

Json* AttributesIn(Json* document) {
  Json::json_pointer const place("/learner/attributes");
  return document->contains(place) && (*document)[place].is_object() ? &(*document)[place] : nullptr;
}

}  // namespace

void OpenAttributes(Json* document) {
  auto* const attributes = AttributesIn(document);
  if (attributes == nullptr) return;
  for (auto& attribute : *attributes) {
    if (attribute.is_string()) attribute = Json::parse(attribute.get<std::string>(), nullptr, false);
  }
}

void CloseAttributes(Json* document) {
  auto* const attributes = AttributesIn(document);
  if (attributes == nullptr) return;
  for (auto& attribute : *attributes) attribute = AsTextOf(attribute);
}

void Mutate(Bytes* bytes, Json* document) {
  auto const kind = bytes->Below(10);
  auto* const place = PlaceIn(bytes, document);
  if (kind < 4) return SetNumber(bytes, place);
  if (kind == 4) return Drop(bytes, place);
  if (kind == 5) return Resize(bytes, place);
  if (kind == 6) return Swap(bytes, place);
  if (kind == 7) return SetText(bytes, place);
  if (kind == 8) {
    *place = OtherType(bytes, *place);
    return;
  }
  auto const copy = *PlaceIn(bytes, document);  // copied before `place` changes, which may be its ancestor
  *place = copy;
}

}  // namespace kauri::fuzz
