/// \file A listening socket that lets in only processes that know the secret.
///
/// Connections that have not proved it yet wait in a limited room, for a limited time; the oldest leaves when the room
/// is full. So strangers cost little memory and never block the others, whatever they send or do not send.
#pragma once

#include <list>
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

  /// Appends the sockets to wait for.
  void AddTo(std::vector<pollfd>* waits) const;
  /// Accepts connections and reads from those that wait. Returns the guests that came in. Never waits.
  std::vector<Guest> Admit();

 private:
  struct Waiting {
    Channel channel;
    Deadline deadline;
  };

  void Accept();

  Socket listener_;
  std::string secret_;
  std::size_t most_waiting_;
  std::list<Waiting> waiting_;  ///< the oldest first
};

}  // namespace kauri
