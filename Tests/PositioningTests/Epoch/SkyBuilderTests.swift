// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import Positioning

/// Tests with lists of satellites as receivers send them: in parts, interleaved and sometimes
/// incomplete.
@Suite final class SkyBuilderTests {
  private static let gps: UInt32 = 1
  private static let glonass: UInt32 = 2

  private var builder = SkyBuilder()
  private var view = SkyView()

  private static func satellite(
    _ number: UInt8, _ system: SatelliteID.System = .gps, signal: UInt8? = nil,
    signalToNoise: Double? = nil
  ) -> Satellite {
    var satellite = Satellite(
      id: SatelliteID(system: system, number: number), rawNumber: UInt16(number))
    satellite.signal = signal
    satellite.signalToNoiseDBHz = signalToNoise
    return satellite
  }

  private func merge(
    _ group: UInt32, _ part: Int, of parts: Int, _ satellites: [Satellite],
    at time: MonotonicTime? = nil
  ) {
    builder.merge(Self.report(group, part, of: parts, satellites), receivedAt: time)
  }

  private static func report(
    _ group: UInt32, _ part: Int, of parts: Int, _ satellites: [Satellite]
  ) -> SkyReport {
    var report = SkyReport(group: group, part: part, parts: parts)
    for satellite in satellites { report.append(satellite) }
    return report
  }

  private func mergeUsed(_ ids: [SatelliteID]) {
    var used = UsedSatellites()
    for id in ids { used.append(id) }
    builder.merge(used)
  }

  private func takeView(dilution: Dilution = Dilution(), isSimulated: Bool = false) -> SkyView? {
    builder.take(into: &view, dilution: dilution, isSimulated: isSimulated) ? view : nil
  }

  /// Takes a view and returns its satellites; `nil` if there is no view.
  private func take() -> [SatelliteID]? { takeView()?.satellites.map(\.id) }

  private static func ids(
    _ numbers: [UInt8], _ system: SatelliteID.System = .gps
  ) -> [SatelliteID] {
    numbers.map { SatelliteID(system: system, number: $0) }
  }

  @Test func `there is no sky view before the first list of satellites`() {
    #expect(take() == nil)
    mergeUsed(Self.ids([1, 2]))
    #expect(take() == nil)
  }

  @Test func `the parts of a satellite list are joined in order, and the last part completes the list`() {
    merge(Self.gps, 1, of: 3, [4, 3].map { Self.satellite($0) })
    merge(Self.gps, 2, of: 3, [2, 9].map { Self.satellite($0) })
    #expect(take() == nil)
    merge(Self.gps, 3, of: 3, [Self.satellite(1)])
    #expect(take() == Self.ids([4, 3, 2, 9, 1]))
    #expect(take() == nil)
  }

  @Test(arguments: 1...4)
  func `a satellite list with a lost part keeps its other parts`(lost: Int) {
    for part in 1...4 where part != lost {
      merge(Self.gps, part, of: 4, [Self.satellite(UInt8(part))])
    }
    // A list whose last part is lost stays open until another list begins.
    merge(Self.glonass, 1, of: 1, [Self.satellite(7, .glonass)])
    let kept = (1...4).filter { $0 != lost }.map { UInt8($0) }
    #expect(take() == Self.ids(kept) + Self.ids([7], .glonass))
  }

  @Test func `interleaved satellite lists of two systems are separated`() {
    for part in 1...3 {
      merge(Self.gps, part, of: 3, [Self.satellite(UInt8(part))])
      merge(Self.glonass, part, of: 3, [Self.satellite(UInt8(part), .glonass)])
    }
    let seen = take() ?? []
    #expect(seen.count == 6)
    #expect(Set(seen) == Set(Self.ids([1, 2, 3]) + Self.ids([1, 2, 3], .glonass)))
  }

