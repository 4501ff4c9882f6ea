// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import FixcastTesting
import Glibc
import LocationServices
import Testing

@testable import DaemonServer

/// Tests programs in systemd units.
///
/// The test creates control groups as systemd would.
@Suite(
  "Clients in systemd units", .serialized,
  .enabled(if: UnitFolder.isPermitted, "needs root and a cgroup hierarchy without systemd"))
struct ServerUnitTests {
  @Test func `systemd units of one user have separate authorizations, which a forged unit does not get`() async throws {
    let allowed = try UnitFolder("fixcast-test-\(getpid())-a.service")
    let denied = try UnitFolder("fixcast-test-\(getpid())-b.service")
    let forged = try UnitFolder(
      "fixcast-test-\(getpid())-a.service", below: "user.slice/user-0.slice")
    let daemon = try await TestDaemon(policy: "ask uid=0\n")
    try daemon.decide(ClientSelector(systemUnit: allowed.unit), .always)
    try daemon.decide(ClientSelector(systemUnit: denied.unit), .denied)
    daemon.publishFix()
    func requestLocation(in folder: UnitFolder) async throws -> String {
      let script = """
        echo $$ > '\(folder.path)/cgroup.procs' || exit 9
        exec curl -sS --max-time 20 --unix-socket '\(daemon.path)' \
          'http://localhost/v1/location?timeout=2'
        """
      return try await ChildProcess.use(path: "/bin/sh", arguments: ["-c", script]) { child in
        _ = await child.wait()
        return child.lines.events.joined(separator: "\n")
      }
    }
    let first = try await requestLocation(in: allowed)
    #expect(first.contains(TestDaemon.latitude), "\(first)")
    for folder in [denied.path, forged.path] { #expect(access(folder, F_OK) == 0) }
    let second = try await requestLocation(in: denied)
    #expect(second.contains("notAuthorized") && second.contains("unit=\(denied.unit)"), "\(second)")
    let third = try await requestLocation(in: forged)
    #expect(third.contains("notDetermined") && !third.contains("unit="), "\(third)")
    for text in [second, third] { #expect(!text.contains("54.09")) }
    #expect(await daemon.end() == nil)
  }

  @Test(arguments: [
    ("fixcast-test-\(getpid())-d.service", "system.slice"),
    ("docker-\(getpid()).scope", "system.slice"), ("\(getpid())", "docker"),
  ])
  func `a service or a container of root cannot answer its own request`(unit: String, slice: String) async throws {
    let folder = try UnitFolder(unit, below: slice)
    let daemon = try await TestDaemon()
    daemon.publishFix()
    let script = """
      echo $$ > '\(folder.path)/cgroup.procs' || exit 9
      request() { curl -sS --max-time 200 --unix-socket '\(daemon.path)' "$@"; }
      post() { request -H 'Content-Type: application/json' -H 'X-Fixcast: 1' -d "$2" "$1"; }
      post http://localhost/v1/authorization '{"request":"whenInUse","purpose":"map","timeout":0}'
      request http://localhost/v1/authorization
      post http://localhost/v1/authorization/decision '{"request":"1","decision":"allow"}'
      request 'http://localhost/v1/location?timeout=1'
      request http://localhost/v1/status
      request http://localhost/metrics
      """
    let text = try await ChildProcess.use(path: "/bin/sh", arguments: ["-c", script]) { child in
      _ = await child.wait()
      return child.lines.events.joined(separator: "\n")
    }
    #expect(text.contains(#""pending":true"#) && text.contains(#""role":"look""#), "\(text)")
    #expect(text.contains("mayNotDecide") && text.contains("notDetermined"), "\(text)")
    #expect(text.contains("clients without full accuracy get only these metrics"), "\(text)")
    #expect(!text.contains("54.09") && !text.contains(#""requests":"#), "\(text)")
    #expect(try daemon.places.store.read().decisions.isEmpty)
    #expect(await daemon.end() == nil)
  }

  @Test func `a locked unit does not get its user's authorization if the connecting process exits`() async throws {
    let locked = try UnitFolder("fixcast-test-\(getpid())-c.service")
    let daemon = try await TestDaemon(policy: "allow uid=0\nlock unit=\(locked.unit)\n")
    daemon.publishFix()
    let program = """
      $SIG{PIPE} = "IGNORE"; use Socket; socket(my $s, AF_UNIX, SOCK_STREAM, 0); \
      connect($s, pack_sockaddr_un($ARGV[0])) or die; my $p = $$; \
      if (fork()) { POSIX::_exit(0) } 1 while getppid() == $p; \
      syswrite($s, "GET /v1/location?timeout=1&purpose=test HTTP/1.1\\r\\nHost: fixcast\\r\\n\\r\\n"); \
      print while <$s>;
      """
    let script = """
      echo $$ > '\(locked.path)/cgroup.procs' || exit 9
      /usr/bin/perl -MPOSIX -e '\(program)' '\(daemon.path)' | cat
      """
    for _ in 0..<12 {
      let text = try await ChildProcess.use(path: "/bin/sh", arguments: ["-c", script]) { child in
        _ = await child.wait()
        return child.lines.events.joined(separator: "\n")
      }
      // There is no response at all if the client was identified before its process exited.
      #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 403 "), "\(text)")
    }
    #expect(await daemon.end() == nil)
  }
}

/// A temporary control group below the root of systemd's hierarchy.
final class UnitFolder {
  let unit: String
  let path: String

  private static let root: String? = ["/sys/fs/cgroup/systemd", "/sys/fs/cgroup"].first {
    access($0 + "/cgroup.procs", W_OK) == 0
  }

  /// Whether control groups can be created.
  ///
  /// False if systemd is running, because systemd owns the hierarchy.
  static var isPermitted: Bool {
    geteuid() == 0 && root != nil && access("/run/systemd/system", F_OK) != 0
      && access("/usr/bin/curl", X_OK) == 0
  }

  struct Failure: Error { let errorNumber: Int32 }

  init(_ unit: String, below slice: String = "system.slice") throws {
    let root = try #require(Self.root)
    self.unit = unit
    var folder = root
    for part in slice.split(separator: "/") + [Substring(unit)] {
      folder += "/" + part
      guard mkdir(folder, 0o755) == 0 || errno == EEXIST else {
        throw Failure(errorNumber: errno)
      }
    }
    path = folder
  }

  deinit {
    // Also removes parent directories that have become empty.
    var folder = path[...]
    while let end = folder.lastIndex(of: "/"), rmdir(String(folder)) == 0 {
      folder = folder[..<end]
    }
  }
}
