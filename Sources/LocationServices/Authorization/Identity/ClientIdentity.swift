// SPDX-License-Identifier: Apache-2.0

/// Who asks where the board is: what the kernel says of a process, and what it says of itself.
///
/// The user and the system unit are evidence, for a process cannot choose them. The application
/// id is the process's own word: it may narrow what the other two are granted, never widen it.
public struct ClientIdentity: Hashable, Sendable {
  /// The user that the process runs as.
  public var userID: UInt32
  /// The system unit of systemd that it runs in, such as `weather.service`.
  ///
  /// `nil` outside of any and in units of a user, who can name those at will.
  public var systemUnit: String?
  /// What the program calls itself; `nil` where it does not.
  public var applicationID: String?

  /// Makes an identity.
  public init(userID: UInt32, systemUnit: String? = nil, applicationID: String? = nil) {
    self.userID = userID
    self.systemUnit = systemUnit
    self.applicationID = applicationID
  }

  /// Selects this client by evidence alone, as precisely as there is any.
  ///
  /// It is what a request is filed under: granting it to a name would grant it to whoever takes
  /// that name.
  public var evidence: ClientSelector {
    ClientSelector(userID: userID, systemUnit: systemUnit)
  }
}

extension ClientIdentity: CustomStringConvertible {
  /// The identity as a selector would be written, the application id last.
  public var description: String {
    "\(ClientSelector(userID: userID, systemUnit: systemUnit, applicationID: applicationID))"
  }
}
