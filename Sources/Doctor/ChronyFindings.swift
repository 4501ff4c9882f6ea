// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension DoctorSnapshot {
  /// The socket to which the daemon sends time samples for chronyd.
  package struct TimeSocket: Equatable, Sendable {
    /// Whether the daemon can send samples.
    package enum State: Equatable, Sendable {
      /// The daemon may write to the socket.
      case writable
      /// The socket does not exist.
      case missing
      /// The daemon may not write to the socket.
      case denied
    }

    /// The path of the socket.
    package var path: String
    /// Whether the daemon can send samples.
    package var state: State

    package init(path: String, state: State) {
      self.path = path
      self.state = state
    }

    /// Examines a socket, for the service's user `fixcast`; without that user, for this user.
    package init(path: String) {
      self.path = path
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
        state = .missing
        return
      }
      guard let user = getpwnam("fixcast")?.pointee else {
        state = access(path, W_OK) == 0 ? .writable : .denied
        return
      }
      let writeBit =
        if user.pw_uid == status.st_uid {
          S_IWUSR
        } else if user.pw_gid == status.st_gid
          || DoctorSnapshot.isMember("fixcast", of: status.st_gid)
        {
          S_IWGRP
        } else {
          S_IWOTH
        }
      state = status.st_mode & writeBit != 0 ? .writable : .denied
    }
  }
}

enum ChronyFindings {
  /// Returns the findings about the sockets of chronyd that the configuration names.
  static func findings(_ sockets: [DoctorSnapshot.TimeSocket]) -> [DoctorFinding] {
    sockets.map { socket in
      let path = RuleFindings.quoted(socket.path)
      return switch socket.state {
      case .writable:
        DoctorFinding(.good, "chrony", "the daemon may send the time to \(socket.path)")
      case .missing:
        DoctorFinding(
          .note, "chrony",
          "\(socket.path) does not exist: chronyd is not running, or has no refclock for it",
          remedy: "echo 'refclock SOCK \(path) refid GPS precision 1e-1 delay 0.2' | sudo tee "
            + "/etc/chrony/conf.d/fixcast.conf && sudo systemctl restart chrony")
      case .denied:
        DoctorFinding(
          .note, "chrony",
          "the daemon may not write to \(socket.path), which chronyd has created as root",
          // chronyd creates the socket at each start, so access has to be granted after each start.
          remedy: "sudo mkdir -p \(dropIns) && "
            + #"printf '[Service]\nExecStartPost=+/bin/sh -c "chgrp fixcast "#
            + "\(path) && chmod g+w \(path)"
            + #""\n' | sudo tee "#
            + "\(dropIns)/fixcast.conf && sudo systemctl daemon-reload "
            + "&& sudo systemctl restart chrony")
      }
    }
  }

  /// The folder of drop-ins for chrony's unit.
  private static let dropIns = "/etc/systemd/system/chrony.service.d"
}
