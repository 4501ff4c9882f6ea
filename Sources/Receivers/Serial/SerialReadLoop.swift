// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning
internal import SystemSupport

/// Reads a port into a decoder until it hangs up or is woken; blocks its thread meanwhile.
struct SerialReadLoop<Decoder: StreamDecoder> {
  let port: SerialPort
  let wake: WakeUp
  let pulse: ThreadLiveness
  let counters: SharedCounters
  var decoder: Decoder
  /// Looks for the speed; `nil` where it is given.
  var detector: BaudRateDetector?
  /// Whether the line is let go where no speed has sentences.
  private let isLetGo: Bool
  private var binary = BinaryWatch()
  private var stall = StallDetector()

  init(
    port: SerialPort, wake: WakeUp, pulse: ThreadLiveness, counters: SharedCounters,
    decoder: Decoder,
    detector: BaudRateDetector? = nil, isLetGo: Bool = false
  ) {
    self.port = port
    self.wake = wake
    self.pulse = pulse
    self.counters = counters
    self.decoder = decoder
    self.detector = detector
    self.isLetGo = isLetGo
  }

  /// Longer than any burst of a line between two wake-ups.
  private static var bufferSize: Int { 4096 }
  /// Keeps a deadline that has passed and stays from turning the loop into a spin.
  private static var waitMilliseconds: ClosedRange<Int32> {
    1...StallDetector.longestWaitMilliseconds
  }

  private enum Awaited {
    case woken
    case silence
    case readable(isHungUp: Bool)
    /// Readable, and what is there may be as old as the program was away.
    case stale
  }

  /// Reads until the end.
  ///
  /// - Throws: ``SerialError`` of kind read or hangUp; returning means that the loop was woken.
  mutating func run(deliver: (FixSourceEvent) -> Void) throws(SerialError) {
    var buffer = [UInt8](repeating: 0, count: Self.bufferSize)
    while true {
      switch try wait() {
      case .woken: return
      case .silence:
        let now = MonotonicTime.now()
        decoder.completeOnSilence(at: now, deliver: deliver)
        try hunt(at: now)
      case .stale: discard()
      case .readable(let isHungUp):
        do throws(SerialError) {
          guard let count = try read(into: &buffer) else {
            // Nothing to read, and yet poll says so: only a dead line does that for ever.
            if isHungUp { throw hangUp(errorNumber: EIO) }
            continue
          }
          let (bytes, now) = (buffer.span.extracting(0..<count), MonotonicTime.now())
          // Stopped between the look and the reading.
          guard !stall.hasStood(at: now) else {
            discard()
            continue
          }
          decoder.decode(bytes, receivedAt: now, deliver: deliver)
          try recognize(bytes, at: now)
          try hunt(at: now)
        } catch {
          // What was open had been received; the next source begins anew.
          decoder.finish(deliver: deliver)
          counters.value = decoder.counters
          throw error
        }
      }
      counters.value = decoder.counters
    }
  }

  /// Drops what may be old, and the half an epoch of before that must not be completed by now's.
  private mutating func discard() {
    port.discardInput()
    decoder.finish { _ in }
  }

  /// Follows the detector to another speed.
  private mutating func hunt(at now: MonotonicTime) throws(SerialError) {
    // Frames with right sums mean that the speed is right, whatever they say.
    if let deadline = binary.holdDeadline, now < deadline { return }
    let counted = decoder.counters
    let noise = counted.bytes - min(counted.bytes, binary.framedByteCount)
    guard
      case .setSpeed(let baud)? = detector?.note(
        sentences: counted.sentences, bytes: noise, at: now)
    else { return }
    if isLetGo, detector?.hasGoneRound == true {
      throw SerialError(kind: .noReceiver, devnode: port.devnode, call: "read")
    }
    binary.forget()
    do throws(SerialError) {
      try port.setSpeed(baud: baud)
    } catch {
      // A port that does not have this speed may have the next.
      guard case .speed = error.kind else { throw error }
    }
  }

  /// Gives up on a line that speaks only a binary protocol: it never becomes a fix here.
  private mutating func recognize(
    _ bytes: Span<UInt8>, at now: MonotonicTime
  ) throws(SerialError) {
    let sentences = decoder.counters.sentences
    guard let found = binary.take(bytes, sentences: sentences, at: now) else { return }
    throw SerialError(kind: .binaryOnly(found), devnode: port.devnode, call: "read")
  }

  private mutating func wait() throws(SerialError) -> Awaited {
    var descriptors = [
      pollfd(fd: port.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    let ready: Int32
    var isStale = false
    do throws(SystemCallFailure) {
      // The remaining time is worked out anew after a signal.
      ready = try SystemCall.run("poll") {
        let milliseconds = millisecondsToDeadline()
        stall.waits(atMostMilliseconds: milliseconds, at: .now())
        pulse.waits()
        let ready = poll(&descriptors, nfds_t(descriptors.count), milliseconds)
        pulse.works()
        isStale = stall.looks(at: .now()) || isStale
        return ready
      }
    } catch {
      throw SerialError(.read, port.devnode, error)
    }
    guard ready > 0 else { return .silence }
    if descriptors[1].revents != 0 { return .woken }
    let bad = Int16(POLLERR | POLLHUP | POLLNVAL)
    let isHungUp = descriptors[0].revents & bad != 0
    return isStale && !isHungUp ? .stale : .readable(isHungUp: isHungUp)
  }

  /// The wait for poll(2), rounded up so that a near deadline has passed when it ends.
  private func millisecondsToDeadline() -> Int32 {
    let deadlines = [decoder.silenceDeadline, huntDeadline].compactMap { $0 }
    let range = Self.waitMilliseconds
    guard let deadline = deadlines.min() else { return range.upperBound }
    let (left, overflow) = deadline.nanoseconds.subtractingReportingOverflow(
      MonotonicTime.now().nanoseconds)
    let milliseconds = overflow ? 0 : left / 1_000_000 + 1
    return Int32(max(Int64(range.lowerBound), min(Int64(range.upperBound), milliseconds)))
  }

  private var huntDeadline: MonotonicTime? {
    guard let deadline = detector?.deadline else { return nil }
    return max(deadline, binary.holdDeadline ?? deadline)
  }

  /// How many bytes came; `nil` where there were none after all.
  private func read(into buffer: inout [UInt8]) throws(SerialError) -> Int? {
    let count: Int
    do throws(SystemCallFailure) {
      count = try SystemCall.run("read") {
        buffer.withUnsafeMutableBytes { Glibc.read(port.descriptor, $0.baseAddress, $0.count) }
      }
    } catch {
      switch error.number {
      case EAGAIN: return nil
      // A pulled USB plug shows as any of these, by driver.
      case EIO, ENXIO, ENODEV: throw hangUp(errorNumber: error.number)
      default: throw SerialError(.read, port.devnode, error)
      }
    }
    guard count > 0 else { throw hangUp(errorNumber: 0) }
    return min(count, buffer.count)
  }

  private func hangUp(errorNumber: Int32) -> SerialError {
    SerialError(kind: .hangUp, devnode: port.devnode, call: "read", errorNumber: errorNumber)
  }
}
