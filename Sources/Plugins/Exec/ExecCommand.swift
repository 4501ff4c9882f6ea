// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A program that is run as a plugin, and how patient one is with it.
package struct ExecCommand: Equatable, Sendable {
  /// The program, by its path or by its name in `PATH`, and its arguments; no shell is asked.
  package var words: [String]
  /// Variables that it gets beside the few that are passed on.
  package var environment: [String: String] = [:]
  /// Files with more of them, a `NAME=value` a line: credentials' names, or absolute paths.
  package var environmentFiles: [String] = []
  /// Whether it says hello, and is told it; one that was written for something else does not.
  package var saysHello = true
  /// How long it may take to say which protocol it speaks, in seconds.
  package var helloSeconds = 10.0
  /// How long it may take over one location, in seconds; as a stage only.
  package var replySeconds = 10.0
  /// How long it may take to end after the end of its input, in seconds.
  package var closeSeconds = 2.0
  /// How long it may take to end after SIGTERM, in seconds; then it is killed.
  package var killSeconds = 2.5
  /// How long a line of it may be, in bytes.
  package var limitBytes = 65_536

  /// The protocol that is spoken with it.
  static let protocolVersion = 1

  package init(_ words: [String]) { self.words = words }

  /// The program's name, without the folder that it is in.
  var name: String {
    let path = words.first ?? ""
    return path.split(separator: "/").last.map(String.init) ?? path
  }

  /// All the variables that it gets but those that lie in files.
  ///
  /// What systemd gives to the service is not for it: whoever has `NOTIFY_SOCKET` can speak for the
  /// service, and `CREDENTIALS_DIRECTORY` leads to its secrets.
  var variables: [String: String] {
    var variables = ["PATH": "/usr/local/bin:/usr/bin:/bin"]
    for name in ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "USER"] {
      if let value = getenv(name) { variables[name] = String(cString: value) }
    }
    return variables.merging(environment) { _, own in own }
  }
}
