// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning
internal import SystemSupport

/// Reads a port into a decoder until the port hangs up or `wake` is signalled; blocks its thread.
struct SerialReadLoop<Decoder: StreamDecoder> {
  let port: SerialPort
  let wake: WakeUp
  let liveness: ThreadLiveness
  let counters: SharedCounters
  var decoder: Decoder
  /// The detector of the baud rate; `nil` if the baud rate is configured.
  var detector: BaudRateDetector?
  /// Whether to stop if no baud rate yields sentences.
  private let stopsWithoutReceiver: Bool
  private var binary = BinaryWatch()
  private var stall = StallDetector()
  private var trials = BaudRateTrials()
  private var formats = DataFormatDetector()
  /// The counters at the start of the current trial of a baud rate.
  private var trialStart = NMEACounters()

  init(
    port: SerialPort, wake: WakeUp, liveness: ThreadLiveness, counters: SharedCounters,
    decoder: Decoder,
    detector: BaudRateDetector? = nil, stopsWithoutReceiver: Bool = false
  ) {
    self.port = port
    self.wake = wake
    self.liveness = liveness
    self.counters = counters
    self.decoder = decoder
    self.detector = detector
    self.stopsWithoutReceiver = stopsWithoutReceiver
  }

  /// The buffer size: larger than the input between two wake-ups at any baud rate.
  private static var bufferSize: Int { 4096 }
  /// The timeout of poll(2).
  ///
  /// The minimum of 1 ms prevents a busy loop on an expired deadline.
  private static var waitMilliseconds: ClosedRange<Int32> {
    1...StallDetector.longestWaitMilliseconds
  }

  private enum WaitResult {
    case woken
    case silence
    case readable(isHungUp: Bool)
    /// Readable, but the process was paused and the input may be old.
    case stale
  }

  /// Reads until `wake` is signalled.
  ///
  /// - Throws: ``SerialError`` of kind read, hangUp, binaryOnly or noReceiver.
  mutating func run(deliver: (FixSourceEvent) -> Void) throws(SerialError) {
    var buffer = [UInt8](repeating: 0, count: Self.bufferSize)
    while true {
      switch try wait() {
      case .woken: return
      case .silence:
        let now = MonotonicTime.now()
        decoder.completeOnSilence(at: now, deliver: deliver)
        try detectBaudRate(at: now)
      case .stale: discard()
      case .readable(let isHungUp):
        do throws(SerialError) {
          guard let count = try read(into: &buffer) else {
            // POLLHUP without input: the line is dead, and poll(2) would return at once forever.
            if isHungUp { throw hangUp(errorNumber: EIO) }
            continue
          }
          let now = MonotonicTime.now()
          // The process was paused between poll(2) and read(2).
          guard !stall.hasStalled(at: now) else {
            discard()
            continue
          }
          removeParity(from: &buffer, count)
          let bytes = buffer.span.extracting(0..<count)
          decoder.decode(bytes, receivedAt: now, deliver: deliver)
          try checkForBinary(bytes, at: now)
          try detectBaudRate(at: now)
        } catch {
          // Deliver the open epoch, which was received at least partly before the error.
          decoder.finish(deliver: deliver)
          publishCounters()
          throw error
        }
      }
      publishCounters()
    }
  }

  private func publishCounters() {
    var value = decoder.counters
    value.trials = trials
    value.dataFormat = formats.format
    counters.value = value
  }

  /// Clears the eighth bit of the first `count` bytes if the port has 7 data bits.
  private mutating func removeParity(from buffer: inout [UInt8], _ count: Int) {
    if formats.format == nil {
      // The format of a port with readable sentences is right.
      guard decoder.counters.readableSentences == trialStart.readableSentences else { return }
      formats.take(buffer.span.extracting(0..<count))
      guard formats.format != nil else { return }
    }
    for index in 0..<count { buffer[index] &= 0x7F }
  }

  /// Discards the input and the open epoch, since both may be old.
  private mutating func discard() {
    port.discardInput()
    decoder.finish { _ in }
  }

