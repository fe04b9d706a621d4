/// \file A listening socket that lets in only processes that know the secret.
///
/// Connections that have not proved it yet wait in a limited room, for a limited time. When the room is full, the host
/// with most of them loses its oldest. So strangers cost little memory and never block other hosts, whatever they send
/// or do not send.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <vector>

#include "collective/network/channel.h"
#include "collective/network/socket.h"

namespace kauri {

/// A process that has proved the secret, and its first message.
struct Guest {
  Channel channel;
  std::string host;  ///< its numeric address
  std::string message;
};

class Door {
 public:
  /// most_waiting: room for connections that have not proved the secret.
  Door(Socket listener, std::string secret, std::size_t most_waiting)
      : listener_(std::move(listener)), secret_(std::move(secret)), most_waiting_(most_waiting) {}

  /// Makes the room larger.
  void MakeRoom(std::size_t most_waiting) { most_waiting_ = most_waiting; }
  /// Appends the sockets to wait for. While no more descriptors can be opened, the listener is among them twice a
  /// second only.
  void AddTo(std::vector<platform::SocketWait>* waits) const;
  /// Reads from the connections that wait and accepts others. Returns the guests that came in. Never waits.
  std::vector<Guest> Admit();

 private:
  struct Waiting {
    Channel channel;
    std::string host;
    Deadline deadline;
  };

  void Accept();
  /// Hears those that wait.
  std::vector<Guest> HearAll();
  void DropOne();

  Socket listener_;
  std::string secret_;
  std::size_t most_waiting_;
  std::list<Waiting> waiting_;       ///< the oldest first
  std::optional<Deadline> resting_;  ///< while there are no more descriptors: when it accepts again
};

}  // namespace kauri
