#include "collective/network/channel.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "common/files/checksum.h"
#include "common/platform/random.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr char const* kMagic = "kbt1";
constexpr std::size_t kMagicBytes = 4;
constexpr std::size_t kNonceBytes = 32;         // hexadecimal digits
constexpr std::size_t kLengthBytes = 8;         // hexadecimal digits
constexpr std::size_t kProofBytes = 64;         // hexadecimal digits
constexpr std::size_t kMostText = 1 << 24;      // the addresses of 100,000 workers
constexpr std::size_t kMostUnproved = 1 << 14;  // the first message to a server, from whoever connects
constexpr std::size_t kPiece = 1 << 16;

char HexDigit(unsigned value) { return "0123456789abcdef"[value & 15U]; }

/// Returns the bytes that hexadecimal digits stand for; the digits are this library's own.
std::string BytesOfHex(std::string const& hex) {
  auto const value = [](char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(value(hex[i]) * 16 + value(hex[i + 1])));
  }
  return bytes;
}

std::string Digest(std::string const& text) {
  Sha256 sha;
  sha.Add(text);
  return BytesOfHex(sha.Finish());
}

/// Compares in a time that does not tell where two texts differ.
bool AreEqual(std::string const& one, std::string const& other) {
  if (one.size() != other.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i) difference |= static_cast<unsigned char>(one[i] ^ other[i]);
  return difference == 0;
}

std::string LengthText(std::size_t length) {
  std::string text(kLengthBytes, '0');
  for (std::size_t i = 0; i < kLengthBytes; ++i) text[kLengthBytes - 1 - i] = HexDigit(length >> (4 * i));
  return text;
}

[[noreturn]] void FailProtocol(char const* what) {
  Fail(ErrorKind::kCollective, what, "; all processes must use the same version of Kauri.");
}

/// Returns the length of a message. \throws Error(kCollective) for other text, and for a length beyond `most`.
std::size_t LengthOf(std::string const& frame, std::size_t most) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    auto const digit = frame[i];
    auto const is_number = digit >= '0' && digit <= '9';
    if (!is_number && (digit < 'a' || digit > 'f'))
      FailProtocol("a message begins with something else than its length");
    length = 16 * length + static_cast<std::size_t>(is_number ? digit - '0' : digit - 'a' + 10);
  }
  if (length > most) FailProtocol("a message is too long");
  return length;
}

}  // namespace

std::string RandomHex(std::size_t n_bytes) {
  std::vector<unsigned char> bytes(n_bytes);
  if (auto const error = platform::RandomBytes(bytes.data(), n_bytes)) {
    Fail(ErrorKind::kIo, "the system gives no random numbers, which secrets need (", std::strerror(error), ").");
  }
  std::string hex;
  for (unsigned const byte : bytes) hex += {HexDigit(byte >> 4U), HexDigit(byte)};
  return hex;
}

std::string ProofOf(std::string const& key, std::string const& text) {
  constexpr std::size_t kBlock = 64;
  constexpr char kInner = 0x36;
  constexpr char kOuter = 0x5c;
  auto padded = key.size() > kBlock ? Digest(key) : key;
  padded.resize(kBlock, '\0');
  auto const with = [&](char pad) {
    auto masked = padded;
    for (auto& byte : masked) byte = static_cast<char>(byte ^ pad);
    return masked;
  };
  Sha256 outer;
  outer.Add(with(kOuter) + Digest(with(kInner) + text));
  return outer.Finish();
}

Channel::Channel(Socket socket, Side side, std::string secret)
    : socket_(std::move(socket)), side_(side), secret_(std::move(secret)), nonce_(RandomHex(kNonceBytes / 2)) {
  outgoing_ = kMagic + nonce_;
}

std::string Channel::Proof(bool by_server, std::uint64_t number, std::string const& text) const {
  return ProofOf(key_, (by_server ? "server " : "client ") + std::to_string(number) + " " + text);
}

std::string Channel::Framed(std::string const& text) {
  return LengthText(text.size()) + Proof(side_ == Side::kServer, n_sent_++, text) + text;
}

void Channel::Queue(std::string const& text) {
  if (key_.empty()) {
    waiting_ = text;
  } else {
    outgoing_ += Framed(text);
  }
}

bool Channel::Flush() {
  while (!outgoing_.empty() && !is_lost_) {
    auto const n_sent = socket_.Send(outgoing_.data(), outgoing_.size());
    if (n_sent == 0) return true;
    if (n_sent < 0) is_lost_ = true;
    if (n_sent > 0) outgoing_.erase(0, static_cast<std::size_t>(n_sent));
  }
  return !is_lost_;
}

bool Channel::Fill(std::size_t n_bytes) {
  std::array<char, kPiece> piece;
  while (incoming_.size() < n_bytes && !is_lost_) {
    auto const n_received = socket_.Receive(piece.data(), std::min(kPiece, n_bytes - incoming_.size()));
    if (n_received == 0) return false;
    if (n_received < 0) is_lost_ = true;
    if (n_received > 0) incoming_.append(piece.data(), static_cast<std::size_t>(n_received));
  }
  return incoming_.size() >= n_bytes;
}

void Channel::TakeGreeting() {
  if (incoming_.compare(0, kMagicBytes, kMagic) != 0) FailProtocol("the other side does not speak this protocol");
  auto const theirs = incoming_.substr(kMagicBytes);
  incoming_.clear();
  key_ = ProofOf(secret_, side_ == Side::kServer ? nonce_ + theirs : theirs + nonce_);
  if (!waiting_.empty()) outgoing_ += Framed(std::exchange(waiting_, {}));
}

std::optional<std::string> Channel::Next() {
  if (key_.empty()) {
    if (!Fill(kMagicBytes + kNonceBytes)) return std::nullopt;
    TakeGreeting();
    Flush();
  }
  constexpr auto kHead = kLengthBytes + kProofBytes;
  if (!Fill(kHead)) return std::nullopt;
  auto const is_unproved = n_received_ == 0 && side_ == Side::kServer;
  if (!Fill(kHead + LengthOf(incoming_, is_unproved ? kMostUnproved : kMostText))) return std::nullopt;
  auto text = incoming_.substr(kHead);
  auto const proof = Proof(side_ == Side::kClient, n_received_, text);
  if (!AreEqual(incoming_.substr(kLengthBytes, kProofBytes), proof)) {
    Fail(ErrorKind::kCollective, "a message lacks the secret's proof; pass the arguments of the tracker unchanged.");
  }
  ++n_received_;
  incoming_.clear();
  return text;
}

bool Channel::Send(std::string const& text, Deadline deadline) {
  Queue(text);
  while (Flush() && !outgoing_.empty()) {
    std::vector<platform::SocketWait> waits{{socket_.Descriptor(), false, true}};
    if (!WaitForAny(&waits, deadline)) return false;
  }
  return !is_lost_;
}

std::optional<std::string> Channel::Receive(Deadline deadline) {
  for (;;) {
    Flush();
    if (auto text = Next()) return text;
    std::vector<platform::SocketWait> waits{{socket_.Descriptor(), true, !outgoing_.empty()}};
    if (is_lost_ || !WaitForAny(&waits, deadline)) return std::nullopt;
  }
}

}  // namespace kauri
