// SPDX-License-Identifier: Apache-2.0

package import PathMonitorClient
package import Receivers

/// What the doctor looks at, gathered before anything is judged.
package struct DoctorSnapshot: Equatable, Sendable {
  /// A serial device.
  package struct Device: Equatable, Sendable {
    /// What it is taken for.
    package enum Role: Equatable, Sendable {
      /// A receiver by its ids.
      case receiver
      /// A converter that may have a receiver behind it.
      case candidate
      /// The position port of a modem.
      case modemPort
    }

    /// The devnode.
    package var devnode: String
    /// Maker and model, where they are known.
    package var model: String?
    /// What it is taken for.
    package var role: Role
    /// Whether this user may read it.
    package var isReadable: Bool
    /// The name of the group that may read it; `nil` where there is none.
    package var group: String?
    /// The programs that have it open, as `name (pid)`.
    package var holders: [String]
    /// What to add to a command so that it listens to it.
    package var consent: String
    /// Whether gpsd's configuration gives it to gpsd, whether gpsd runs or not.
    package var isConfiguredForGPSD: Bool
    /// Whether the gpsd that runs says that it has it.
    package var isListedByGPSD: Bool
    /// Whether everybody may read it.
    package var isWorldReadable = false

    /// Makes a device.
    ///
    /// - Parameters:
    ///   - devnode: The devnode.
    ///   - model: Maker and model.
    ///   - role: What it is taken for.
    ///   - isReadable: Whether this user may read it.
    ///   - group: The group that may read it.
    ///   - holders: The programs that have it open.
    ///   - consent: What to add to a command so that it listens to it.
    ///   - isConfiguredForGPSD: Whether gpsd's configuration gives it to gpsd.
    ///   - isListedByGPSD: Whether the gpsd that runs says that it has it.
    package init(
      devnode: String, model: String? = nil, role: Role, isReadable: Bool = true,
      group: String? = "dialout", holders: [String] = [], consent: String = "",
      isConfiguredForGPSD: Bool = false, isListedByGPSD: Bool = false
    ) {
      self.devnode = devnode
      self.model = model
      self.role = role
      self.isReadable = isReadable
      self.group = group
      self.holders = holders
      self.consent = consent
      self.isConfiguredForGPSD = isConfiguredForGPSD
      self.isListedByGPSD = isListedByGPSD
    }
  }

  /// The serial devices that are or may be receivers.
  package var devices: [Device] = []
  /// Why plugging in would not be noticed; `nil` where it would.
  package var discoveryFailure: String?
  /// What listens on gpsd's port of this host.
  package var gpsd = GPSDPresence.absent
  /// The port that was looked at.
  package var gpsdPort = GPSDAddress.defaultPort
  /// The files of rules for udev.
  package var rules = DoctorSnapshot.ruleNames.map { Rule($0, .missing) }
  /// The folder from which they can be installed; `nil` where it is not known.
  package var rulesFolder: String?
  /// The network path to the internet; `nil` where it was not looked at.
  package var path: NetworkPath?
  /// How far decisions bind; `nil` where it was not looked at.
  package var mode: Mode?
  /// What the board's files and operators say.
  package var board = Board()
  /// What the daemon says it cannot keep, and what mends that; `nil` where it says nothing of it.
  package var stateFault: String?
  /// What the daemon says of its source.
  package var daemonSource = DaemonSource()
  /// What /proc hides from a daemon that is not root's; `nil` where nothing, or no such one answers.
  package var hiding: ProcessHiding?
  /// Who else is in the groups that may read receivers, by the name of the group.
  package var members: [String: [String]] = [:]
  /// How many processes would not let us look at what they have open.
  package var unseenProcessCount = 0
  /// The user's name, for the command that mends.
  package var user = "USER"

  package init() {}
}
