// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing

@testable import fixcast

/// The examples in the help of the commands, which the manual prints too.
@Suite struct HelpExamplesTests {
  private static let commands: [any ParsableCommand.Type] =
    Fixcast.configuration.subcommands + AuthCommand.configuration.subcommands

  private static func examples(_ command: any ParsableCommand.Type) -> [String] {
    let parts = command.configuration.discussion.split(separator: "\nExamples:\n")
    guard parts.count == 2 else { return [] }
    return parts[1].split(separator: "\n").map { $0.drop { $0 == " " } }.map(String.init)
  }

  @Test func `every command with options or arguments has an example in its help`() {
    let without = Self.commands.filter { Self.examples($0).isEmpty }
    #expect(without.map { $0._commandName } == ["auth", "list", "pending"])
  }

  @Test func `the argument parser accepts the examples in the help of every command`() {
    for line in Self.commands.flatMap(Self.examples) {
      for words in DocumentedCommand.segments(of: line) where words.first == "fixcast" {
        let arguments = Fixcast.arguments(Array(words.dropFirst()))
        do { _ = try Fixcast.parseAsRoot(arguments) } catch {
          Issue.record("\(line): \(Fixcast.message(for: error))")
        }
      }
    }
  }

  @Test(arguments: [
    (["locate", "--timeout", "-5"], "--timeout takes 1 to 3600 seconds, not -5"),
    (["watch", "--seconds", "-3"], "--seconds takes 1 to 86400, not -3"),
    (["demo", "--seconds", "-1"], "--seconds takes 5 to 86400"),
    (["locate", "ttyUSB0"], "ttyUSB0: not a source; try /dev/ttyUSB0"),
    (["locate", "/dev/ttyUSB0@0"], "the baud rate after the @ must be greater than 0"),
  ])
  func `a wrong value is rejected with the range or with what to type`(
    words: [String], message: String
  ) {
    do {
      _ = try Fixcast.parseAsRoot(Fixcast.arguments(words))
      Issue.record("\(words) was accepted")
    } catch { #expect(Fixcast.message(for: error).contains(message)) }
  }

  @Test(arguments: [["-V"], ["version"], ["version", "--verbose"]])
  func `-V and version print the version`(words: [String]) {
    #expect(Fixcast.arguments(words).first == "--version")
  }

  @Test func `device arguments replace the automatic source and add to named sources`() throws {
    let plain = try #require(
      try Fixcast.parseAsRoot(["locate", "/dev/ttyUSB0", "/dev/ttyACM0@9600"]) as? LocateCommand)
    #expect(
      plain.sourceOptions.adding(plain.devices).source == ["/dev/ttyUSB0", "/dev/ttyACM0@9600"])
    let both = try #require(
      try Fixcast.parseAsRoot(["watch", "--source", "gpsd", "/dev/ttyUSB0"]) as? WatchCommand)
    #expect(both.sourceOptions.adding(both.devices).source == ["gpsd", "/dev/ttyUSB0"])
  }
}
