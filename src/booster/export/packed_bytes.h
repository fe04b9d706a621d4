/// \file Bytes of tables in less space, for files that are downloaded: an arithmetic coder whose model of each bit
/// adapts to the bits before it (Witten, Neal and Cleary 1987, "Arithmetic coding for data compression").
///
/// The coder keeps an interval [low, high] of 32-bit numbers. A bit takes the lower part of the interval if it is 1 and
/// the upper part if it is 0, in the ratio of their probabilities. Leading bytes that low and high share are written.
/// Each element of a table is coded from its highest byte to its lowest, and each byte from its highest bit. The
/// probability of a bit depends on the place of its byte in the element and on the bits before it in the byte. So the
/// exponents of leaves and the left sides of small subtrees take few bits, and the last bits of a leaf take one each.
///
/// The exported code of the decoder is kCUnpack (wasm_code.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kauri::model_export {

class BytePacker {
 public:
  /// Adds a table of numbers of `width` bytes each, 1 to 4. Probabilities start anew.
  void Add(std::vector<std::uint32_t> const& numbers, std::size_t width);
  /// Returns all tables. Nothing can be added afterwards.
  std::vector<std::uint8_t> Finish();

 private:
  void Encode(unsigned bit, std::uint16_t* probability);

  std::uint32_t low_ = 0;
  std::uint32_t high_ = 0xFFFFFFFFU;
  std::vector<std::uint8_t> out_;
};

}  // namespace kauri::model_export
