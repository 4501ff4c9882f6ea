// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import SystemSupport

/// The programs that have serial ports open.
public struct PortHolders: Equatable, Sendable {
  /// A program that has a port open.
  public struct Holder: Hashable, Sendable {
    /// The process id.
    public var processID: Int32
    /// The name of the program, as ps(1) shows it.
    public var program: String
  }

  /// The open devices of a process, read from /proc.
  struct Process: Equatable {
    var processID: Int32
    var program: String
    /// The devices and files that the process has open; `nil` without permission to list them.
    var open: Set<OpenDevice>?
    /// The numbers of the pseudo-terminals whose master the process has open, in any file system.
    var openMasters: Set<Int> = []
  }

  private let byDevnode: [String: [Holder]]
  private let rivalsByDevnode: [String: [Holder]]
  /// The number of processes whose open files could not be read; 0 for root.
  public let unreadableProcessCount: Int

  /// Determines which processes have which devnodes open.
  init(of devnodes: [String: OpenDevice], among processes: [Process]) {
    var byDevnode: [String: [Holder]] = [:]
    var rivals: [String: [Holder]] = [:]
    for process in processes.sorted(by: { $0.processID < $1.processID }) {
      guard let open = process.open else { continue }
      for (devnode, device) in devnodes where open.contains(device) {
        let holder = Holder(processID: process.processID, program: process.program)
        byDevnode[devnode, default: []].append(holder)
        let hasMaster = device.terminalIndex.map(process.openMasters.contains) ?? false
        if process.processID != getpid(), !hasMaster {
          rivals[devnode, default: []].append(holder)
        }
      }
    }
    self.byDevnode = byDevnode
    rivalsByDevnode = rivals
    unreadableProcessCount = processes.count { $0.open == nil }
  }

  /// Searches all processes for open ports.
  ///
  /// - Parameters:
  ///   - devnodes: The ports to search for.
  ///   - folder: The path of the proc file system.
  public init(of devnodes: some Sequence<String>, in folder: String = "/proc") {
    let devices = devnodes.compactMap { name in Self.device(at: name).map { (name, $0) } }
    self.init(
      of: Dictionary(devices) { first, _ in first },
      among: ProcessFolder(path: folder).processes())
  }

  /// Returns the programs that have a port open, ordered by process id.
  ///
  /// `devnode` must be one of the names passed to the initializer.
  public func holders(of devnode: String) -> [Holder] { byDevnode[devnode] ?? [] }

  /// Returns the other programs that read a port and would lose bytes to a second reader.
  ///
  /// Excludes this process, and any process that has the master of the pseudo-terminal open: a
  /// simulator often keeps both ends open, so that readers may connect and disconnect.
  /// `devnode` must be one of the names passed to the initializer.
  public func rivals(of devnode: String) -> [Holder] { rivalsByDevnode[devnode] ?? [] }

  /// Whether two paths lead to the same port, after resolving all links.
  ///
  /// Identical paths count as the same port even if the path does not exist. Different paths do not
  /// count as the same port if one of the paths does not exist.
  public static func isSamePort(_ name: String, _ other: String) -> Bool {
    guard name != other else { return true }
    // A relative path would depend on the current directory.
    guard name.hasPrefix("/"), other.hasPrefix("/") else { return false }
    return device(at: name).map { $0 == device(at: other) } ?? false
  }

  /// O_PATH, which the Glibc module does not import; the same on all architectures of Swift.
  private static let pathOnly: Int32 = 0o10_000_000

  /// Returns the path with all links resolved, or `nil` if the path does not exist.
  ///
  /// O_PATH resolves the path without opening the device or calling its driver. realpath(3) is not
  /// used: umockdev's replacement overflows for a link that leads out of the test bed.
  static func realPath(of path: String) -> String? { lookUp(path, SymbolicLink.target) }

  /// Returns the device at a path, or `nil` if the path does not exist.
  private static func device(at path: String) -> OpenDevice? {
    lookUp(path) { OpenDevice(descriptor: $0) }
  }

  private static func lookUp<Value>(_ path: String, _ read: (String) -> Value?) -> Value? {
    let descriptor = open(path, Self.pathOnly | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { SystemCall.close(descriptor) }
    return read("/proc/self/fd/\(descriptor)")
  }
}
