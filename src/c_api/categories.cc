/// Names of categories: this version keeps none, which clients learn from a null container.
#include "c_api/guard.h"
#include "c_api/handles.h"

using namespace kauri::c_api;  // NOLINT: this file defines functions of the global namespace

int XGDMatrixGetCategories(DMatrixHandle handle, char const* /*config*/, CategoriesHandle* out) {
  return Guard([&] {
    DataOf(handle);
    *NotNull(out, "out") = nullptr;
  });
}

int XGBoosterGetCategories(BoosterHandle handle, char const* /*config*/, CategoriesHandle* out) {
  return Guard([&] {
    BoosterOf(handle);
    *NotNull(out, "out") = nullptr;
  });
}

int XGBCategoriesFree(CategoriesHandle handle) {
  return Guard([&] {
    if (handle == nullptr) return;
    kauri::Fail(kauri::ErrorKind::kParameter, "the handle ", handle, " is no container of categories; expected null.");
  });
}