  @Test func `two signals of one satellite are two entries of a sky view and count as one satellite`() throws {
    merge(0x0101, 1, of: 1, [Self.satellite(5, signal: 1, signalToNoise: 44)])
    merge(0x0105, 1, of: 1, [Self.satellite(5, signal: 5, signalToNoise: 38)])
    mergeUsed(Self.ids([5]))
    let view = try #require(takeView())
    #expect(view.satellites.map(\.signal) == [1, 5])
    #expect(view.satellites.map(\.signalToNoiseDBHz) == [44, 38])
    #expect(view.satellites.map(\.isUsed) == [true, true])
    #expect(view.inViewCount == 1)
    #expect(view.usedCount == 1)
  }

  @Test func `a repeated signal of a satellite replaces its earlier entry at the same index`() throws {
    merge(0x0100, 1, of: 1, [1, 2].map { Self.satellite($0, signal: 1, signalToNoise: 30) })
    merge(0x0101, 1, of: 1, [2, 3].map { Self.satellite($0, signal: 5, signalToNoise: 31) })
    merge(0x0200, 1, of: 1, [2, 4].map { Self.satellite($0, signal: 1, signalToNoise: 40) })
    let view = try #require(takeView())
    #expect(view.satellites.map(\.id) == Self.ids([1, 2, 2, 3, 4]))
    #expect(view.satellites.map(\.signalToNoiseDBHz) == [30, 40, 31, 31, 40])
  }

  @Test func `a delivered sky view keeps its satellites while memory is reused for the next view`() throws {
    merge(Self.gps, 1, of: 1, [1, 2].map { Self.satellite($0) })
    let kept = try #require(takeView())
    for number in 3...5 as ClosedRange<UInt8> {
      merge(Self.gps, 1, of: 1, [Self.satellite(number)])
      #expect(take() == Self.ids([number]))
    }
    #expect(kept.satellites.map(\.id) == Self.ids([1, 2]))
  }

  @Test func `an incomplete satellite list becomes part of the next sky view`() {
    merge(Self.gps, 1, of: 1, [1, 2].map { Self.satellite($0) })
    merge(Self.glonass, 1, of: 2, [Self.satellite(7, .glonass)])
    #expect(take() == Self.ids([1, 2]))
    merge(Self.glonass, 2, of: 2, [Self.satellite(8, .glonass)])
    #expect(take() == Self.ids([7, 8], .glonass))
  }

  @Test func `a satellite list may be spread over two epochs`() {
    merge(Self.gps, 1, of: 2, [Self.satellite(1)])
    #expect(take() == nil)
    merge(Self.gps, 2, of: 2, [Self.satellite(2)])
    #expect(take() == Self.ids([1, 2]))
  }

  @Test func `part 1 of a satellite list removes the previous list of the same group`() throws {
    merge(
      Self.gps, 1, of: 1,
      [Self.satellite(1, signalToNoise: 30), Self.satellite(2, signalToNoise: 31)])
    merge(Self.glonass, 1, of: 1, [Self.satellite(1, .glonass)])
    merge(
      Self.gps, 1, of: 1,
      [Self.satellite(2, signalToNoise: 41), Self.satellite(3, signalToNoise: 42)])
    let view = try #require(takeView())
    #expect(view.satellites.map(\.id) == Self.ids([1], .glonass) + Self.ids([2, 3]))
    #expect(view.satellites.map(\.signalToNoiseDBHz) == [nil, 41, 42])
    #expect(builder.droppedCount == 0)
  }

  @Test func `usedCount is the number of different satellites of the open epoch`() {
    mergeUsed(Self.ids([1, 2, 3]))
    builder.beginEpoch()
    mergeUsed(Self.ids([2, 3]))
    mergeUsed(Self.ids([2, 3, 4]))
    mergeUsed(Self.ids([4], .glonass))
    #expect(builder.usedCount == 4)
    _ = take()
    #expect(builder.usedCount == 0)
  }

  @Test func `used satellites are marked, whether reported before or after the satellite list`() throws {
    mergeUsed(Self.ids([2]))
    merge(Self.gps, 1, of: 1, [1, 2, 3].map { Self.satellite($0) })
    merge(Self.glonass, 1, of: 1, [1, 2].map { Self.satellite($0, .glonass) })
    mergeUsed(Self.ids([1], .glonass))
    let view = try #require(takeView())
    #expect(view.satellites.map(\.isUsed) == [false, true, false, true, false])
  }

