/// \file The objects of a program of fuzz_sequence: a few places for tables, boosters and saved texts.
///
/// A program is a list of bytes. Each instruction takes the next byte as its number and further ones as its arguments.
/// A place that is empty when an instruction needs it is filled with a plain object, so that short programs achieve
/// much. An instruction about failures determines what fails in the next call.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sequence/failing_new.h"
#include "support/bytes.h"
#include "support/require.h"

namespace kauri::fuzz {

/// A model's bytes, or the status that it cannot be saved.
struct SavedModel {
  int status = 0;
  std::string bytes;
  bool operator==(SavedModel const& other) const { return status == other.status && bytes == other.bytes; }
};

SavedModel ModelOf(BoosterHandle booster, char const* format = "ubj");

/// Frees a booster at the end of the scope.
struct FreeBooster {
  void operator()(void* handle) const { Require(XGBoosterFree(handle) == 0, "a booster can be freed"); }
};
using OwnBooster = std::unique_ptr<void, FreeBooster>;
OwnBooster MakeBooster();

class World {
 public:
  explicit World(Bytes* bytes) : bytes_(*bytes) {}
  ~World();
  World(World const&) = delete;
  World& operator=(World const&) = delete;

  Bytes& Input() { return bytes_; }
  /// Returns the object in a place that the input chooses.
  DMatrixHandle Data();
  BoosterHandle Booster();
  std::string& Text() { return texts_[bytes_.Below(kPlaces)]; }
  /// Puts the object into a place that the input chooses; the earlier object there is freed.
  void Keep(DMatrixHandle data);
  void KeepBooster(BoosterHandle booster);

  /// Makes an allocation of the next call fail: the one after `count` others.
  void FailAllocationAfter(std::int64_t count) { countdown_ = count; }
  /// Makes a call that changes no booster. \return whether it succeeded.
  template <typename Fn>
  bool Call(Fn&& call) {
    FailingNew const failing(std::exchange(countdown_, -1));
    return Done(call());
  }
  /// Makes a call that changes `booster`. If it fails, the model must be unchanged, unless parameters prevented it from
  /// being saved.
  template <typename Fn>
  bool Change(BoosterHandle booster, Fn&& call) {
    auto const before = ModelOf(booster);
    if (Call(std::forward<Fn>(call))) return true;
    Require(before.status != 0 || ModelOf(booster) == before, "a call that fails leaves the model as it was");
    return false;
  }

 private:
  static constexpr unsigned kPlaces = 3;

  Bytes& bytes_;
  std::int64_t countdown_ = -1;
  std::array<DMatrixHandle, kPlaces> data_{};
  std::array<BoosterHandle, kPlaces> boosters_{};
  std::array<std::string, kPlaces> texts_;
};

/// Makes a table chosen by the input; null when the library refuses it.
DMatrixHandle MakeData(World* world);
/// Makes twelve rows of three columns, labels 0 and 1.
DMatrixHandle PlainData();
/// Makes values of a field, usual or strange ones; the input chooses their kind and number.
std::vector<float> MakeValues(Bytes* bytes, std::size_t size);

// The instructions.
void CreateData(World* world);
void CreateFromIterator(World* world);
void CreateFromRef(World* world);
void CreateFromFreedRef(World* world);
void SliceData(World* world);
void FreeData(World* world);
void SetInfo(World* world);
void SetTable(World* world);
void SetStrings(World* world);
void InspectData(World* world);
void CreateBooster(World* world);
void DropBooster(World* world);
void SetParam(World* world);
void SetObjective(World* world);
void Update(World* world);
void UpdateOften(World* world);
void Boost(World* world);
void TrainTwins(World* world);
void Evaluate(World* world);
void ResetBooster(World* world);
void SliceBooster(World* world);
void Predict(World* world);
void PredictInPlace(World* world);
void Explain(World* world);
void CountRows(World* world);
void SaveText(World* world);
void LoadText(World* world);
void DamageText(World* world);
void SaveAndLoad(World* world);
void SetAttribute(World* world);
void Inspect(World* world);
void FailAllocation(World* world);
void SaveFile(World* world);
void LoadFile(World* world);
void SaveBinary(World* world);

}  // namespace kauri::fuzz
