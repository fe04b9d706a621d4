/// Makes tables from iterators, correct and faulty ones.
#include <string>
#include <utility>
#include <vector>

#include "sequence/tables.h"
#include "sequence/world.h"

namespace kauri::fuzz {
namespace {

enum class Fault { kNone, kNoData, kOtherRows, kEndless, kNoLabels, kFreesProxy, kFreesRef };

/// Batches that a caller holds. `next` must not allocate, because an allocation may be about to fail.
struct Batches {
  std::vector<Cells> tables;
  std::vector<std::string> arrays;
  std::vector<std::vector<float>> labels;
  DMatrixHandle proxy = nullptr;
  DMatrixHandle ref = nullptr;  ///< freed by the iterator if the fault is of this kind
  std::size_t at = 0;
  int n_passes = 0;
  int n_calls = 0;
  bool by_columns = false;
  Fault fault = Fault::kNone;
};

void Reset(DataIterHandle handle) {
  auto& batches = *static_cast<Batches*>(handle);
  batches.at = 0;
  ++batches.n_passes;
}

int Next(DataIterHandle handle) {
  auto& batches = *static_cast<Batches*>(handle);
  auto const n = batches.tables.size();
  if (batches.at == n || ++batches.n_calls > 100) return 0;
  auto i = batches.at++;
  if (batches.fault == Fault::kFreesProxy) Require(XGDMatrixFree(batches.proxy) != 0, "a proxy in use is not freed");
  if (batches.fault == Fault::kFreesRef && batches.ref != nullptr) {
    Require(XGDMatrixFree(std::exchange(batches.ref, nullptr)) == 0, "a reference in use can be freed");
  }
  if (batches.fault == Fault::kOtherRows && batches.n_passes % 2 == 0) i = n - 1 - i;
  if (batches.fault == Fault::kNoData && i == 1) return 1;
  auto const& array = batches.arrays[i];
  auto const status = batches.by_columns ? XGProxyDMatrixSetDataColumnar(batches.proxy, array.c_str())
                                         : XGProxyDMatrixSetDataDense(batches.proxy, array.c_str());
  if (status != 0) return 0;
  if (batches.fault == Fault::kNoLabels && i == 1) return 1;
  auto const& labels = batches.labels[i];
  XGDMatrixSetFloatInfo(batches.proxy, "label", labels.data(), labels.size());
  return 1;
}

Batches MakeBatches(Bytes* bytes) {
  Batches batches;
  auto const form = bytes->Next();
  batches.by_columns = form % 2 == 1;
  auto const fault = form / 2 % 16;
  batches.fault = fault <= static_cast<unsigned>(Fault::kFreesRef) ? static_cast<Fault>(fault) : Fault::kNone;
  auto const n_cols = form / 32 % 7;
  auto const n = 1 + bytes->Below(3);
  for (unsigned i = 0; i < n; ++i) batches.tables.emplace_back(bytes, n_cols);
  for (auto const& table : batches.tables) {
    batches.arrays.push_back(batches.by_columns ? table.Columns() : table.Dense());
    batches.labels.push_back(MakeValues(bytes, table.rows));
  }
  Require(XGProxyDMatrixCreate(&batches.proxy) == 0, "a proxy can be made");
  return batches;
}

std::string ConfigOf(Bytes* bytes) {
  char const* const kConfigs[] = {R"({"missing": NaN, "nthread": 1})",
                                  R"({"missing": NaN, "nthread": 1, "max_bin": 4})", R"({"missing": 1, "nthread": 1})",
                                  R"({"missing": NaN, "nthread": 1, "max_bin": 1})"};
  return bytes->Of(kConfigs);
}

void Create(World* world, bool binned, DMatrixHandle ref, bool frees_ref) {
  auto batches = MakeBatches(&world->Input());
  if (frees_ref) batches.ref = ref;
  auto const config = ConfigOf(&world->Input());
  DMatrixHandle data = nullptr;
  auto const made = world->Call([&] {
    if (!binned) return XGDMatrixCreateFromCallback(&batches, batches.proxy, Reset, Next, config.c_str(), &data);
    return XGQuantileDMatrixCreateFromCallback(&batches, batches.proxy, ref, Reset, Next, config.c_str(), &data);
  });
  if (made) world->Keep(data);
  Require(XGDMatrixFree(batches.proxy) == 0, "a proxy can be freed");
  if (batches.ref != nullptr) Require(XGDMatrixFree(batches.ref) == 0, "a reference can be freed");
}

}  // namespace

void CreateFromIterator(World* world) {
  auto const binned = world->Input().Flag();
  Create(world, binned, nullptr, false);
}

void CreateFromRef(World* world) { Create(world, true, world->Data(), false); }

void CreateFromFreedRef(World* world) {
  auto* const ref = PlainData();
  Create(world, true, ref, true);
}

}  // namespace kauri::fuzz
