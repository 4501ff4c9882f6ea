// SPDX-License-Identifier: Apache-2.0

import NMEA
import Positioning

/// Converts sentences to reports for the epoch assembler and delivers the completed events.
struct ReportSink: Sendable {
  let source: String?
  var assembler: EpochAssembler
  var counters = NMEACounters()
  var receivedAt: MonotonicTime?
  private(set) var errors: DecodingErrors
  private var messages = ReceiverMessageFilter()
  /// Whether the current line has no checksum.
  private var isLineUnchecked = false
  /// Whether a line since the last fix had no checksum.
  private var hasUncheckedLine = false
  private var heading = StatedHeading()
  private(set) var instruments = InstrumentDecoder()
  /// Whether positions use WGS 84, according to the last DTM or PGRMM.
  private var isOnWGS84 = true
  /// The order of the sentences in the recording, according to the survey.
  private let order: SentenceOrder

  init(
    source: String?, assembler: EpochAssembler, order: SentenceOrder = SentenceOrder(),
    maxErrors: Int = 0
  ) {
    self.source = source
    errors = DecodingErrors(limit: maxErrors)
    self.assembler = assembler
    self.order = order
  }

  /// A stand-in while ``NMEADecoder`` moves its sink into a handler.
  ///
  /// Never receives sentences.
  static var placeholder: ReportSink {
    ReportSink(source: nil, assembler: EpochAssembler(completion: .recorded))
  }

  mutating func take(
    _ sentence: borrowing Sentence, from address: SentenceAddress,
    _ deliver: (FixSourceEvent) -> Void
  ) {
    counters.sentences &+= 1
    let talker = address.talker
    switch sentence {
    case .gsv(let gsv):
      let report = SkyReport(gsv, talker: talker)
      if assembler.ingest(report, receivedAt: receivedAt) { deliverOutput(deliver) }
    case .gsa(let gsa):
      var report = FixReport(gsa)
      report.precedesTime = order.gsaPrecedesTime
      ingest(report, from: talker, with: UsedSatellites(gsa, talker: talker), deliver)
    case .gga(let gga): ingest(FixReport(gga), from: talker, deliver)
    case .rmc(let rmc):
      countIfInvalid(rmc.date)
      ingest(FixReport(rmc), from: talker, deliver)
    case .vtg(let vtg):
      var report = FixReport(vtg)
      report.precedesTime = order.vtgPrecedesTime
      ingest(report, from: talker, deliver)
    case .gll(let gll): ingest(FixReport(gll), from: talker, deliver)
    case .gns(let gns): ingest(FixReport(gns), from: talker, deliver)
    case .gst(let gst): ingest(FixReport(gst), from: talker, deliver)
    case .gbs(let gbs): ingest(FixReport(gbs), from: talker, deliver)
    case .zda(let zda):
      countIfInvalid(zda.date)
      ingest(FixReport(zda), from: talker, deliver)
    case .pubx00(let pubx): ingest(FixReport(pubx), from: talker, deliver)
    case .pgrme(let pgrme): ingest(FixReport(pgrme), from: talker, deliver)
    case .pgrmz(let pgrmz): ingest(FixReport(pgrmz), from: talker, deliver)
    case .pgrmv(let pgrmv): ingest(FixReport(pgrmv), from: talker, deliver)
    case .psrfepe(let psrfepe):
      if psrfepe.isValid { ingest(FixReport(psrfepe), from: talker, deliver) }
    case .txt(let txt):
      guard SimulatedText.matches(txt) else { return take(txt, deliver) }
      var report = FixReport(kind: nil)
      report.isSimulated = true
      ingest(report, from: talker, deliver)
    case .pgtop(let pgtop): take(pgtop.antenna, deliver)
    case .pcd(let pcd): take(pcd.antenna, deliver)
    case .pqtmantennastatus(let status): take(status.antenna, deliver)
    case .dtm(let dtm): note(dtm)
    case .pgrmm(let pgrmm): note(pgrmm)
    case .hdt, .hdm, .hdg, .ths, .hpr, .pashr, .psti036, .uniheadinga: heading.take(sentence)
    case .mda, .mtw, .mwd, .mwv, .xdr:
      Self.deliver(instruments.takeOverdue(at: receivedAt), of: source, deliver)
      let reading = instruments.take(sentence, talker: talker, receivedAt: receivedAt)
      Self.deliver(reading, of: source, deliver)
    }
  }

  /// Delivers the state of the antenna, an error or a warning.
  private mutating func take(_ txt: TXT, _ deliver: (FixSourceEvent) -> Void) {
    if let antenna = txt.antenna { return take(antenna, deliver) }
    guard txt.identifier == TXT.error || txt.identifier == TXT.warning, txt.text.count > 0,
      let isRepeated = messages.isRepeated(txt.text, at: receivedAt)
    else { return }
    self.deliver(
      ReceiverMessage(
        txt.identifier == TXT.error ? .error : .warning, "\(txt.text)", isRepeated: isRepeated),
      deliver)
  }

  private mutating func take(_ antenna: AntennaState?, _ deliver: (FixSourceEvent) -> Void) {
    guard let antenna, let isRepeated = messages.isRepeated(antenna, at: receivedAt) else {
      return
    }
    self.deliver(
      ReceiverMessage(antenna: .init(antenna), isRepeated: isRepeated), deliver)
  }