  @Test func `the sky builder discards the used satellites at the end of the epoch`() throws {
    mergeUsed(Self.ids([1]))
    #expect(take() == nil)
    merge(Self.gps, 1, of: 1, [Self.satellite(1)])
    let view = try #require(takeView())
    #expect(view.satellites.map(\.isUsed) == [false])
  }

  @Test func `a sky view contains the dilution, the time of arrival and the simulated flag`() throws {
    var dilution = Dilution()
    dilution.horizontal = 1.5
    merge(Self.gps, 1, of: 2, [Self.satellite(1)], at: MonotonicTime(nanoseconds: 10))
    merge(Self.gps, 2, of: 2, [Self.satellite(2)], at: MonotonicTime(nanoseconds: 20))
    let view = try #require(takeView(dilution: dilution, isSimulated: true))
    #expect(view.dilution == dilution)
    #expect(view.receivedAt == MonotonicTime(nanoseconds: 20))
    #expect(view.isSimulated)
  }

  @Test func `the sky builder holds 512 entries and counts further entries as dropped`() {
    // No view is taken while the receiver sends 8 systems with 100 satellites each.
    for system in SatelliteID.System.allCases {
      for part in 1...25 {
        let numbers = (1...4).map { UInt8((part - 1) * 4 + $0) }
        merge(UInt32(system.rawValue), part, of: 25, numbers.map { Self.satellite($0, system) })
      }
    }
    #expect(SkyBuilder.capacity == 512)
    #expect(builder.droppedCount == 800 - 512)
    #expect(take()?.count == 512)
    // After a view is taken, the builder accepts entries again.
    merge(Self.gps, 1, of: 1, [Self.satellite(1)])
    #expect(take() == Self.ids([1]))
    #expect(builder.droppedCount == 800 - 512)
  }

  @Test func `the capacity of the sky builder also limits a list that never ends`() {
    for part in 1...1000 {
      merge(Self.gps, part, of: .max, [Self.satellite(UInt8(truncatingIfNeeded: part))])
    }
    #expect(builder.droppedCount == 1000 - 512)
    #expect(take() == nil)
  }

  @Test func `a sky view of random complete lists contains the last repetition of each list`() {
    for seed in UInt64(0)..<200 {
      var generator = SeededGenerator(seed: seed)
      var builder = SkyBuilder()
      struct Key: Hashable {
        var id: SatelliteID
        var signal: UInt8?
      }
      var lists: [UInt32: [Key: Double]] = [:]
      for _ in 0..<Int.random(in: 1...12, using: &generator) {
        let system = SatelliteID.System.allCases.randomElement(using: &generator) ?? .gps
        let signals: [UInt8?] = [nil, 1, 5]
        let signal = signals.randomElement(using: &generator) ?? nil
        let parts = Int.random(in: 1...5, using: &generator)
        let group = UInt32(system.rawValue) << 8 | UInt32(signal ?? 0)
        lists[group] = [:]
        for part in 1...parts {
          let satellites = (0..<4).map { _ in
            Self.satellite(
              .random(in: 1...20, using: &generator), system, signal: signal,
              signalToNoise: Double(Int.random(in: 0...99, using: &generator)))
          }
          builder.merge(Self.report(group, part, of: parts, satellites), receivedAt: nil)
          for satellite in satellites {
            lists[group]?[Key(id: satellite.id, signal: signal)] = satellite.signalToNoiseDBHz
          }
        }
      }
      var view = SkyView()
      _ = builder.take(into: &view, dilution: Dilution(), isSimulated: false)
      let expected = lists.values.reduce(into: [:]) { $0.merge($1) { _, last in last } }
      let entries = view.satellites
      let actual = entries.map { (Key(id: $0.id, signal: $0.signal), $0.signalToNoiseDBHz ?? -1) }
      #expect(actual.count == expected.count, "seed \(seed)")
      #expect(Dictionary(actual) { first, _ in first } == expected, "seed \(seed)")
      #expect(builder.droppedCount == 0, "seed \(seed)")
    }
  }
}
