/// \file How a worker comes into a group.
///
/// 1. It connects to the tracker, listens at a port of the same network interface, and tells the tracker the port.
/// 2. The tracker answers with its rank and the addresses of all ranks.
/// 3. Each rank connects to the lower ranks and lets the higher ones in; both prove the secret.
#pragma once

#include "collective/network/peer_links.h"
#include "collective/network/socket_group.h"

namespace kauri {

/// Returns the connections of a rank that has joined. \throws Error(kCollective), at the timeout at the latest.
PeerLinks Join(JoinOptions const& options);

}  // namespace kauri
