// SPDX-License-Identifier: Apache-2.0

/// The identity of a client: what the kernel says of its process, which cannot choose it.
public struct ClientIdentity: Hashable, Sendable {
  /// The user that the process runs as.
  public var userID: UInt32
  /// The system unit of systemd that it runs in, such as `weather.service`.
  ///
  /// `nil` outside of any and in units of a user, who can name those at will.
  public var systemUnit: String?

  /// Makes an identity.
  public init(userID: UInt32, systemUnit: String? = nil) {
    self.userID = userID
    self.systemUnit = systemUnit
  }

  /// The most precise selector of this client; requests are filed under it.
  package var evidence: ClientSelector {
    ClientSelector(userID: userID, systemUnit: systemUnit)
  }
}

extension ClientIdentity: CustomStringConvertible {
  /// The identity as its selector is written.
  public var description: String { "\(evidence)" }
}

/// What is known of whoever is at the other end of a socket.
package struct PeerEvidence: Hashable, Sendable {
  package var identity: ClientIdentity
  package var process: ProcessToken

  package init(identity: ClientIdentity, process: ProcessToken) {
    self.identity = identity
    self.process = process
  }
}
