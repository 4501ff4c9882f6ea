// SPDX-License-Identifier: Apache-2.0

/// What is known of whoever is at the other end of a socket.
package struct PeerEvidence: Hashable, Sendable {
  /// Who it is.
  package var identity: ClientIdentity
  /// Which process.
  package var process: ProcessToken

  package init(identity: ClientIdentity, process: ProcessToken) {
    self.identity = identity
    self.process = process
  }
}
