#include "common/files/checksum.h"

#include <gtest/gtest.h>

#include <string>

namespace kauri {
namespace {

std::uint32_t ChecksumOf(std::string const& text, std::uint32_t before = 0) {
  return Crc32c({text.data(), text.size()}, before);
}

/// Uses RFC 3720, appendix B.4, and the check value of the catalogue of polynomials.
TEST(Checksum, OfKnownTexts) {
  EXPECT_EQ(ChecksumOf("123456789"), 0xE3069283U);
  EXPECT_EQ(ChecksumOf(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(ChecksumOf(std::string(32, '\xFF')), 0x62A8AB43U);
  EXPECT_EQ(ChecksumOf(""), 0U);
}

TEST(Checksum, GoesOnFromWhatCameBefore) {
  std::string const text = "The quick brown fox jumps over the lazy dog";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_EQ(ChecksumOf(text.substr(cut), ChecksumOf(text.substr(0, cut))), ChecksumOf(text)) << cut;
  }
}

}  // namespace
}  // namespace kauri
