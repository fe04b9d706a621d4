/// \file Measures explanations on several devices: rows per second through the C ABI on 1, 2, 4, .. of the available
/// devices.
///
///   shap_devices_bench MODEL [rows 1000000] [repeats 5] [kind contributions|interactions] [devices all|N|cpu]
///   shap_devices_bench random:TREES:DEPTH:COLUMNS:CLASSES ...
///
/// MODEL and rows as in gpu_shap_bench. The call is XGBoosterPredictFromDense with rows and results in host memory;
/// times are wall-clock medians after two warm-ups. The first call, which compiles, is printed separately. Every result
/// is compared with the result of one device; any different bit fails. `cpu` tries the command without a device.
///
/// Lower bound for the medium housing model, 1 M rows on 8 H100: kernels 23 ms (1.8 ms for 10,000 rows on one); 32 MB
/// of rows and 36 MB of results cross the buses of eight devices in 1 ms and are copied once each by the host, 136 MB
/// read and written, 2 ms at 70 GB/s, most of it while the kernels run.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

#include "kauri/c_api.h"
#include "kauri/plugin.h"
#include "shap_bench.h"

namespace kauri::testing {
namespace {

struct Options {
  std::string model;
  std::int64_t rows = 1000000;
  int repeats = 5;
  std::string kind = "contributions";
  std::string devices = "all";
};

void Check(int code) {
  if (code != 0) Fail(ErrorKind::kInternal, XGBGetLastError());
}

struct FreeBooster {
  void operator()(void* handle) const { XGBoosterFree(handle); }
};
using BoosterPointer = std::unique_ptr<void, FreeBooster>;

BoosterPointer MakeBooster(Model const& model) {
  BoosterHandle handle = nullptr;
  Check(XGBoosterCreate(nullptr, 0, &handle));
  BoosterPointer booster(handle);
  auto const bytes = SerialiseModel(model, ModelFormat::kUbjson);
  Check(XGBoosterLoadModelFromBuffer(handle, bytes.data(), bytes.size()));
  return booster;
}

/// Returns "cpu", or "cuda:0,1,.." for 1, 2, 4, .. devices and for all.
std::vector<std::string> DeviceLists(std::string const& asked) {
  if (asked == "cpu") return {"cpu"};
  auto n_devices = RequireCudaDevices();
  if (asked != "all") n_devices = std::min(n_devices, std::atoi(asked.c_str()));
  std::vector<std::string> lists;
  std::string list = "cuda:0";
  for (int n = 1; n <= n_devices; list += "," + std::to_string(n), ++n) {
    if ((n & (n - 1)) == 0 || n == n_devices) lists.push_back(list);
  }
  return lists;
}

/// Calls one booster on the same rows.
class Call {
 public:
  Call(Options const& options, Model const& model, std::vector<float> const& rows)
      : booster_(MakeBooster(model)), type_(options.kind == "interactions" ? 4 : 2) {
    std::ostringstream array;
    array << R"({"data": [)" << reinterpret_cast<std::uintptr_t>(rows.data())
          << R"(, true], "typestr": "<f4", "shape": [)" << options.rows << ", " << model.n_features
          << R"(], "strides": null, "version": 3})";
    rows_ = array.str();
  }
  void SetDevice(std::string const& device) { Check(XGBoosterSetParam(booster_.get(), "device", device.c_str())); }
  void operator()() {
    auto const config = R"({"type": )" + std::to_string(type_) +
                        R"(, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false, "missing": NaN})";
    bst_ulong const* shape = nullptr;
    bst_ulong dim = 0;
    Check(XGBoosterPredictFromDense(booster_.get(), rows_.c_str(), config.c_str(), nullptr, &shape, &dim, &values_));
    size_ = 1;
    for (bst_ulong i = 0; i < dim; ++i) size_ *= shape[i];
  }
  std::vector<float> Result() const { return {values_, values_ + size_}; }
  bool Equals(std::vector<float> const& other) const {
    return size_ == other.size() && std::memcmp(values_, other.data(), size_ * sizeof(float)) == 0;
  }

 private:
  BoosterPointer booster_;
  int type_;
  std::string rows_;
  float const* values_ = nullptr;
  std::size_t size_ = 0;
};

int Run(Options const& options) {
  auto const model = ReadModel(options.model);
  auto const rows = RowsAround(model, options.rows);
  std::printf("%s: %zu trees, %lld features, %s of %lld rows, %u host threads\n%s", options.model.c_str(),
              model.trees.size(), static_cast<long long>(model.n_features), options.kind.c_str(),
              static_cast<long long>(options.rows), std::thread::hardware_concurrency(),
              options.devices == "cpu" ? "" : GetCudaPluginStatus().devices.c_str());
  std::printf("%-24s %10s %10s %10s %14s %8s %s\n", "device", "median ms", "min ms", "first ms", "rows/s", "x one",
              "same bits");
  Call call(options, model, rows);
  std::vector<float> expected;
  double of_one = 0.0;
  auto all_same = true;
  for (auto const& device : DeviceLists(options.devices)) {
    call.SetDevice(device);
    auto const first = Milliseconds(std::ref(call));
    call();
    std::vector<double> times;
    for (int repeat = 0; repeat < options.repeats; ++repeat) times.push_back(Milliseconds(std::ref(call)));
    std::sort(times.begin(), times.end());
    auto const median = times[times.size() / 2];
    if (expected.empty()) {
      expected = call.Result();
      of_one = median;
    }
    auto const same = call.Equals(expected);
    all_same = all_same && same;
    std::printf("%-24s %10.2f %10.2f %10.0f %14.0f %8.2f %s\n", device.c_str(), median, times[0], first,
                static_cast<double>(options.rows) / median * 1e3, of_one / median, same ? "yes" : "NO");
    std::fflush(stdout);
  }
  return all_same ? 0 : 1;
}

Options ParseOptions(int argc, char** argv) {
  Options options;
  options.model = argv[1];
  if (argc > 2) options.rows = std::atoll(argv[2]);
  if (argc > 3) options.repeats = std::max(1, std::atoi(argv[3]));
  if (argc > 4) options.kind = argv[4];
  if (argc > 5) options.devices = argv[5];
  return options;
}

}  // namespace
}  // namespace kauri::testing

int main(int argc, char** argv) {
  using namespace kauri::testing;  // acceptable in the only file of a program
  return RunBenchmark(argc, "shap_devices_bench MODEL [rows] [repeats] [contributions|interactions] [all|N|cpu]",
                      [&] { return Run(ParseOptions(argc, argv)); });
}
