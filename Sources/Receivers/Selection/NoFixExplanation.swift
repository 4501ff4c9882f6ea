// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// The reason why an open source has no position, and the next step.
///
/// `status`, `doctor`, `locate` and `watch` print this explanation.
package struct NoFixExplanation: Equatable, Sendable, CustomStringConvertible {
  /// The time in seconds after which a receiver with strong signals has a fix, even after a cold
  /// start: the almanac takes 12.5 minutes.
  package static let coldStartSeconds = 900.0
  /// The time in seconds after which a receiver under open sky has found satellites.
  private static let searchSeconds = 60.0

  /// The name of the source; `nil` if the source is named elsewhere.
  package var source: String?
  /// The kind of data that the source sends.
  package var input: LineInput
  /// Whether the source reports epochs.
  package var reportsEpochs: Bool
  /// The time in seconds since the source began to send data, or since its last position.
  ///
  /// Without data, the time since the source was opened or since the last data.
  package var seconds: Double
  /// The satellites; `nil` if the source has not reported them.
  package var sky: SkySummary?
  /// The baud rates tried without success; empty if the baud rate is configured or known.
  package var triedBauds: [Int] = []
  /// The baud rate at which the source sends text or damaged NMEA; `nil` if it is not known.
  package var readableBaud: Int?
  /// The first sentence refused because of its content, with the reason; `nil` if none was refused.
  package var firstRefused: String?

  /// The receiver's own statement about the fault; `nil` if the receiver has made no statement.
  package var message: ReceiverMessage?

  /// The settings that accept sentences without a checksum.
  package static let checksumRemedy =
    "checksum = \"optional\" below its [[source]], or --allow-missing-checksum"

  package init(
    source: String? = nil, input: LineInput, reportsEpochs: Bool, seconds: Double,
    sky: SkySummary? = nil
  ) {
    self.source = source
    self.input = input
    self.reportsEpochs = reportsEpochs
    self.seconds = seconds
    self.sky = sky
  }

  /// Whether the source works and only needs more time.
  package var needsOnlyTime: Bool {
    guard message?.antenna == nil, reportsEpochs, seconds < Self.coldStartSeconds else {
      return false
    }
    guard let sky, seconds >= Self.searchSeconds else { return true }
    return sky.withSignal > 0
  }

  /// The facts, without the name of the source.
  package var facts: String { inputFacts + (message.map { "; \($0)" } ?? "") }

  private var inputFacts: String {
    switch input {
    case .none: "no data in \(duration)\(trials)"
    case .unreadable: "\(duration) of data that is neither NMEA nor text\(trials)"
    case .text: "\(duration) of text without NMEA\(rate)"
    case .damaged: "\(duration) of NMEA with wrong checksums and no right one\(rate)"
    case .mostlyUnchecked: "\(duration) of NMEA in which most lines have no checksum\(rate)"
    case .unchecked: "\(duration) of NMEA in which no line has a checksum\(rate)"
    case .refusedUnchecked:
      "\(duration) of NMEA without checksums and with refused content\(refusal)"
    case .refused: "\(duration) of NMEA with right checksums and refused content\(refusal)"
    case .nmea where !reportsEpochs: "\(duration) of NMEA without positions\(refusal)"
    case .nmea:
      "no fix in \(duration) of data: \(satellites)"
        + (firstRefused.map { "; sentences are refused, the first: \($0)" } ?? "")
    }
  }

  /// The next step; that of a statement about the antenna takes precedence.
  package var advice: String {
    if let message, message.antenna != nil, let advice = message.advice { return advice }
    return switch input {
    case .none: "check that the receiver is switched on and connected"
    case .unreadable where triedBauds.isEmpty:
      "if you named a baud rate, remove it to try all; for a binary protocol, use gpsd as the source"
    case .unreadable:
      "if the receiver uses another baud rate, name it, as in: fixcast locate \(device)@250000, or "
        + "baud = 250000 below its [[source]]; for a binary protocol, use gpsd as the source"
    case .text:
      "a serial console or another device sends this; use another port, or see: fixcast doctor"
    case .damaged: "check the cable, its ground wire, and sources of interference"
    case .mostlyUnchecked, .unchecked: Self.checksumAdvice
    case .refusedUnchecked: Self.contentAdvice
    case .refused: Self.refusalAdvice
    case .nmea where !reportsEpochs:
      firstRefused == nil ? Self.positionAdvice : Self.refusalAdvice
    case .nmea where firstRefused != nil && sky == nil: Self.contentAdvice
    case .nmea: skyAdvice
    }
  }

  /// The facts and the next step in one line.
  package var description: String {
    (source.map { "\($0): " } ?? "") + "\(facts); \(advice)"
  }

  static let contentAdvice = "correct the receiver's configuration, or update its firmware"
  static let positionAdvice = "configure the receiver to send GGA, RMC or GLL"
  static let checksumAdvice = "if the receiver sends none, accept them: \(checksumRemedy)"
  private static let refusalAdvice = "baud rate and cable are right; \(contentAdvice)"

  /// The path of the source for a command line; a placeholder if it is unknown.
  private var device: String { source.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "DEVICE" }

  private var refusal: String { firstRefused.map { "; the first: \($0)" } ?? "" }

  private var satellites: String {
    guard let sky else { return "the receiver has not reported its satellites" }
    guard sky.inView > 0 else { return "no satellites in view" }
    let inView = "\(sky.inView) \(sky.inView == 1 ? "satellite" : "satellites") in view"
    guard let strongest = sky.strongestDBHz else { return "\(inView), none with a signal" }
    return "\(inView), \(sky.withSignal) with a signal, the strongest \(Int(strongest)) dB-Hz"
  }

  private var skyAdvice: String {
    guard let sky else { return "wait some minutes with the antenna under open sky" }
    switch (sky.withSignal, sky.strong) {
    case (0, _) where sky.inView == 0 && seconds < Self.searchSeconds:
      return "check the antenna and its cable; if the receiver was just switched on, wait a minute"
    case (0, _) where seconds < Self.searchSeconds:
      return "place the antenna under open sky, or check it and its cable; if the receiver was "
        + "just switched on, wait a minute"
    case (0, _): return "check the antenna and its cable, and place the antenna under open sky"
    case (_, ..<4):
      let wait =
        seconds < Self.searchSeconds
        ? "wait a minute, the receiver is searching for satellites; if it finds no fix, " : ""
      return wait
        + "place the antenna under open sky: a first fix needs four satellites with at least "
        + "\(Int(SkySummary.strongDBHz)) dB-Hz, \(sky.strong) now"
    case _ where seconds < Self.coldStartSeconds:
      return "wait, the signals are strong enough; a cold start takes up to 15 minutes"
    default: return "the signals are strong enough: restart the receiver by unplugging it"
    }
  }

  /// The time in seconds, minutes or hours; a daemon may report any number.
  private var duration: String {
    let seconds = min(max(seconds, 0), 1e9)
    let (divisor, unit): (Double, String) =
      seconds < 120 ? (1, "s") : seconds < 7200 ? (60, "min") : (3600, "h")
    return "\(Int(exactly: (seconds / divisor).rounded(.down)) ?? 0) \(unit)"
  }

  private var trials: String {
    triedBauds.isEmpty
      ? "" : ", baud rates tried: " + triedBauds.map { "\($0)" }.joined(separator: ", ")
  }

  private var rate: String { readableBaud.map { " at \($0) baud" } ?? "" }
}

