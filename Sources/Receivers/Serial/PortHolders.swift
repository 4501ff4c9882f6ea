// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import SystemSupport

/// Who has a serial port open.
public struct PortHolders: Equatable, Sendable {
  /// A program that has a port open.
  public struct Holder: Hashable, Sendable {
    /// Its process.
    public var processID: Int32
    /// Its name, as ps(1) shows it.
    public var program: String
  }

  /// What /proc says of one process.
  struct Process: Equatable {
    var processID: Int32
    var program: String
    /// What its descriptors are open on; `nil` where we may not look.
    var open: Set<OpenDevice>?
    /// The pseudo-terminals whose other end it has, by number; of which file system is not told.
    var otherEnds: Set<Int> = []
  }

  private let byDevnode: [String: [Holder]]
  private let rivalsByDevnode: [String: [Holder]]
  /// How many processes would not let us look; 0 for root.
  public let unseenProcessCount: Int

  /// Sorts out which process has which devnode open.
  init(of devnodes: [String: OpenDevice], among processes: [Process]) {
    var byDevnode: [String: [Holder]] = [:]
    var rivals: [String: [Holder]] = [:]
    for process in processes.sorted(by: { $0.processID < $1.processID }) {
      guard let open = process.open else { continue }
      for (devnode, device) in devnodes where open.contains(device) {
        let holder = Holder(processID: process.processID, program: process.program)
        byDevnode[devnode, default: []].append(holder)
        let feeds = device.terminalIndex.map(process.otherEnds.contains) ?? false
        if process.processID != getpid(), !feeds {
          rivals[devnode, default: []].append(holder)
        }
      }
    }
    self.byDevnode = byDevnode
    rivalsByDevnode = rivals
    unseenProcessCount = processes.count { $0.open == nil }
  }

  /// Looks through all processes.
  ///
  /// - Parameters:
  ///   - devnodes: The ports to look for.
  ///   - folder: Where /proc is.
  public init(of devnodes: some Sequence<String>, in folder: String = "/proc") {
    let real = devnodes.compactMap { name in Self.device(at: name).map { (name, $0) } }
    self.init(
      of: Dictionary(real) { first, _ in first },
      among: ProcessFolder(path: folder).processes())
  }

  /// Who has a port open.
  ///
  /// - Parameter devnode: The port, by the name it was asked with.
  /// - Returns: The programs, by process; empty where none was seen.
  public func holders(of devnode: String) -> [Holder] { byDevnode[devnode] ?? [] }

  /// Who else reads a port, and would lose bytes to a second reader.
  ///
  /// Not this program, and not the one that feeds a pseudo-terminal: a simulator often keeps both
  /// ends open, so that readers may come and go.
  ///
  /// - Parameter devnode: The port, by the name it was asked with.
  /// - Returns: The programs, by process; empty where none was seen.
  public func rivals(of devnode: String) -> [Holder] { rivalsByDevnode[devnode] ?? [] }

  /// Whether two names lead to one port, through all links.
  ///
  /// - Parameters:
  ///   - name: A name, such as `/dev/serial/by-id/usb-u-blox`.
  ///   - other: The other name.
  /// - Returns: `true` for one and the same path, wherever it leads; `false` for others where either
  ///   leads nowhere.
  public static func isOne(_ name: String, _ other: String) -> Bool {
    guard name != other else { return true }
    // What is no path would be looked up where the program happens to be.
    guard name.hasPrefix("/"), other.hasPrefix("/") else { return false }
    return device(at: name).map { $0 == device(at: other) } ?? false
  }

  /// O_PATH, which glibc shows to GNU sources only; the same on every architecture of Swift's.
  private static let pathOnly: Int32 = 0o10_000_000

  /// Where a name leads, through all links.
  ///
  /// O_PATH only looks the name up: whatever is there is not opened, and no driver is asked. Not
  /// realpath(3), which umockdev replaces by one that overruns where a link leads out of its bed.
  static func realPath(of path: String) -> String? { lookUp(path, ProcessFolder.link) }

  /// What a name leads to; `nil` where it leads nowhere.
  private static func device(at path: String) -> OpenDevice? {
    lookUp(path) { OpenDevice(descriptor: $0) }
  }

  private static func lookUp<Value>(_ path: String, _ look: (String) -> Value?) -> Value? {
    let descriptor = open(path, Self.pathOnly | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { SystemCall.close(descriptor) }
    return look("/proc/self/fd/\(descriptor)")
  }
}
