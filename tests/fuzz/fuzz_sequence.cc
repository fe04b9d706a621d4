/// \file Programs of any bytes over tables and boosters through the C ABI: see sequence/world.h.
///
/// Besides memory errors, it looks for broken guarantees: a call that fails leaves the model unchanged, a saved model
/// can be loaded and predicts the same, 1 and 2 threads train the same bytes, no error is an internal one.
#include <cstddef>
#include <cstdint>

#include "sequence/files.h"
#include "sequence/world.h"

namespace {

using namespace kauri::fuzz;  // a table of its functions

// An instruction's number is its place: new ones are added at the end, so that old inputs keep their meaning.
constexpr void (*kInstructions[])(World*) = {
    CreateData, CreateFromIterator, CreateFromRef, SliceData,     FreeData,       SetInfo,
    SetTable,   SetStrings,         InspectData,   CreateBooster, DropBooster,    SetParam,
    SetParam,   SetObjective,       Update,        UpdateOften,   Boost,          TrainTwins,
    Evaluate,   ResetBooster,       SliceBooster,  Predict,       PredictInPlace, Explain,
    CountRows,  SaveText,           LoadText,      DamageText,    SaveAndLoad,    SetAttribute,
    Inspect,    FailAllocation,     SaveFile,      LoadFile,      SaveBinary,     CreateFromFreedRef,
};
constexpr int kMostInstructions = 40;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  Bytes bytes(data, size);
  World world(&bytes);
  for (int i = 0; i < kMostInstructions && !bytes.AtEnd(); ++i) bytes.Of(kInstructions)(&world);
  ClearTemporaryFiles();
  return 0;
}
