// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import LocationServices

@Suite("Policy files: lines")
struct PolicyParserTests {
  private static let users: [String: UInt32] = ["pi": 1000, "guest": 1001]

  private func parse(
    _ text: String, locks: Bool = true
  ) -> (rules: [PolicyRule], problems: [PolicyProblem]) {
    PolicyParser(allowsLocks: locks) { Self.users[$0] }.parse(Array(text.utf8), file: "f")
  }

  @Test func `each verb of a policy line is parsed with its options`() {
    let (rules, problems) = parse(
      """
      # access to locations
      lock   user=guest
      allow  unit=weather.service  level=when-in-use  accuracy=reduced # the forecast

        allow uid=1000 unit=map.service\r
      deny\tuid=1001
      ask accuracy everyone
      ask everyone timeout=1h30m then=deny
      ask then=stay everyone
      """)
    let place = { PolicyPlace(file: "f", line: $0) }
    #expect(
      rules == [
        PolicyRule(verb: .lock, selector: .init(userID: 1001), place: place(2)),
        PolicyRule(
          verb: .allow(atMost: .whenInUse, .reducedAccuracy),
          selector: .init(systemUnit: "weather.service"), place: place(3)),
        PolicyRule(
          verb: .allow(atMost: .always, .fullAccuracy),
          selector: .init(userID: 1000, systemUnit: "map.service"), place: place(5)),
        PolicyRule(verb: .deny, selector: .init(userID: 1001), place: place(6)),
        PolicyRule(
          verb: .ask(timeoutSeconds: 5400, thenDeny: true), selector: .everyone, place: place(8)),
        PolicyRule(
          verb: .ask(timeoutSeconds: nil, thenDeny: false), selector: .everyone, place: place(9)),
      ])
    #expect(problems.map(\.place.line) == [7])
  }

  @Test(arguments: [
    ("alow everyone", "'alow' is not a rule; did you mean allow?"),
    ("permit everyone", "'permit' is not a rule; known: lock, allow, deny, ask"),
    (
      "allow", "no selector; use everyone, uid=, user= or unit="
    ),
    ("allow usr=pi", "'usr=' is not known here; did you mean user=?"),
    ("allow everyone levle=always", "'levle=' is not known here; did you mean level=?"),
    ("allow everyone level=all", "'all' is not a value of level=; known: always, when-in-use"),
    ("allow everyone level=alway", "'alway' is not a value of level=; did you mean always?"),
    ("allow everyone level=", "level= has no value"),
    ("allow uid=1 uid=2", "uid= is given twice"),
    ("allow everyone uid=2", "everyone and uid= exclude each other"),
    ("allow uid=1 user=pi", "uid= and user= exclude each other"),
    ("deny user=nobody-here", "there is no user named 'nobody-here'"),
    ("deny uid=-1", "uid='-1' is not a user ID"),
    ("deny uid=4294967295", "uid='4294967295' is not a user ID"),
    ("deny unit=weather", "unit='weather' is not a systemd unit name; use e.g. a.service"),
    ("lock everyone level=always", "'level=' is not known here"),
    ("deny everyone full=10m", "'full=' is not known here"),
    (
      "allow everyone full=10m", "full= requires reduced accuracy: add accuracy=reduced"
    ),
    ("allow uid=1 accuracy=reduced full=10", "full='10' is not a duration"),
    ("allow app=map", "app= is no longer supported; use user= or unit="),
    ("deny app=", "app= is no longer supported"), ("lock everyone app=map", "app= is no longer"),
    ("allow uid=1000 app=map accuracy=reduced full=10m", "app= is no longer supported"),
    (
      "ask everyone timeout=10",
      "timeout='10' is not a duration; use e.g. 90s, 10m, 2h or 7d"
    ),
    ("ask everyone then=allow", "'allow' is not a value of then=; known: stay, deny"),
    ("allow \u{1B}[2J", "no selector"),
    ("\u{1B}[2J everyone", "'?[2J' is not a rule"),
  ])
  func `an invalid policy line is reported with its number and a suggested correction`(line: String, message: String)
    throws
  {
    let (rules, problems) = parse("deny uid=5\n" + line)
    #expect(rules.count == 1)
    let problem = try #require(problems.first)
    #expect("\(problem)".hasPrefix("f:2: \(message)"), "\(problem)")
  }

  @Test func `a lock rule is accepted only from the administrator`() {
    let (rules, problems) = parse("lock everyone\ndeny everyone", locks: false)
    #expect(rules.map(\.verb) == [.deny])
    #expect(problems.first?.message.hasPrefix("lock is allowed only below /etc") == true)
  }

  @Test func `the policy parser accepts any bytes, and limits the number of rules and problems`() {
    var random = SeededGenerator(seed: 4)
    let parser = PolicyParser(allowsLocks: true) { Self.users[$0] }
    let pieces = [
      "allow ", "deny ", "ask ", "lock ", "everyone", "uid=", "unit=", "=", " ", "\n", "#", "99999",
      "timeout=", "999999999999999999d", "\u{0}", "ü", "a.service", "level=always",
    ]
    for _ in 0..<RandomInputs.count(20_000) {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        if Bool.random(using: &random) {
          bytes += Array((pieces.randomElement(using: &random) ?? "").utf8)
        } else {
          bytes.append(UInt8.random(in: 0...255, using: &random))
        }
      }
      let (rules, problems) = parser.parse(bytes, file: "f")
      #expect(rules.count + problems.count <= bytes.count)
    }
    let long = parser.parse(Array(repeating: UInt8(ascii: "a"), count: 5000), file: "f")
    #expect(long.problems.map(\.message) == ["longer than 1024 bytes"])
    let bad = Array("x\n".utf8)
    let endless = parser.parse(Array(repeatElement(bad, count: 500).joined()), file: "f")
    #expect(endless.problems.count == 20)
  }

  @Test(
    arguments: [
      ("90s", 90), ("10m", 600), ("2h", 7200), ("7d", 604_800), ("1h30m", 5400), ("1d1s", 86_401),
      ("", nil), ("10", nil), ("m", nil), ("0s", nil), ("-1s", nil), ("1m1h", nil), ("1h ", nil),
      ("99999999999999999999s", nil), ("9999999999999999d", nil), ("3651d", nil), ("1.5h", nil),
    ] as [(String, Int64?)])
  func `durations such as 1h30m are parsed, and invalid durations are rejected`(text: String, seconds: Int64?) {
    #expect(DurationText.seconds(text) == seconds)
    if let seconds { #expect(DurationText.seconds(DurationText.text(seconds)) == seconds) }
  }
}
