// SPDX-License-Identifier: Apache-2.0

public import Positioning
package import SystemSupport

/// A source that replays a recorded log, at a given pace or as fast as possible.
///
/// Slow consumers lose no events: after each chunk of 64 KiB the source waits until the consumers
/// have caught up. A sentence has at least 16 bytes and completes at most two events, so at most
/// ``maxEventsBetweenWaits`` events are pending. A sentence that completes an instrument reading
/// completes no other event. Forwarded sentences are not counted, as no consumer queues them.
public struct ReplaySource: FixSource, NMEACounting {
  /// The name of the source, set in every fix.
  public let name: String
  /// The speed of the replay.
  public let pace: ReplayPace
  private let input: ChunkReader.Input
  private let clock: any Clock<Duration>
  private let waitForConsumers: @Sendable () async -> Void
  private let shared = SharedCounters()
  /// Whether sentences without a checksum are accepted.
  package var allowsMissingChecksum = false
  /// The wall clock, from which the age of the recording is computed.
  var utcNow: @Sendable () -> UTCTime = { SystemClock.utcNow() }
  /// Receives the raw sentences; `nil` records none.
  package var sentences: RawSentences?
  /// Requests the sentences of each epoch; `nil` forwards none.
  package var sentenceDemand: SentenceDemand?

  /// Makes a source for a file, which is opened when the source runs.
  ///
  /// - Parameters:
  ///   - file: The path of the file; its last component is the name of the source.
  ///   - pace: The speed of the replay.
  ///   - clock: The clock that paces the replay.
  ///   - waitForConsumers: Returns when the consumers have processed all delivered events.
  public init(
    file: String, pace: ReplayPace, clock: any Clock<Duration> = ContinuousClock(),
    waitForConsumers: @escaping @Sendable () async -> Void = {}
  ) {
    name = file.split(separator: "/").last.map(String.init) ?? file
    input = .file(file)
    self.pace = pace
    self.clock = clock
    self.waitForConsumers = waitForConsumers
  }

  /// Makes a source for a log in memory.
  ///
  /// - Parameters:
  ///   - name: The name of the source.
  ///   - bytes: The log.
  ///   - pace: The speed of the replay.
  ///   - clock: The clock that paces the replay.
  ///   - waitForConsumers: Returns when the consumers have processed all delivered events.
  public init(
    name: String, bytes: [UInt8], pace: ReplayPace, clock: any Clock<Duration> = ContinuousClock(),
    waitForConsumers: @escaping @Sendable () async -> Void = {}
  ) {
    self.name = name
    input = .bytes(bytes)
    self.pace = pace
    self.clock = clock
    self.waitForConsumers = waitForConsumers
  }

  /// The maximum number of events delivered before the source waits for its consumers.
  public static let maxEventsBetweenWaits = ChunkReader.chunkSize / 16 * 2

  /// The counters of the current or last run.
  ///
  /// The counters show whether the log contained any sentences.
  public var counters: NMEACounters { shared.value }

  /// Replays the log until its end or until the task is cancelled.
  ///
  /// All events are marked as replayed. Recorded dates are not corrected. The arrival time of a fix is the time of its delivery, or
  /// `nil` in an immediate replay.
  ///
  /// - Parameter deliver: Receives each event, in order.
  /// - Throws: ``ReplayError`` if the file cannot be opened or read. An empty log is not an error.
  public func run(
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(ReplayError) {
    let decoder = SentenceForwarder(
      NMEADecoder(
        source: name, pace: .recorded, allowsMissingChecksum: allowsMissingChecksum,
        survey: try survey()),
      source: name, demand: sentenceDemand)
    try await run(decoder: SentenceRecorder(decoder, into: sentences), delivering: deliver)
  }

  /// Reads the log ahead until the order of its sentences and its first date are known.
  ///
  /// Returns `nil` if the input cannot be read twice.
  private func survey() throws(ReplayError) -> RecordingSurvey? {
    let reader = try ChunkReader(input)
    guard reader.isRepeatable else { return nil }
    var survey = RecordingSurvey(allowsMissingChecksum: allowsMissingChecksum)
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
      try await playImmediately(decoder, delivering: deliver)
    }
  }

  private func playImmediately(
    _ decoder: some StreamDecoder, delivering deliver: (FixSourceEvent) -> Void
  ) async throws(ReplayError) {
    let deliver = { deliver(Self.marked($0)) }
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
      await waitForConsumers()
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
      // The number of events is bounded by the chunk size.
      var events: [FixSourceEvent] = []
      if chunk.isEmpty {
        decoder.finish { events.append($0) }
      } else {
        decoder.decode(chunk.span, receivedAt: nil) { events.append($0) }
      }
      shared.value = decoder.counters
      for (index, event) in events.enumerated() {
        // Sentences are due with the fix that follows them.
        var time = Self.time(of: event)
        if case .sentences = event {
          time = events[index...].lazy.compactMap { Self.time(of: $0) }.first
        }
        // Relative to the start, so that delays by consumers do not accumulate.
        let due = start.advanced(by: pacer.dueOffset(of: time))
        if due > clock.now {
          // The clock throws only if the task is cancelled.
          guard (try? await clock.sleep(until: due, tolerance: nil)) != nil else { return }
        }
        guard !Task.isCancelled else { return }
        deliver(stamped(Self.marked(event), .now()))
      }
      if !chunk.isEmpty { await waitForConsumers() }
    } while !chunk.isEmpty
  }

  private static func time(of event: FixSourceEvent) -> UTCTime? {
    switch event {
    case .fix(let fix): fix.time
    case .sky(let sky): sky.time
    case .instruments(let reading): reading.time
    case .sentences, .connected, .receiver, .message, .lost: nil
    }
  }

  private static func marked(_ event: FixSourceEvent) -> FixSourceEvent {
    switch event {
    case .fix(var fix):
      fix.isReplayed = true
      return .fix(fix)
    case .sky(var sky):
      sky.isReplayed = true
      return .sky(sky)
    case .instruments(var reading):
      reading.isReplayed = true
      return .instruments(reading)
    case .sentences, .connected, .receiver, .message, .lost: return event
    }
  }

  private func stamped(_ event: FixSourceEvent, _ time: MonotonicTime) -> FixSourceEvent {
    switch event {
    case .fix(var fix):
      fix.receivedAt = time
      // If the wall clock is behind the recording, the age is unknown.
      if let age = fix.time.map({ utcNow().nanoseconds(since: $0) }), age >= 0 {
        fix.recordedAt = time.advanced(byNanoseconds: -age)
      }
      return .fix(fix)
    case .sky(var sky):
      sky.receivedAt = time
      return .sky(sky)
    case .instruments(var reading):
      reading.receivedAt = time
      return .instruments(reading)
    case .sentences, .connected, .receiver, .message, .lost: return event
    }
  }
}
