// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning
import Receivers

/// Reads all connected receivers without gpsd, and prints a line for each event.
///
/// Used in tests and measurements in which devices are plugged in and unplugged.
enum GroupEvents {
  /// Reads all receivers; with `opensCandidates`, also converters that may be receivers.
  static func run(opensCandidates: Bool) async {
    var environment = SourceEnvironment()
    environment.localGPSD = nil
    environment.gpsdConfiguration = { GPSDConfiguration() }
    environment.policy = DiscoveryPolicy(opensCandidates: opensCandidates)
    environment.discover = { policy, deliver in
      await UDevReceivers(policy: policy).run { event in
        deliver(event)
        if event == .settled { write("watching", to: STDERR_FILENO) }
      }
    }
    do {
      try await SourceGroup([.pluggedIn], environment: environment).run { event in
        write(Self.line(event), to: STDOUT_FILENO)
      }
    } catch {
      write("{\"event\":\"ended\"}", to: STDOUT_FILENO)
    }
  }

  private static func write(_ line: String, to descriptor: Int32) {
    let bytes = Array((line + "\n").utf8)
    _ = Glibc.write(descriptor, bytes, bytes.count)
  }

  private static func line(_ event: FixSourceEvent) -> String {
    switch event {
    case .fix(let fix): object("fix", fix.source, "mode", "\(fix.mode)")
    case .sky(let sky): object("sky", sky.source)
    case .instruments(let reading): object("instruments", reading.source)
    case .sentences(_, let source): object("sentences", source)
    case .receiver(let info):
      object(info.isActive ? "receiver" : "inactive", info.name, "stableName", info.stableName)
    case .message(let message): object("message", message.source, "text", "\(message)")
    case .lost(let loss): object("lost", loss.receiver, "reason", loss.reason.rawValue)
    case .connected(let server): object("connected", server.address)
    }
  }

  private static func object(
    _ event: String, _ source: String?, _ key: String = "", _ value: String? = nil
  ) -> String {
    let extra = value.map { ",\"\(key)\":\"\($0)\"" } ?? ""
    return "{\"event\":\"\(event)\",\"source\":\"\(source ?? "")\"\(extra)}"
  }
}
