// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FixcastConfiguration
import FixcastTesting
import Pipeline
import Testing

@testable import Bridge

@Suite("What is doubtful on the board", .timeLimit(.minutes(1))) struct DoubtfulLookTests {
  @Test("is looked for by one at a time, keeps nobody waiting, and is told when it is known")
  func hangs() async throws {
    let folder = try ScratchFolder()
    func loaded(_ names: String...) throws -> ConfigurationLoader.Loaded {
      let sinks = names.map { "[[sink]]\ntype = \"log\"\nname = \"\($0)\"\n" }
      try folder.write("c.toml", sinks.joined())
      return try ConfigurationLoader(
        files: ConfigurationFiles(file: folder.path + "/c.toml"), catalog: .known
      ).load().get()
    }
    let server = DispatchSemaphore(value: 0)
    let (looks, notices) = (EventRecorder<[String]>(), EventRecorder<DaemonNotice>())
    let look = DoubtfulLook(
      doubts: { loaded in
        let names = loaded.configuration.plugins(.sink).map(\.name)
        looks.record(names)
        // A mount whose server is away.
        server.wait()
        return names.map { "no folder of \($0)" }
      }, report: { notices.record($0) })
    look.look(at: try loaded("first"))
    await looks.wait(for: 1)
    look.look(at: try loaded("second"))
    look.look(at: try loaded("third", "fourth"))
    #expect(notices.events.isEmpty && looks.events == [["first"]])
    for _ in 0..<2 { server.signal() }
    #expect(
      await notices.wait(for: 2)
        == [
          .doubtful(["no folder of first"]),
          .doubtful(["no folder of third", "no folder of fourth"]),
        ])
    #expect(looks.events == [["first"], ["third", "fourth"]])
    // Nothing doubtful is nothing to tell, and a new look can be had.
    server.signal()
    look.look(at: try loaded())
    await looks.wait(for: 3)
    server.signal()
    look.look(at: try loaded("last"))
    #expect(await notices.wait(for: 3).last == .doubtful(["no folder of last"]))
  }
}
