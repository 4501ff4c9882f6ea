// SPDX-License-Identifier: Apache-2.0

/// The identity of a client as reported by the kernel; the client cannot choose it.
public struct ClientIdentity: Hashable, Sendable {
  /// The user that the process runs as.
  public var userID: UInt32
  /// The systemd system unit that the process runs in, such as `weather.service`.
  ///
  /// `nil` for a process outside of system units. User units are ignored, because users choose the
  /// names of their units.
  public var systemUnit: String?
  /// Whether the process runs in a control group that is neither a system unit nor a login session,
  /// such as that of a container without a unit.
  package var isInOtherGroup = false

  /// Creates an identity.
  public init(userID: UInt32, systemUnit: String? = nil) {
    self.userID = userID
    self.systemUnit = systemUnit
  }

  /// The most specific selector of this client; its requests are filed under this selector.
  package var evidence: ClientSelector {
    ClientSelector(userID: userID, systemUnit: systemUnit)
  }

  /// Whether the process was started from a login: in a login session, or in the unit of a service
  /// that logs users in.
  ///
  /// Without systemd-logind, the shells of ssh and of terminals run in the unit of that service.
  package var isLogin: Bool { systemUnit.map(UnitName.isLogin) ?? !isInOtherGroup }

  /// Whether the program is that of an operator: root in a login.
  ///
  /// A service or a container that runs as root is a program like any other.
  package var isOperator: Bool { userID == 0 && isLogin }
}

extension ClientIdentity: CustomStringConvertible {
  /// The identity in the notation of selectors.
  public var description: String { "\(evidence)" }
}

/// The identity and the process at the other end of a socket.
package struct PeerEvidence: Hashable, Sendable {
  package var identity: ClientIdentity
  package var process: ProcessToken

  package init(identity: ClientIdentity, process: ProcessToken) {
    self.identity = identity
    self.process = process
  }
}
