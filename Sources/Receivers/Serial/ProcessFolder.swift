// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Reads /proc: a moment's picture, in which processes come and go while it is taken.
struct ProcessFolder {
  let path: String

  /// Far more than a board has; keeps a runaway process from making this one slow too.
  private static let mostDescriptors = 65_536

  /// The processes that were still there when it was their turn.
  func processes() -> [PortHolders.Process] {
    guard case .names(let names) = Self.list(path) else { return [] }
    return names.compactMap { Int32($0) }.sorted().compactMap(process)
  }

  private func process(_ processID: Int32) -> PortHolders.Process? {
    let folder = "\(path)/\(processID)"
    guard let program = Self.firstLine(of: folder + "/comm") else { return nil }
    var process = PortHolders.Process(processID: processID, program: program, openPaths: nil)
    switch Self.list(folder + "/fd") {
    case .gone: return nil
    case .denied: break
    case .names(let names):
      process.openPaths = names.compactMap { name in
        let path = Self.link(folder + "/fd/" + name)
        if let path, Self.isElsewhere(path, descriptor: folder + "/fd/" + name) { return nil }
        if path?.hasSuffix("/ptmx") == true, let slave = Self.slave(folder + "/fdinfo/" + name) {
          process.otherEnds.insert(slave)
        }
        return path
      }
    }
    return process
  }

  /// Whether a descriptor of a process is another pseudo-terminal than the one of that name here.
  ///
  /// A container has its own, counted from 0 as ours are. What cannot be told is taken for ours.
  private static func isElsewhere(_ path: String, descriptor: String) -> Bool {
    guard path.hasPrefix("/dev/pts/") else { return false }
    var (theirs, ours) = (stat(), stat())
    guard stat(descriptor, &theirs) == 0, stat(path, &ours) == 0 else { return false }
    return theirs.st_dev != ours.st_dev
  }

  /// The pseudo-terminal whose master a descriptor is; `nil` before Linux 4.14.
  private static func slave(_ path: String) -> String? {
    text(of: path)?.split(separator: "\n").lazy
      .filter { $0.hasPrefix("tty-index:") }
      .compactMap { Int($0.dropFirst("tty-index:".utf8.count).drop { $0 == "\t" || $0 == " " }) }
      .first.map { "/dev/pts/\($0)" }
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
    while names.count < mostDescriptors, let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return .names(names)
  }

  /// What a symbolic link holds; `nil` where it is none.
  static func link(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func firstLine(of path: String) -> String? {
    text(of: path).map { String($0.prefix { $0 != "\n" }) }
  }

  /// The beginning of a file of /proc; `nil` where it is not there or empty.
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
