/// \file Measures the time of one row's margin through the C interface, with any library that provides it.
///
///   one_row_bench LIBRARY MODEL COLUMNS [calls 20000] [repeats 5]
///
/// LIBRARY: libkauri.so or libxgboost.so, opened at run time. Each call is XGBoosterPredictFromDense on another row of
/// random values. Prints the minimum time of a call over the repeats, in microseconds, and the sum of the margins.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "kauri/c_api.h"

namespace {

struct Library {
  void* handle;
  /// Fn: the function's type. The program is linked with no library, so it must not take a function's address.
  template <typename Fn>
  Fn* Find(char const* name) const {
    auto* const found = dlsym(handle, name);
    if (found == nullptr) {
      std::fprintf(stderr, "%s is missing\n", name);
      std::exit(1);
    }
    return reinterpret_cast<Fn*>(found);
  }
};

std::vector<float> RandomRows(std::int64_t n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  std::uint64_t state = 1;
  for (auto& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<float>(static_cast<double>(state >> 40U) / (1 << 22) - 2.0);  // [-2, 2)
  }
  return values;
}

std::string ArrayText(float const* values, std::int64_t n_cols) {
  return R"({"data":[)" + std::to_string(reinterpret_cast<std::uintptr_t>(values)) + R"(,true],"shape":[1,)" +
         std::to_string(n_cols) + R"(],"typestr":"<f4","version":3})";
}

double Seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return std::fprintf(stderr, "one_row_bench LIBRARY MODEL COLUMNS [calls] [repeats]\n"), 2;
  Library const library{dlopen(argv[1], RTLD_NOW)};
  if (library.handle == nullptr) return std::fprintf(stderr, "%s\n", dlerror()), 1;
  auto const n_cols = std::atoll(argv[3]);
  auto const n_calls = argc > 4 ? std::atoll(argv[4]) : 20000;
  auto const n_repeats = argc > 5 ? std::atoi(argv[5]) : 5;
  auto* const predict = library.Find<decltype(XGBoosterPredictFromDense)>("XGBoosterPredictFromDense");
  BoosterHandle booster = nullptr;
  library.Find<decltype(XGBoosterCreate)>("XGBoosterCreate")(nullptr, 0, &booster);
  library.Find<decltype(XGBoosterSetParam)>("XGBoosterSetParam")(booster, "nthread", "1");
  if (library.Find<decltype(XGBoosterLoadModel)>("XGBoosterLoadModel")(booster, argv[2]) != 0) {
    return std::fprintf(stderr, "%s\n", library.Find<decltype(XGBGetLastError)>("XGBGetLastError")()), 1;
  }
  constexpr std::int64_t kRows = 256;
  auto const values = RandomRows(kRows * n_cols);
  std::vector<std::string> rows;
  for (std::int64_t row = 0; row < kRows; ++row) rows.push_back(ArrayText(values.data() + row * n_cols, n_cols));
  auto const* config =
      R"({"type":1,"training":false,"iteration_begin":0,"iteration_end":0,"strict_shape":false,"missing":NaN})";
  double least = 1e30;
  double sum = 0.0;
  for (int repeat = 0; repeat <= n_repeats; ++repeat) {
    sum = 0.0;
    auto const start = Seconds();
    for (std::int64_t call = 0; call < n_calls; ++call) {
      bst_ulong const* shape = nullptr;
      bst_ulong dim = 0;
      float const* result = nullptr;
      if (predict(booster, rows[static_cast<std::size_t>(call % kRows)].c_str(), config, nullptr, &shape, &dim,
                  &result) != 0) {
        return std::fprintf(stderr, "%s\n", library.Find<decltype(XGBGetLastError)>("XGBGetLastError")()), 1;
      }
      sum += result[0];
    }
    if (repeat > 0) least = std::min(least, Seconds() - start);
  }
  std::printf("%.3f us a call, sum of margins %.4f\n", least / static_cast<double>(n_calls) * 1e6, sum);
  return 0;
}
