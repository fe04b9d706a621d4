/// The cuts of a matrix that keeps bins.
#include "c_api/arrays.h"
#include "c_api/guard.h"
#include "c_api/handles.h"
#include "data/bin_store.h"

namespace kauri::c_api {
namespace {

/// Per feature the lower bound, then its cuts.
void CopyCuts(QuantileCuts const& cuts, std::vector<bst_ulong>* indptr, std::vector<float>* values) {
  indptr->assign(1, 0);
  values->clear();
  for (std::size_t feature = 0; feature < cuts.min_values.size(); ++feature) {
    values->push_back(cuts.min_values[feature]);
    values->insert(values->end(), cuts.Of(feature), cuts.Of(feature) + cuts.NumBins(feature));
    indptr->push_back(values->size());
  }
}

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // NOLINT: this file defines functions of the global namespace

int XGDMatrixGetQuantileCut(DMatrixHandle handle, char const* config, char const** out_indptr, char const** out_data) {
  return Guard([&] {
    NotNull(config, "config");
    auto& matrix = DataOf(handle);
    auto const bins = kauri::BinsOf(*matrix.data);
    if (bins == nullptr) {
      kauri::Fail(kauri::ErrorKind::kData,
                  "the matrix keeps values and has no cuts; make a QuantileDMatrix of the same rows.");
    }
    auto& buffers = matrix.Buffers();
    CopyCuts(bins->Layout().Cuts(), &buffers.shape, &buffers.floats);
    buffers.strings = {InterfaceOf(buffers.shape.data(), {buffers.shape.size()}, "<u8").dump(),
                       InterfaceOf(buffers.floats.data(), {buffers.floats.size()}, "<f4").dump()};
    *NotNull(out_indptr, "out_indptr") = buffers.strings[0].c_str();
    *NotNull(out_data, "out_data") = buffers.strings[1].c_str();
  });
}
