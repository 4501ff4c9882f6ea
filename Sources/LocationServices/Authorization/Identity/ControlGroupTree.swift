// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization
internal import SystemSupport

/// Finds the system unit of a control group from the number of the group.
///
/// The kernel states the control group of a TCP client by number, which is the inode number of the
/// group's folder. The folders are listed once, and again if a number is unknown.
package final class ControlGroupTree: Sendable {
  /// The maximum number of listed folders.
  private static let maxFolders = 8192
  private static let maxDepth = 16
  /// The number of the root of the unified hierarchy.
  private static let rootID: UInt64 = 1

  private let root: String
  private let processFolder: String
  private let paths = Mutex<[UInt64: String]>([:])

  /// Creates a reader of the mounted control groups.
  package init(root: String = "/sys/fs/cgroup", processFolder: String = "/proc") {
    self.root = root
    self.processFolder = processFolder
  }

  /// Returns the client of a TCP connection.
  ///
  /// Returns `nil` if its control group is uncertain: without its unit, the client would get the
  /// rights of its user, even if the unit is locked.
  package func client(user: UInt32, group: UInt64?) -> PeerEvidence? {
    let identity = ControlGroups.identity(user: user, membership(of: group)) { membershipOfInit }
    return identity.map { PeerEvidence(identity: $0, process: .unknown) }
  }

  private var membershipOfInit: ControlGroups.Membership {
    let lines = try? BoundedFile.read("\(processFolder)/1/cgroup", limit: 65_536)
    return ControlGroups.membership(in: lines ?? [])
  }

  /// Finds the system unit of a group; `nil` if the kernel has not stated the group.
  func membership(of group: UInt64?) -> ControlGroups.Membership {
    guard let mount else {
      // Without a unified hierarchy, all sockets are in its root. Their units are unknown if
      // systemd has a hierarchy of its own.
      guard group ?? Self.rootID == Self.rootID else { return .unclear }
      return membershipOfInit == .outside ? .outside : .unclear
    }
    guard let group else { return .unclear }
    let path = paths.withLock { paths in
      if paths[group] == nil { paths = Self.list(mount) }
      return paths[group]
    }
    guard let path else { return .unclear }
    return ControlGroups.membership(ofPath: path)
  }

  /// The folder of the unified hierarchy; `nil` if it is not mounted.
  private var mount: String? {
    [root, root + "/unified"].first { access($0 + "/cgroup.controllers", F_OK) == 0 }
  }

  /// Returns the path of each group below a folder, by inode number.
  private static func list(_ mount: String) -> [UInt64: String] {
    var paths: [UInt64: String] = [:]
    var pending = [(path: "/", depth: 0)]
    while let (path, depth) = pending.popLast(), paths.count < maxFolders {
      var status = stat()
      guard lstat(mount + path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
      paths[UInt64(status.st_ino)] = path
      guard depth < maxDepth, let folder = opendir(mount + path) else { continue }
      defer { closedir(folder) }
      while let entry = readdir(folder) {
        guard entry.pointee.d_type == UInt8(DT_DIR) else { continue }
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        guard name != ".", name != ".." else { continue }
        pending.append((path == "/" ? "/\(name)" : "\(path)/\(name)", depth + 1))
      }
    }
    return paths
  }
}
