/// \file Authenticated messages between two processes that know the same secret.
///
/// 1. Each side sends a greeting: four letters that name the protocol, and a random number (nonce).
/// 2. The key of the connection is the proof (HMAC with SHA-256, RFC 2104) of both nonces by the secret.
/// 3. A message is its length, a proof of its direction, number and text by the key, and the text.
/// So nobody without the secret can send a message, change one, or repeat one of another connection. Texts are not
/// encrypted. Nothing beyond the length is believed before the proof is checked, and the length is limited.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "collective/network/socket.h"

namespace kauri {

/// Returns random bytes of the system, at most 256, as hexadecimal digits. \throws Error(kIo) if it gives none.
std::string RandomHex(std::size_t n_bytes);

/// Returns the HMAC of the text with SHA-256, 64 hexadecimal digits.
std::string ProofOf(std::string const& key, std::string const& text);

enum class Side { kServer, kClient };

/// One end of a connection. Used by one thread at a time.
class Channel {
 public:
  Channel(Socket socket, Side side, std::string secret);

  Socket const& Connection() const { return socket_; }
  /// Gives the connection away, after the last message.
  Socket Take() { return std::move(socket_); }

  /// Queues a message, not empty. Flush sends it.
  void Queue(std::string const& text);
  bool HasQueued() const { return !outgoing_.empty() || !waiting_.empty(); }
  /// Sends what the socket takes now. Returns false if the connection is lost.
  bool Flush();

  /// Returns the next message if it has arrived. After IsLost() there is none. \throws Error(kCollective) for bytes
  /// that are not a message of this protocol, or without the secret's proof.
  std::optional<std::string> Next();
  bool IsLost() const { return is_lost_; }

  /// Sends a message. Returns false if that is not possible by the deadline.
  bool Send(std::string const& text, Deadline deadline);
  /// Waits for the next message. Empty: the connection is lost, or the deadline has passed. \throws as Next.
  std::optional<std::string> Receive(Deadline deadline);

 private:
  /// Reads until `incoming_` has n_bytes. Returns false if they have not arrived.
  bool Fill(std::size_t n_bytes);
  void TakeGreeting();
  std::string Framed(std::string const& text);
  std::string Proof(bool by_server, std::uint64_t number, std::string const& text) const;

  Socket socket_;
  Side side_;
  std::string secret_;
  std::string nonce_;
  std::string key_;       ///< empty before the greetings are exchanged
  std::string outgoing_;  ///< bytes to be sent
  std::string waiting_;   ///< the first message, queued before there was a key; a client has one
  std::string incoming_;
  std::uint64_t n_sent_ = 0;
  std::uint64_t n_received_ = 0;
  bool is_lost_ = false;
};

}  // namespace kauri
