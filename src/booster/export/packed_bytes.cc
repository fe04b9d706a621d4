#include "booster/export/packed_bytes.h"

namespace kauri::model_export {

void BytePacker::Add(std::vector<std::uint32_t> const& numbers, std::size_t width) {
  // By place of the byte, then by the bits before: the number that they form behind a leading 1.
  std::vector<std::array<std::uint16_t, 256>> probabilities(width);
  for (auto& of_place : probabilities) of_place.fill(32768);
  for (auto const number : numbers) {
    for (auto place = width; place-- > 0;) {
      auto const byte = number >> (8 * place) & 0xFFU;
      std::size_t before = 1;
      for (unsigned shift = 8; shift-- > 0;) {
        auto const bit = byte >> shift & 1U;
        Encode(bit, &probabilities[place][before]);
        before = 2 * before + bit;
      }
    }
  }
}

void BytePacker::Encode(unsigned bit, std::uint16_t* probability) {
  constexpr std::uint32_t kOne = 65536;  // probability of a 1, in units of 2^-16
  constexpr unsigned kRate = 5;
  auto const range = high_ - low_;
  auto const middle = low_ + (range >> 16U) * *probability + ((range & 0xFFFFU) * *probability >> 16U);
  if (bit != 0) {
    high_ = middle;
    *probability = static_cast<std::uint16_t>(*probability + ((kOne - *probability) >> kRate));
  } else {
    low_ = middle + 1;
    *probability = static_cast<std::uint16_t>(*probability - (*probability >> kRate));
  }
  for (; (low_ ^ high_) < 1U << 24U; low_ <<= 8U, high_ = high_ << 8U | 0xFFU) {
    out_.push_back(static_cast<std::uint8_t>(low_ >> 24U));
  }
}

std::vector<std::uint8_t> BytePacker::Finish() {
  for (int byte = 0; byte < 4; ++byte, low_ <<= 8U) out_.push_back(static_cast<std::uint8_t>(low_ >> 24U));
  return out_;
}

}  // namespace kauri::model_export
