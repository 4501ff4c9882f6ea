// SPDX-License-Identifier: Apache-2.0

import Daemon
import FixcastConfiguration
import FixcastTesting
import Positioning
import Receivers
import Testing

/// Tests the sessions that are created from source specifications.
@Suite(.timeLimit(.minutes(5))) struct SourceFactoryTests {
  /// The real sources, on a host without receivers and gpsd.
  private func factory(
    _ events: [DiscoveryEvent] = [.settled]
  ) -> SourceFactory {
    var factory = SourceFactory.system
    factory.environment.localGPSD = nil
    factory.environment.gpsdConfiguration = { GPSDConfiguration() }
    factory.environment.discover = { _, deliver in for event in events { deliver(event) } }
    return factory
  }

  @Test(
    arguments: [
      ([], "auto"), (["auto"], "auto"), (["gpsd"], "gpsd:localhost:2947"),
      (["serial:/dev/ttyACM0@9600"], "/dev/ttyACM0"), (["replay:/x.log"], "x.log"),
      (["auto", "serial:/dev/a", "gpsd:h:1"], "auto, /dev/a, gpsd:h:1"),
    ] as [([String], String)])
  func `the name of a source session consists of the names of all sources`(texts: [String], name: String) throws {
    let specifications = texts.compactMap { SourceSpecification($0) }
    #expect(specifications.count == texts.count)
    #expect(try factory().session(for: specifications).source.name == name)
  }

  @Test func `without a receiver, the first fix times out and the status reports no receiver`() async throws {
    let session = try factory().session(for: [.auto])
    let outcome = await FirstFix(session: session, timeout: .milliseconds(50)).wait()
    #expect(outcome == .timedOut(newest: nil))
    #expect(!session.diagnosis.hadReceiver)
  }

  @Test func `if no source can be opened, the wait for the first fix ends at once with the errors`() async throws {
    let session = try factory().session(for: [
      .serial(devnode: "/dev/nowhere", baud: nil), .serial(devnode: "/dev/null", baud: nil),
    ])
    let outcome = await FirstFix(session: session, timeout: .seconds(30)).wait()
    guard case .ended(let reason?) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(reason.contains("/dev/nowhere: open: No such file or directory"))
    #expect(reason.contains("/dev/null: tcgetattr"))
  }

  @Test func `a simulated receiver delivers a fix even if another source's port does not exist`() async throws {
    let session = try factory().session(for: [
      .simulated, .serial(devnode: "/dev/nowhere", baud: nil),
    ])
    let outcome = await FirstFix(session: session, timeout: .seconds(30)).wait()
    guard case .fix(let fix) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(fix.isSimulated)
    #expect(session.diagnosis.hadReceiver)
    // The simulated receiver is counted as a receiver, although the group has not opened its port.
    #expect(session.counters.sentences > 0 && session.counters.bytes > 0)
  }
}
