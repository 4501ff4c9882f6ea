// SPDX-License-Identifier: Apache-2.0

/// Where everything about authorization lies on a board.
public struct PolicyPlaces: Hashable, Sendable {
  /// The rules.
  public var folders: PolicyFolders
  /// The answers and the log.
  public var stateFolder: String
  /// What `fixcast auth` has to be given to look there too; empty for the usual places.
  public private(set) var options: [String] = []

  /// Names the places.
  ///
  /// - Parameters:
  ///   - root: What stands before all of them, as for an image that is being built.
  ///   - stateFolder: Where answers and the log lie; `nil` for `/var/lib/fixcast` below the root.
  public init(root: String? = nil, stateFolder: String? = nil) {
    var root = root ?? ""
    while root.hasSuffix("/") { root.removeLast() }
    folders = PolicyFolders(
      administrator: root + "/etc/fixcast/policy.d", image: root + "/usr/lib/fixcast/policy.d")
    self.stateFolder = stateFolder ?? root + "/var/lib/fixcast"
    if !root.isEmpty { options += ["--root", root] }
    if let stateFolder { options += ["--state-directory", stateFolder] }
  }

  /// Takes the places from the environment: `FIXCAST_ROOT` and `FIXCAST_STATE_DIRECTORY`.
  ///
  /// - Parameter environment: Its variables.
  public init(environment: [String: String]) {
    func value(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    self.init(root: value("FIXCAST_ROOT"), stateFolder: value("FIXCAST_STATE_DIRECTORY"))
  }

  /// The answers.
  public var store: DecisionStore { DecisionStore(folder: stateFolder) }

  /// The log.
  public var audit: AuditLog { AuditLog(folder: stateFolder) }

  /// A command line that looks there too, quoted for a shell.
  ///
  /// - Parameter words: The words of the command.
  /// - Returns: The line.
  public func command(_ words: [String]) -> String {
    (words + options).map(Self.quoted).joined(separator: " ")
  }

  private static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-_=./:@,+".utf8.contains(byte)
      }
    }
    if isPlain, !word.isEmpty { return word }
    return "'"
      + word.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: #"'\''"#) + "'"
  }
}
