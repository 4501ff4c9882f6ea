// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import LocationServices

/// Properties that hold for every policy file.
@Suite("Policy files with random content")
struct PolicyPropertyTests {
  private static let validFile = Array(
    """
    # access to locations
    lock   uid=1001
    allow  unit=weather.service  level=when-in-use  accuracy=reduced # the forecast
    allow uid=1000 unit=map.service
    deny uid=1001
    ask everyone timeout=1h30m15s then=deny

    """.utf8)
  private static let clients = [
    ClientIdentity(userID: 1000), ClientIdentity(userID: 1000, systemUnit: "map.service"),
    ClientIdentity(userID: 1001), ClientIdentity(userID: 0, systemUnit: "weather.service"),
  ]

  /// Returns random bytes, or rules with some bytes changed, duplicated, removed or truncated.
  private static func bytes(_ random: inout SeededGenerator) -> [UInt8] {
    guard UInt8.random(in: 0..<4, using: &random) > 0 else {
      return (0..<Int.random(in: 0...200, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
    }
    var bytes = validFile
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      guard let index = bytes.indices.randomElement(using: &random) else { break }
      switch UInt8.random(in: 0..<5, using: &random) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes.remove(at: index)
      case 3: bytes.insert(bytes[index], at: index)
      default: bytes.removeSubrange(index...)
      }
    }
    return bytes
  }

  private static func statuses(
    _ rules: PolicyRules, _ ledger: DecisionLedger
  ) -> [AuthorizationStatus] {
    let evaluation = AuthorizationEvaluation(rules: rules, ledger: .success(ledger))
    return clients.flatMap { client in
      [nil, AuthorizationRequest.whenInUse, .always].map {
        evaluation.verdict(on: client, asking: $0, at: .noon).authorization.status
      }
    }
  }

  @Test func `an invalid policy file is reported with its line and restricts clients despite any decision`() {
    var random = SeededGenerator(seed: 14)
    var ledger = DecisionLedger()
    _ = ledger.record(.of(.always))
    var broken = 0
    for _ in 0..<RandomInputs.count(10_000) {
      let bytes = Self.bytes(&random)
      let rules = PolicyRules(reading: bytes, as: "/etc/p.conf")
      let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
      for problem in rules.problems {
        guard let line = problem.place.line, (1...lines).contains(line),
          problem.description.hasPrefix("/etc/p.conf:\(line): "), !problem.message.isEmpty,
          !problem.message.unicodeScalars.contains(where: { $0.value < 32 })
        else {
          Issue.record("\(problem) of \(bytes)")
          return
        }
      }
      guard !rules.problems.isEmpty else { continue }
      broken += 1
      guard Self.statuses(rules, ledger).allSatisfy({ $0 == .restricted }) else {
        Issue.record("access was granted by \(bytes)")
        return
      }
    }
    // Fails if the test data contained too few invalid files.
    #expect((RandomInputs.count(5000)..<RandomInputs.count(10_000)).contains(broken), "\(broken)")
  }

  @Test func `one invalid policy file revokes the grants of all other policy files`() throws {
    var random = SeededGenerator(seed: 15)
    let folder = try ScratchFolder()
    try folder.write("etc/10-a.conf", "allow everyone\n")
    var broken = 0
    for _ in 0..<300 {
      let bytes = Self.bytes(&random)
      guard !PolicyRules(reading: bytes, as: "f").problems.isEmpty else { continue }
      broken += 1
      try folder.write("etc/20-b.conf", bytes: bytes)
      let folders = PolicyFolders(
        administrator: folder.path + "/etc", image: folder.path + "/usr")
      #expect(Self.statuses(folders.read(), DecisionLedger()).allSatisfy { $0 == .restricted })
    }
    #expect(broken > 100)
  }

  @Test func `the summary of a rule parses to the same rule`() {
    var random = SeededGenerator(seed: 16)
    var rulesRead = 0
    for _ in 0..<6000 {
      for rule in PolicyRules(reading: Self.bytes(&random), as: "f").administrator {
        let again = PolicyRules(reading: Array(rule.summary.utf8), as: "f")
        guard again.problems.isEmpty, again.administrator.first?.verb == rule.verb,
          again.administrator.first?.selector == rule.selector
        else {
          Issue.record("'\(rule.summary)' is read as \(again)")
          return
        }
        rulesRead += 1
      }
    }
    #expect(rulesRead > 6000)
  }
}