  private func deliver(_ message: ReceiverMessage, _ deliver: (FixSourceEvent) -> Void) {
    var message = message
    message.source = source
    message.receivedAt = receivedAt
    deliver(.message(message))
  }

  /// Counts a sentence of a type that is not supported.
  mutating func passOver() {
    // Noise may look like an address, so a line without a checksum does not count as a sentence.
    if isLineUnchecked {
      isLineUnchecked = false
      counters.linesWithoutChecksum &+= 1
    } else {
      counters.sentences &+= 1
      counters.unknownSentences &+= 1
    }
  }

  mutating func beginUncheckedLine() { isLineUnchecked = true }

  /// Ends a line that was accepted without a checksum.
  mutating func countIfUnchecked() {
    guard isLineUnchecked else { return }
    isLineUnchecked = false
    hasUncheckedLine = true
    counters.uncheckedSentences &+= 1
  }

  /// Counts a refused line, or an invalid field in an accepted sentence.
  mutating func note(_ error: SentenceError) {
    errors.note(error)
    guard error.isRefusal else {
      counters.flawedFields &+= 1
      return
    }
    let isUnchecked = isLineUnchecked
    isLineUnchecked = false
    switch error.kind {
    case .checksumMismatch: counters.wrongChecksums &+= 1
    case .missingChecksum where !error.value.isAddressed: counters.otherLines &+= 1
    case .malformedAddress where isUnchecked: counters.otherLines &+= 1
    case .missingChecksum: counters.linesWithoutChecksum &+= 1
    default:
      counters.refusedSentences &+= 1
      if isUnchecked { counters.refusedUncheckedSentences &+= 1 }
      counters.firstRefused = counters.firstRefused ?? error.fault
    }
  }

  /// Counts a date that does not exist, such as 31 February.
  private mutating func countIfInvalid(_ date: CalendarDate?) {
    if let date, UTCDate(date) == nil { counters.flawedFields &+= 1 }
  }

  /// Stores whether positions use WGS 84.
  ///
  /// Positions on another datum are dropped: they may be hundreds of meters off.
  private mutating func note(_ dtm: DTM) {
    let compatible = [DTM.wgs84, DTM.wgs84SpeltOut, DTM.pz90]
    isOnWGS84 = dtm.localDatum.map(compatible.contains) ?? true
  }

  private mutating func note(_ pgrmm: PGRMM) {
    guard let datum = pgrmm.datum else { return }
    isOnWGS84 = datum == PGRMM.wgs84 || datum == PGRMM.nad83
  }

  private mutating func ingest(
    _ report: consuming FixReport, from talker: Talker, with used: UsedSatellites? = nil,
    _ deliver: (FixSourceEvent) -> Void
  ) {
    // Proprietary sentences have no talker.
    report.talker = talker.isProprietary ? nil : talker.rawValue
    if !isOnWGS84, report.coordinate != nil {
      report.coordinate = nil
      counters.foreignDatumPositions &+= 1
    }
    if assembler.ingest(report, with: used, receivedAt: receivedAt) { deliverOutput(deliver) }
  }

  /// Delivers the events that the assembler has completed.
  mutating func deliverOutput(_ deliver: (FixSourceEvent) -> Void) {
    for index in 0..<assembler.output.fixCount {
      assembler.output.fixes[index].isUnchecked = hasUncheckedLine || isLineUnchecked
      Self.complete(&assembler.output.fixes[index], source, &heading, &counters)
      instruments.lastFixAt = assembler.output.fixes[index].receivedAt
    }
    let last = assembler.output.fixCount - 1
    if last >= 0 { hasUncheckedLine = false }
    if instruments.hasPending, last >= 0 {
      Self.deliver(instruments.take(assembler.output.fixes[last]), of: source, deliver)
    }
    assembler.output.deliver(deliver)
  }

  /// Delivers a reading with its source.
  ///
  /// The function is static, because the call of a method would copy the whole sink.
  private static func deliver(
    _ reading: InstrumentReading?, of source: String?, _ deliver: (FixSourceEvent) -> Void
  ) {
    guard var reading else { return }
    reading.source = source
    deliver(.instruments(reading))
  }

  private static func complete(
    _ fix: inout Fix, _ source: String?, _ heading: inout StatedHeading,
    _ counters: inout NMEACounters
  ) {
    counters.epochs &+= 1
    if fix.mode > .none { counters.fixes &+= 1 }
    fix.source = source
    heading.move(to: &fix)
  }
}

/// A sentence handler that combines a ``ReportSink`` with the function that receives the events.
struct DeliveringSink: SentenceHandler {
  var sink: ReportSink
  let deliver: (FixSourceEvent) -> Void

  mutating func take(_ sentence: borrowing Sentence, from address: SentenceAddress) {
    sink.take(sentence, from: address, deliver)
    sink.countIfUnchecked()
  }

  mutating func passOver(_ address: SentenceAddress) { sink.passOver() }

  mutating func beginUncheckedLine() { sink.beginUncheckedLine() }

  mutating func report(_ error: SentenceError) { sink.note(error) }
}
