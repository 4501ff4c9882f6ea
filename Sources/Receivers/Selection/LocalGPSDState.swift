// SPDX-License-Identifier: Apache-2.0

import Positioning

/// What is known of the gpsd of this host.
struct LocalGPSDState: Equatable, Sendable {
  enum Answer: Equatable, Sendable {
    /// Nothing has been heard: it may be at work, or not there.
    case unknown
    case up(since: MonotonicTime)
    case down
  }

  /// How long to wait for its first word: while it looks for a receiver's speed it has none.
  static let patienceNanoseconds: Int64 = 3_000_000_000
  /// How soon after its greeting it has told which devices it has.
  static let listNanoseconds: Int64 = 500_000_000
  /// How long a gpsd that went may take to come back, until its receivers are read without it.
  static let absenceNanoseconds: Int64 = 5_000_000_000
  /// More than a gpsd takes.
  private static let mostDevices = 16

  /// The member that asks it; `nil` where none does.
  var memberName: String?
  var startedAt = MonotonicTime(nanoseconds: 0)
  private(set) var answer = Answer.unknown
  /// The devices that it lists, by its names.
  private(set) var devices: Set<String> = []

  /// Whether it answers.
  var isUp: Bool { if case .up = answer { true } else { false } }

  /// Takes its words; true where they change who reads what.
  mutating func take(_ event: FixSourceEvent, at now: MonotonicTime) -> Bool {
    let before = self
    switch event {
    case .connected: (answer, devices) = (.up(since: now), [])
    case .receiver(let receiver):
      if devices.count < Self.mostDevices { devices.insert(receiver.name) }
    case .lost(let loss):
      switch loss.reason {
      case .deactivated: if let name = loss.receiver { devices.remove(name) }
      case .unreachable, .disconnected, .incompatible: goDown()
      case .silent: break
      }
    case .fix, .sky: break
    }
    return self != before
  }

  mutating func goDown() { (answer, devices) = (.down, []) }

  /// Until when to wait for word of whether it has a receiver; `nil` where all is known.
  func undecidedUntil(at now: MonotonicTime) -> MonotonicTime? {
    guard memberName != nil else { return nil }
    let until: MonotonicTime
    switch answer {
    case .down: return nil
    case .unknown: until = startedAt.advanced(byNanoseconds: Self.patienceNanoseconds)
    case .up(let since): until = since.advanced(byNanoseconds: Self.listNanoseconds)
    }
    return until > now ? until : nil
  }
}
