// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// A recorded log: at its own pace, some times as fast, or at once.
///
/// Unlike a receiver a recording can wait, so it loses nothing to a slow listener: after each piece
/// of 64 KiB it waits until those who listen have caught up. A sentence takes 16 bytes at least and
/// completes two events at most, so that never more than ``maxEventsBetweenWaits`` wait. A reading
/// of instruments is a third one, and comes from a sentence that completes none.
public struct ReplaySource: FixSource, NMEACounting {
  /// The name that its fixes carry.
  public let name: String
  /// How fast it is played.
  public let pace: ReplayPace
  private let input: ChunkReader.Input
  private let clock: any Clock<Duration>
  private let caughtUp: @Sendable () async -> Void
  private let shared = SharedCounters()

  /// Makes a source out of a file, which is opened when it runs.
  ///
  /// - Parameters:
  ///   - file: The file; its last part is the name of the source.
  ///   - pace: How fast it is played.
  ///   - clock: The clock that paces it.
  ///   - caughtUp: Returns when those who listen have dealt with what was delivered.
  public init(
    file: String, pace: ReplayPace, clock: any Clock<Duration> = ContinuousClock(),
    caughtUp: @escaping @Sendable () async -> Void = {}
  ) {
    name = file.split(separator: "/").last.map(String.init) ?? file
    input = .file(file)
    self.pace = pace
    self.clock = clock
    self.caughtUp = caughtUp
  }

  /// Makes a source out of bytes.
  ///
  /// - Parameters:
  ///   - name: The name that its fixes carry.
  ///   - bytes: The log.
  ///   - pace: How fast it is played.
  ///   - clock: The clock that paces it.
  ///   - caughtUp: Returns when those who listen have dealt with what was delivered.
  public init(
    name: String, bytes: [UInt8], pace: ReplayPace, clock: any Clock<Duration> = ContinuousClock(),
    caughtUp: @escaping @Sendable () async -> Void = {}
  ) {
    self.name = name
    input = .bytes(bytes)
    self.pace = pace
    self.clock = clock
    self.caughtUp = caughtUp
  }

  /// How many events are delivered at most before those who listen are waited for.
  public static let maxEventsBetweenWaits = ChunkReader.chunkSize / 16 * 2

  /// What the present or last run has read; a log without a sentence shows here.
  public var counters: NMEACounters { shared.value }

  /// Plays the log to its end, or until the task is cancelled.
  ///
  /// Dates stay as they were recorded. Fixes carry when they were delivered, unless the log is
  /// played at once: then they never arrived.
  ///
  /// - Parameter deliver: Takes each event, in order.
  /// - Throws: ``ReplayError`` where the file cannot be opened or read. A log that holds nothing
  ///   is not an error.
  public func run(
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(ReplayError) {
    let decoder = NMEADecoder(source: name, pace: .recorded, survey: try survey())
    try await run(decoder: decoder, delivering: deliver)
  }

  /// Reads as much of the log as shows the order of its sentences and its first date.
  private func survey() throws(ReplayError) -> RecordingSurvey? {
    let reader = try ChunkReader(input)
    guard reader.isRepeatable else { return nil }
    var survey = RecordingSurvey()
    var chunk: [UInt8] = []
    while !survey.isComplete, !Task.isCancelled {
      try reader.next(into: &chunk)
      if chunk.isEmpty { break }
      survey.read(chunk.span)
    }
    return survey
  }

  func run(
    decoder: some StreamDecoder, delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(ReplayError) {
    if let factor = pace.factor {
      try await play(decoder, ReplayPacer(factor: factor), on: clock, delivering: deliver)
    } else {
      try await playAtOnce(decoder, delivering: deliver)
    }
  }

  private func playAtOnce(
    _ decoder: some StreamDecoder, delivering deliver: (FixSourceEvent) -> Void
  ) async throws(ReplayError) {
    var decoder = decoder
    let reader = try ChunkReader(input)
    var chunk: [UInt8] = []
    while !Task.isCancelled {
      guard await reader.waitUntilReadable() else { return }
      try reader.next(into: &chunk)
      if chunk.isEmpty {
        decoder.finish(deliver: deliver)
      } else {
        decoder.decode(chunk.span, receivedAt: nil, deliver: deliver)
      }
      shared.value = decoder.counters
      if chunk.isEmpty { return }
      await caughtUp()
    }
  }

  private func play(
    _ decoder: some StreamDecoder, _ pacer: ReplayPacer, on clock: some Clock<Duration>,
    delivering deliver: (FixSourceEvent) -> Void
  ) async throws(ReplayError) {
    var (decoder, pacer) = (decoder, pacer)
    let reader = try ChunkReader(input)
    let start = clock.now
    var chunk: [UInt8] = []
    repeat {
      guard await reader.waitUntilReadable() else { return }
      try reader.next(into: &chunk)
      // What one chunk completes is bounded by its size.
      var events: [FixSourceEvent] = []
      if chunk.isEmpty {
        decoder.finish { events.append($0) }
      } else {
        decoder.decode(chunk.span, receivedAt: nil) { events.append($0) }
      }
      shared.value = decoder.counters
      for event in events {
        // Counted from the start, so that the time taken by listeners does not add up.
        let due = start.advanced(by: pacer.due(Self.time(of: event)))
        if due > clock.now {
          // Only a cancelled task makes a clock throw.
          guard (try? await clock.sleep(until: due, tolerance: nil)) != nil else { return }
        }
        guard !Task.isCancelled else { return }
        deliver(Self.stamped(event, .now()))
      }
      if !chunk.isEmpty { await caughtUp() }
    } while !chunk.isEmpty
  }

  private static func time(of event: FixSourceEvent) -> UTCTime? {
    switch event {
    case .fix(let fix): fix.time
    case .sky(let sky): sky.time
    case .instruments(let reading): reading.time
    case .connected, .receiver, .lost: nil
    }
  }

  private static func stamped(_ event: FixSourceEvent, _ time: MonotonicTime) -> FixSourceEvent {
    switch event {
    case .fix(var fix):
      fix.receivedAt = time
      return .fix(fix)
    case .sky(var sky):
      sky.receivedAt = time
      return .sky(sky)
    case .instruments(var reading):
      reading.receivedAt = time
      return .instruments(reading)
    case .connected, .receiver, .lost: return event
    }
  }
}
