// A C++ program that learns four rows and predicts them, with handles that free themselves and errors that are thrown.
#include <kauri/c_api.h>
#include <kauri/version.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void Check(int status) {
  if (status != 0) throw std::runtime_error(XGBGetLastError());
}

template <int (*Free)(void*)>
struct Freeing {
  void operator()(void* handle) const { Free(handle); }
};
using Matrix = std::unique_ptr<void, Freeing<XGDMatrixFree>>;
using Booster = std::unique_ptr<void, Freeing<XGBoosterFree>>;

/// One column.
Matrix MakeMatrix(std::vector<float> const& rows) {
  auto const address = std::to_string(reinterpret_cast<std::uintptr_t>(rows.data()));
  auto const array = R"({"data": [)" + address + R"(, true], "typestr": "<f4", "shape": [)" +
                     std::to_string(rows.size()) + R"(, 1], "version": 3})";
  DMatrixHandle handle = nullptr;
  Check(XGDMatrixCreateFromDense(array.c_str(), R"({"missing": NaN})", &handle));
  return Matrix(handle);
}

Booster Train(Matrix const& data, int n_rounds) {
  DMatrixHandle const known[] = {data.get()};
  BoosterHandle handle = nullptr;
  Check(XGBoosterCreate(known, 1, &handle));
  Booster booster(handle);
  Check(XGBoosterSetParam(handle, "eta", "1"));
  Check(XGBoosterSetParam(handle, "lambda", "0"));
  for (int round = 0; round < n_rounds; ++round) Check(XGBoosterUpdateOneIter(handle, round, data.get()));
  return booster;
}

std::vector<float> Predict(Booster const& booster, Matrix const& data) {
  auto const* const how = R"({"type": 0, "training": false, "iteration_begin": 0, "iteration_end": 0,
                              "strict_shape": false})";
  bst_ulong const* shape = nullptr;
  bst_ulong n_dimensions = 0;
  float const* values = nullptr;
  Check(XGBoosterPredictFromDMatrix(booster.get(), data.get(), how, &shape, &n_dimensions, &values));
  return {values, values + shape[0]};
}

}  // namespace

int main() try {
  if (std::string(KauriVersion()) != KAURI_VERSION) throw std::runtime_error("headers of another version");
  std::vector<float> const labels{0, 0, 1, 1};
  auto const data = MakeMatrix({0, 1, 2, 3});
  Check(XGDMatrixSetFloatInfo(data.get(), "label", labels.data(), labels.size()));
  auto const booster = Train(data, 3);
  std::printf("Kauri %s:", KAURI_VERSION);
  for (auto const value : Predict(booster, MakeMatrix({0.5F, 2.5F}))) std::printf(" %.2f", value);
  std::printf("\n");
  return 0;
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
