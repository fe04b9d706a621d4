/// \file Measures the time of packing paths into the bins of warps (bin_packing.h), for each method.
///
///   packing_bench SIZES [repeats 5]
///
/// SIZES is a file of one byte per path: its number of elements, 1 to 32, in the order of leaves. Prints a line per
/// method: its name in shap_bin_packing, the median of the seconds after a warm-up, bins, utilisation. One thread.
///
/// Lower bound for 6.7 M paths: 6.7 MB of sizes and 54 MB of bins are read or written two to four times, about 0.03 s.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "kauri/error.h"
#include "predictor/lanes/bin_packing.h"
#include "predictor/lanes/packed_paths.h"

namespace kauri {
namespace {

constexpr std::pair<char const*, BinPacking> kWays[] = {{"none", BinPacking::kNone},
                                                        {"nf", BinPacking::kNextFit},
                                                        {"ffd", BinPacking::kFirstFitDecreasing},
                                                        {"bfd", BinPacking::kBestFitDecreasing}};

std::vector<std::uint8_t> ReadSizes(char const* name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) Fail(ErrorKind::kData, "cannot read ", name, ".");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

double Seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void Run(char const* name, int repeats) {
  auto const sizes = ReadSizes(name);
  for (auto const& [way, packing] : kWays) {
    auto const packed = PackBins(sizes, kWarpLanes, packing);
    std::vector<double> seconds;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      auto const start = Seconds();
      PackBins(sizes, kWarpLanes, packing);
      seconds.push_back(Seconds() - start);
    }
    std::sort(seconds.begin(), seconds.end());
    std::printf("%s %.9f %lld %.9f\n", way, seconds[seconds.size() / 2], static_cast<long long>(packed.NumBins()),
                packed.Utilisation());
  }
}

}  // namespace
}  // namespace kauri

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: packing_bench SIZES [repeats]\n");
    return 2;
  }
  try {
    kauri::Run(argv[1], argc > 2 ? std::max(1, std::atoi(argv[2])) : 5);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
