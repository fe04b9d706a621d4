/// Bad input: iterators and Arrow tables.
#include <string>
#include <vector>

#include "c_api/bad_input.h"
#include "c_api/batches.h"
#include "support/arrow_batch.h"

namespace kauri::testing {
namespace {

/// Returns a function that gives the proxy these rows, and labels if there are any.
std::function<void(DMatrixHandle)> Rows(std::vector<float> const& values, std::int64_t n_cols,
                                        std::vector<float> const& labels = {}) {
  return [=](DMatrixHandle proxy) {
    EXPECT_OK(XGProxyDMatrixSetDataDense(proxy, Table(values, n_cols).c_str()));
    if (labels.empty()) return;
    EXPECT_OK(XGDMatrixSetInfoFromInterface(proxy, "label", Vector(labels).c_str()));
  };
}

Act Read(std::vector<std::function<void(DMatrixHandle)>> const& batches, char const* config = kNaNMissing) {
  return [=](World&) {
    DMatrixHandle handle = nullptr;
    auto const status = Batches(batches).Read(&handle, config);
    EXPECT_EQ(handle, nullptr);
    return status;
  };
}

/// Reads a table of one column of three floats after `spoil` has changed its struct and schema.
Act ReadArrow(std::function<void(ArrowSchema*, ArrowArray*)> const& spoil) {
  return [=](World&) {
    std::vector<float> const values{1, 2, 3};
    ArrowMaker maker;
    maker.Field("width", "f");
    auto batch = maker.Batch(3, {values.data()});
    spoil(maker.Schema(), &batch);
    DMatrixHandle handle = nullptr;
    auto const status = KauriDMatrixCreateFromArrowArray(maker.Schema(), &batch, kNaNMissing, &handle);
    EXPECT_EQ(maker.NumReleased(), 1);
    return status;
  };
}

int FailingStream(World&) {
  ArrowMaker maker;
  maker.Field("width", "f");
  auto stream = maker.Stream({}, 5);
  DMatrixHandle handle = nullptr;
  return KauriDMatrixCreateFromArrowStream(&stream, kNaNMissing, &handle);
}

}  // namespace

std::vector<BadInput> BadBatches() {
  static std::vector<float> const four{1, 2, 3, 4};
  return {
      {"no batch", Read({}), {"no batch"}, KAURI_ERROR_DATA},
      {"batch without data", Read({[](DMatrixHandle) {}}), {"without", "data"}, KAURI_ERROR_DATA},
      {"batches of two widths",
       Read({Rows({1, 2, 3, 4}, 2), Rows({1, 2, 3, 4}, 4)}),
       {"batch 1", "4 columns", "2"},
       KAURI_ERROR_DATA},
      {"a batch without labels", Read({Rows(four, 2, {0, 1}), Rows(four, 2)}), {"label", "batch 1"}, KAURI_ERROR_DATA},
      {"cache_prefix",
       Read({Rows(four, 2)}, R"({"missing": NaN, "cache_prefix": "no/such/folder/cache"})"),
       {"no/such/folder/cache", "cache_prefix"},
       KAURI_ERROR_IO},
      {"iterator without next",
       [](World&) {
         DMatrixHandle handle = nullptr;
         return XGDMatrixCreateFromCallback(nullptr, nullptr, &Batches::Reset, nullptr, kNaNMissing, &handle);
       },
       {"next", "null"},
       KAURI_ERROR_PARAMETER},
      {"DMatrix as proxy",
       [](World& world) {
         DMatrixHandle handle = nullptr;
         return XGDMatrixCreateFromCallback(nullptr, world.problem.data.get(), &Batches::Reset, &Batches::Next,
                                            kNaNMissing, &handle);
       },
       {"needs a proxy"},
       KAURI_ERROR_PARAMETER},
      {"Arrow text",
       ReadArrow([](ArrowSchema* schema, ArrowArray*) { schema->children[0]->format = "u"; }),
       {"'width'", "text"},
       KAURI_ERROR_DATA},
      {"Arrow column too short",
       ReadArrow([](ArrowSchema*, ArrowArray* rows) { rows->length = 4; }),
       {"'width'", "3 elements"},
       KAURI_ERROR_DATA},
      {"Arrow nulls without bits",
       ReadArrow([](ArrowSchema*, ArrowArray* rows) { rows->children[0]->null_count = 1; }),
       {"'width'", "validity"},
       KAURI_ERROR_DATA},
      {"failing Arrow stream", FailingStream, {"get_next", "the disk is gone"}, KAURI_ERROR_DATA},
      {"null Arrow stream",
       [](World&) {
         DMatrixHandle handle = nullptr;
         return KauriDMatrixCreateFromArrowStream(nullptr, kNaNMissing, &handle);
       },
       {"stream", "null"},
       KAURI_ERROR_PARAMETER},
  };
}

}  // namespace kauri::testing
