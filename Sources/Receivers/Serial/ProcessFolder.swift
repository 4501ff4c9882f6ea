// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import SystemSupport

/// Reads the processes in /proc.
///
/// The result is not a snapshot: processes may start and exit during the call.
struct ProcessFolder {
  let path: String

  /// The maximum number of directory entries read, so that a process with many open files causes
  /// no delay.
  private static let maxDescriptors = 65_536

  /// Returns all processes; omits processes that exit before they are read.
  func processes() -> [PortHolders.Process] {
    guard case .names(let names) = Self.list(path) else { return [] }
    return names.compactMap { Int32($0) }.sorted().compactMap(process)
  }

  private func process(_ processID: Int32) -> PortHolders.Process? {
    let folder = "\(path)/\(processID)"
    guard let program = Self.firstLine(of: folder + "/comm") else { return nil }
    var process = PortHolders.Process(processID: processID, program: program, open: nil)
    switch Self.list(folder + "/fd") {
    case .gone: return nil
    case .denied: break
    case .names(let names):
      process.open = []
      for name in names {
        guard let path = SymbolicLink.target(of: folder + "/fd/" + name), Self.mayBeDevice(path)
        else { continue }
        if path.hasSuffix("/ptmx"), let slave = Self.slave(folder + "/fdinfo/" + name) {
          process.openMasters.insert(slave)
        }
        if let device = OpenDevice(descriptor: folder + "/fd/" + name) {
          process.open?.insert(device)
        }
      }
    }
    return process
  }

  /// Whether the target of a descriptor may be a device and is examined.
  ///
  /// Other files are skipped: a stat(2) on an unreachable network server would block. The path of a
  /// device in another container may be relative to the root of its file system, such as `/0`.
  private static func mayBeDevice(_ path: String) -> Bool {
    path.hasPrefix("/dev/") || (path.hasPrefix("/") && path.utf8.count { $0 == 0x2F } == 1)
  }

  /// Returns the number of the pseudo-terminal of a master descriptor; `nil` before Linux 4.14.
  private static func slave(_ path: String) -> Int? {
    text(of: path)?.split(separator: "\n").lazy
      .filter { $0.hasPrefix("tty-index:") }
      .compactMap { Int($0.dropFirst("tty-index:".utf8.count).drop { $0 == "\t" || $0 == " " }) }
      .first
  }

  private enum Listing {
    case names([String])
    case denied
    case gone
  }

  private static func list(_ path: String) -> Listing {
    guard let folder = opendir(path) else {
      return errno == EACCES || errno == EPERM ? .denied : .gone
    }
    defer { closedir(folder) }
    var names: [String] = []
    while names.count < maxDescriptors, let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return .names(names)
  }

  private static func firstLine(of path: String) -> String? {
    text(of: path).map { String($0.prefix { $0 != "\n" }) }
  }

  /// Returns the beginning of a file, or `nil` if it is missing or empty.
  private static func text(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { SystemCall.close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 512)
    let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    guard count > 0 else { return nil }
    return String(decoding: buffer.prefix(count), as: UTF8.self)
  }
}
