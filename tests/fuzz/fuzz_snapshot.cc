/// \file Snapshots of any bytes, XGBoost's or Kauri's. The result must be an Error, or a booster whose own snapshots
/// can be read.
#include <cstddef>
#include <cstdint>
#include <string>

#include "booster/learner.h"
#include "kauri/error.h"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  kauri::Client const package{kauri::Habits::kXgboost, {3, 4, 1}};
  for (auto const& client : {package, kauri::Client()}) {
    kauri::Learner learner(client);
    std::string snapshot;
    try {
      learner.LoadSnapshot({reinterpret_cast<char const*>(data), size});
      snapshot = learner.SaveSnapshot();
    } catch (kauri::Error const&) {
      continue;
    }
    for (auto const& reader : {package, kauri::Client()}) {
      kauri::Learner again(reader);
      again.LoadSnapshot({snapshot.data(), snapshot.size()});
      if (again.NumIterations() != learner.NumIterations()) __builtin_trap();
    }
  }
  return 0;
}
