#include "sequence/world.h"

namespace kauri::fuzz {

SavedModel ModelOf(BoosterHandle booster, char const* format) {
  bst_ulong length = 0;
  char const* bytes = nullptr;
  SavedModel saved;
  auto const config = std::string(R"({"format": ")") + format + "\"}";
  saved.status = XGBoosterSaveModelToBuffer(booster, config.c_str(), &length, &bytes);
  if (Done(saved.status)) saved.bytes.assign(bytes, length);
  return saved;
}

OwnBooster MakeBooster() {
  BoosterHandle booster = nullptr;
  Require(XGBoosterCreate(nullptr, 0, &booster) == 0, "a booster can be made");
  Require(XGBoosterSetParam(booster, "nthread", "1") == 0, "a number of threads can be set");
  return OwnBooster(booster);
}

World::~World() {
  for (auto* data : data_) {
    if (data != nullptr) Require(XGDMatrixFree(data) == 0, "a matrix can be freed");
  }
  for (auto* booster : boosters_) {
    if (booster != nullptr) Require(XGBoosterFree(booster) == 0, "a booster can be freed");
  }
}

DMatrixHandle World::Data() {
  auto& place = data_[bytes_.Below(kPlaces)];
  if (place == nullptr) place = PlainData();
  return place;
}

BoosterHandle World::Booster() {
  auto& place = boosters_[bytes_.Below(kPlaces)];
  if (place == nullptr) place = MakeBooster().release();
  return place;
}

void World::Keep(DMatrixHandle data) {
  auto& place = data_[bytes_.Below(kPlaces)];
  if (place != nullptr) Require(XGDMatrixFree(place) == 0, "a matrix can be freed");
  place = data;
}

void World::KeepBooster(BoosterHandle booster) {
  auto& place = boosters_[bytes_.Below(kPlaces)];
  if (place != nullptr) Require(XGBoosterFree(place) == 0, "a booster can be freed");
  place = booster;
}

void FailAllocation(World* world) {
  auto const count = world->Input().Next();
  world->FailAllocationAfter(count < 128 ? count : (count - 127) * 16);
}

}  // namespace kauri::fuzz
