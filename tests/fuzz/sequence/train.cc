/// Trains and evaluates rounds, and makes other changes to a booster.
#include <algorithm>
#include <string>
#include <vector>

#include "sequence/tables.h"
#include "sequence/world.h"

namespace kauri::fuzz {
namespace {

int RoundsOf(BoosterHandle booster) {
  int n_rounds = 0;
  Require(XGBoosterBoostedRounds(booster, &n_rounds) == 0, "rounds can be counted");
  return n_rounds;
}

std::string SnapshotOf(BoosterHandle booster) {
  bst_ulong length = 0;
  char const* bytes = nullptr;
  return Done(XGBoosterSerializeToBuffer(booster, &length, &bytes)) ? std::string(bytes, length) : std::string();
}

/// Returns the booster of a snapshot after a round of training on some threads.
SavedModel Trained(std::string const& snapshot, char const* threads, DMatrixHandle data) {
  auto const booster = MakeBooster();
  Require(Done(XGBoosterUnserializeFromBuffer(booster.get(), snapshot.data(), snapshot.size())), "a snapshot is read");
  Require(XGBoosterSetParam(booster.get(), "nthread", threads) == 0, "a number of threads can be set");
  auto const status = XGBoosterUpdateOneIter(booster.get(), RoundsOf(booster.get()), data);
  auto model = ModelOf(booster.get());
  if (!Done(status)) model.status = status;
  return model;
}

}  // namespace

void CreateBooster(World* world) {
  auto const with_data = world->Input().Flag();
  DMatrixHandle const data = with_data ? world->Data() : nullptr;
  BoosterHandle booster = nullptr;
  if (!world->Call([&] { return XGBoosterCreate(&data, with_data ? 1 : 0, &booster); })) return;
  Require(XGBoosterSetParam(booster, "nthread", "1") == 0, "a number of threads can be set");
  world->KeepBooster(booster);
}

void DropBooster(World* world) { world->KeepBooster(nullptr); }

void Update(World* world) {
  auto* const booster = world->Booster();
  auto* const data = world->Data();
  auto const form = world->Input().Next();
  auto const round = form < 200 ? RoundsOf(booster) : static_cast<int>(form) - 202;
  world->Change(booster, [&] { return XGBoosterUpdateOneIter(booster, round, data); });
}

void UpdateOften(World* world) {
  auto* const booster = world->Booster();
  auto* const data = world->Data();
  for (auto n = 2 + world->Input().Below(3); n > 0; --n) {
    auto const round = RoundsOf(booster);
    if (!world->Change(booster, [&] { return XGBoosterUpdateOneIter(booster, round, data); })) return;
  }
}

void Boost(World* world) {
  auto& bytes = world->Input();
  auto* const booster = world->Booster();
  auto* const data = world->Data();
  bst_ulong n_rows = 0;
  Require(XGDMatrixNumRow(data, &n_rows) == 0, "a matrix has a size");
  auto const form = bytes.Next();
  auto const width = 1 + form % 4;
  auto const rows = n_rows + (form >= 224 ? 1 : 0);
  auto gradients = MakeValues(&bytes, rows * width);
  auto hessians = MakeValues(&bytes, rows * width);
  auto const shape = "[" + std::to_string(rows) + ", " + std::to_string(width) + "]";
  auto const first = Interface(gradients, "<f4", shape);
  auto const second = Interface(hessians, "<f4", shape);
  auto const round = RoundsOf(booster);
  world->Change(booster, [&] {
    if (form / 4 % 2 == 0) return XGBoosterTrainOneIter(booster, data, round, first.c_str(), second.c_str());
    return XGBoosterBoostOneIter(booster, data, gradients.data(), hessians.data(), gradients.size());
  });
}

void TrainTwins(World* world) {
  auto const snapshot = SnapshotOf(world->Booster());
  auto* const data = world->Data();
  if (snapshot.empty()) return;
  auto const alone = Trained(snapshot, "1", data);
  Require(alone == Trained(snapshot, "2", data), "one and two threads learn the same");
}

void Evaluate(World* world) {
  auto* const booster = world->Booster();
  DMatrixHandle sets[] = {world->Data(), world->Data()};
  char const* names[] = {"train", "test"};
  auto const n_sets = 1 + world->Input().Below(2);
  char const* text = nullptr;
  world->Change(booster, [&] { return XGBoosterEvalOneIter(booster, 0, sets, names, n_sets, &text); });
}

void ResetBooster(World* world) {
  auto* const booster = world->Booster();
  world->Change(booster, [&] { return XGBoosterReset(booster); });
}

void SliceBooster(World* world) {
  auto& bytes = world->Input();
  auto* const booster = world->Booster();
  auto const begin = static_cast<int>(bytes.Below(5)) - 1;
  auto const end = static_cast<int>(bytes.Below(6)) - 1;
  auto const step = static_cast<int>(bytes.Below(4));
  BoosterHandle part = nullptr;
  if (!world->Call([&] { return XGBoosterSlice(booster, begin, end, step, &part); })) return;
  Require(XGBoosterSetParam(part, "nthread", "1") == 0, "a number of threads can be set");
  world->KeepBooster(part);
}

void CountRows(World* world) {
  auto* const booster = world->Booster();
  auto* const data = world->Data();
  world->Change(booster, [&] { return KauriBoosterCountRows(booster, data); });
}

}  // namespace kauri::fuzz
