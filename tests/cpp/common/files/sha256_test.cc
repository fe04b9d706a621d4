#include <gtest/gtest.h>

#include <string>

#include "common/files/checksum.h"

namespace kauri {
namespace {

std::string DigestOf(std::string const& text) {
  Sha256 digest;
  digest.Add(text);
  return digest.Finish();
}

/// Uses FIPS 180-2, appendix B, and the empty message of NIST's test vectors.
TEST(Sha256, OfKnownTexts) {
  EXPECT_EQ(DigestOf(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(DigestOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(DigestOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(DigestOf(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowBytesCome) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += static_cast<char>(i * 7);
  for (std::size_t length = 0; length <= text.size(); ++length) {
    auto const whole = DigestOf(text.substr(0, length));
    for (std::size_t step : {1, 3, 55, 63, 64, 65}) {
      Sha256 digest;
      for (std::size_t begin = 0; begin < length; begin += step)
        digest.Add(text.substr(begin, std::min(step, length - begin)));
      EXPECT_EQ(digest.Finish(), whole) << length << " bytes, " << step << " at a time";
    }
  }
}

}  // namespace
}  // namespace kauri