/// The numbers of satellites in view and the strength of their signals.
package struct SkySummary: Equatable, Sendable {
  /// The signal strength in dB-Hz at which a receiver can read a satellite's orbit.
  package static let strongDBHz = 30.0

  /// The number of satellites in view.
  package var inView: Int
  /// The number of satellites whose signal is received.
  package var withSignal: Int
  /// The number of satellites with a signal of at least ``strongDBHz``.
  package var strong: Int
  /// The strongest signal in dB-Hz, 0 to 99; `nil` if no signal is received.
  package var strongestDBHz: Double?

  package init(inView: Int, withSignal: Int, strong: Int, strongestDBHz: Double?) {
    self.inView = inView
    self.withSignal = withSignal
    self.strong = strong
    self.strongestDBHz = strongestDBHz.map { min(max($0, 0), 99) }
  }

  /// Summarizes a sky view.
  package init(_ sky: SkyView) {
    func count(atLeast limit: Double) -> Int {
      Set(sky.satellites.lazy.filter { ($0.signalToNoiseDBHz ?? 0) >= limit }.map(\.id)).count
    }
    self.init(
      inView: sky.inViewCount, withSignal: count(atLeast: 1),
      strong: count(atLeast: Self.strongDBHz),
      strongestDBHz: sky.satellites.compactMap(\.signalToNoiseDBHz).filter { $0 >= 1 }.max())
  }
}
