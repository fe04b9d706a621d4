/// Models, snapshots and configurations as texts: saved, damaged, and loaded by the right and the wrong functions.
#include <cstring>
#include <string>
#include <vector>

#include "sequence/world.h"

namespace kauri::fuzz {
namespace {

std::string const kMarginConfig =
    R"({"type": 1, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": true})";

int Save(BoosterHandle booster, unsigned form, bst_ulong* length, char const** out) {
  if (form == 0) return XGBoosterSaveModelToBuffer(booster, R"({"format": "json"})", length, out);
  if (form == 1) return XGBoosterSaveModelToBuffer(booster, R"({"format": "ubj"})", length, out);
  if (form == 2) return XGBoosterSerializeToBuffer(booster, length, out);
  return XGBoosterSaveJsonConfig(booster, length, out);
}

int Load(BoosterHandle booster, unsigned form, std::string const& text) {
  if (form < 2) return XGBoosterLoadModelFromBuffer(booster, text.data(), text.size());
  if (form == 2) return XGBoosterUnserializeFromBuffer(booster, text.data(), text.size());
  return XGBoosterLoadJsonConfig(booster, text.c_str());
}

/// Returns a prediction's bytes; empty if the prediction is refused.
std::vector<std::uint32_t> MarginsOf(BoosterHandle booster, DMatrixHandle data) {
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  if (!Done(XGBoosterPredictFromDMatrix(booster, data, kMarginConfig.c_str(), &shape, &dim, &values))) return {};
  std::vector<std::uint32_t> bits(shape[0] * shape[1]);
  if (!bits.empty()) std::memcpy(bits.data(), values, bits.size() * sizeof(float));
  return bits;
}

}  // namespace

void SaveText(World* world) {
  auto const form = world->Input().Below(4);
  auto* const booster = world->Booster();
  auto& text = world->Text();
  bst_ulong length = 0;
  char const* bytes = nullptr;
  if (world->Call([&] { return Save(booster, form, &length, &bytes); })) text.assign(bytes, length);
}

void LoadText(World* world) {
  auto const form = world->Input().Below(4);
  auto* const booster = world->Booster();
  auto const& text = world->Text();
  world->Change(booster, [&] { return Load(booster, form, text); });
}

void DamageText(World* world) {
  auto& bytes = world->Input();
  auto& text = world->Text();
  if (text.empty()) return;
  auto const place = (bytes.Next() * 256 + bytes.Next()) % text.size();
  auto const value = bytes.Next();
  if (value == 255) {
    text.resize(place);
  } else {
    text[place] = static_cast<char>(value);
  }
}

void SaveAndLoad(World* world) {
  auto const form = world->Input().Below(3);
  auto* const booster = world->Booster();
  auto* const data = world->Data();
  bst_ulong length = 0;
  char const* bytes = nullptr;
  if (!world->Call([&] { return Save(booster, form, &length, &bytes); })) return;
  std::string const text(bytes, length);
  auto const again = MakeBooster();
  Require(Done(Load(again.get(), form, text)), "a model that was saved can be loaded");
  Require(MarginsOf(booster, data) == MarginsOf(again.get(), data), "a model that was loaded predicts as before");
  // JSON cannot hold bytes that are not UTF-8, which attributes may have; their replacements must come back unchanged.
  Require(ModelOf(booster, "json") == ModelOf(again.get(), "json"), "a model that was loaded is saved as before");
}

void SetAttribute(World* world) {
  char const* const kKeys[] = {"best_iteration", "best_score", "cats_seen", "kauri_row_counts", "x", "", "\xff\xfe"};
  char const* const kValues[] = {"1", "x", "", "-5", "[1, 2]", "{", "\xff", nullptr};
  auto& bytes = world->Input();
  auto* const booster = world->Booster();
  auto const* key = bytes.Of(kKeys);
  auto const* value = bytes.Of(kValues);
  world->Change(booster, [&] { return XGBoosterSetAttr(booster, key, value); });
  char const* text = nullptr;
  int found = 0;
  world->Call([&] { return XGBoosterGetAttr(booster, key, &text, &found); });
}

}  // namespace kauri::fuzz