  /// Sets the baud rate that the detector requests, if any.
  private mutating func detectBaudRate(at now: MonotonicTime) throws(SerialError) {
    // Binary frames with valid checksums show that the baud rate is correct.
    if let deadline = binary.holdDeadline, now < deadline { return }
    let counted = decoder.counters
    let noise = counted.bytes - min(counted.bytes, binary.framedByteCount)
    let tried = detector?.baud
    guard
      case .setSpeed(let baud)? = detector?.note(
        sentences: counted.readableSentences, bytes: noise, at: now)
    else { return }
    trials.note(baud: tried, from: trialStart, to: counted)
    trialStart = counted
    if stopsWithoutReceiver, detector?.hasTriedAll == true {
      throw SerialError(kind: .noReceiver, devnode: port.devnode, call: "read")
    }
    binary.reset()
    formats = DataFormatDetector()
    do throws(SerialError) {
      try port.setSpeed(baud: baud)
    } catch {
      // If the port does not support this baud rate, the next baud rate may work.
      guard case .speed = error.kind else { throw error }
    }
  }

  /// Throws if the line carries only a binary protocol, which cannot be decoded here.
  private mutating func checkForBinary(
    _ bytes: Span<UInt8>, at now: MonotonicTime
  ) throws(SerialError) {
    let sentences = decoder.counters.readableSentences
    guard let found = binary.take(bytes, sentences: sentences, at: now) else { return }
    throw SerialError(kind: .binaryOnly(found), devnode: port.devnode, call: "read")
  }

  private mutating func wait() throws(SerialError) -> WaitResult {
    var descriptors = [
      pollfd(fd: port.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    let ready: Int32
    var isStale = false
    do throws(SystemCallFailure) {
      // The closure is repeated after EINTR, with the remaining time.
      ready = try SystemCall.run("poll") {
        let milliseconds = millisecondsToDeadline()
        stall.beginWait(atMostMilliseconds: milliseconds, at: .now())
        liveness.beginWaiting()
        let ready = poll(&descriptors, nfds_t(descriptors.count), milliseconds)
        liveness.beginWorking()
        isStale = stall.endWait(at: .now()) || isStale
        return ready
      }
    } catch {
      throw SerialError(.read, port.devnode, error)
    }
    guard ready > 0 else { return .silence }
    if descriptors[1].revents != 0 { return .woken }
    let failures = Int16(POLLERR | POLLHUP | POLLNVAL)
    let isHungUp = descriptors[0].revents & failures != 0
    return isStale && !isHungUp ? .stale : .readable(isHungUp: isHungUp)
  }

  /// The timeout for poll(2), rounded up so that the deadline has passed when poll(2) times out.
  private func millisecondsToDeadline() -> Int32 {
    let deadlines = [decoder.silenceDeadline, detectionDeadline].compactMap { $0 }
    let range = Self.waitMilliseconds
    guard let deadline = deadlines.min() else { return range.upperBound }
    let (left, overflow) = deadline.nanoseconds.subtractingReportingOverflow(
      MonotonicTime.now().nanoseconds)
    let milliseconds = overflow ? 0 : left / 1_000_000 + 1
    return Int32(max(Int64(range.lowerBound), min(Int64(range.upperBound), milliseconds)))
  }

  private var detectionDeadline: MonotonicTime? {
    guard let deadline = detector?.deadline else { return nil }
    return max(deadline, binary.holdDeadline ?? deadline)
  }

  /// Reads and returns the number of bytes, or `nil` if no input was available.
  private func read(into buffer: inout [UInt8]) throws(SerialError) -> Int? {
    let count: Int
    do throws(SystemCallFailure) {
      count = try SystemCall.run("read") {
        buffer.withUnsafeMutableBytes { Glibc.read(port.descriptor, $0.baseAddress, $0.count) }
      }
    } catch {
      switch error.number {
      case EAGAIN: return nil
      // Depending on the driver, unplugging a USB device causes any of these errors.
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
