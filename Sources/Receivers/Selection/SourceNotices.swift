// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Explains why sources deliver no fix: in the status and, if the reason persists, once to the
/// consumer.
struct SourceNotices: Sendable {
  /// The time after which an open port without a fix is reported.
  static let silenceNanoseconds = GPSDSession.Options().silenceNanoseconds

  /// The time since which no source is chosen, or the time of the last new receiver if later.
  ///
  /// `nil` while a source is chosen.
  private var withoutSourceSince: MonotonicTime?
  /// The last reported reasons.
  private var lastReported: String?
  /// The last delivered loss that reported the failure of all named sources.
  private var announced: SourceLoss?
  private var tickedAt = MonotonicTime(nanoseconds: .min)

  // MARK: Events

  mutating func tick(_ now: MonotonicTime) { tickedAt = now }

  /// Gives a new receiver time for its first fix.
  mutating func noteNewReceiver(at now: MonotonicTime) { withoutSourceSince = now }

  /// Reports reasons again, since the sources have changed.
  mutating func noteNewSources(at now: MonotonicTime) {
    (withoutSourceSince, lastReported) = (now, nil)
  }

  mutating func noteChosen() { (withoutSourceSince, lastReported) = (nil, nil) }

  /// Reports the next failure of all named sources, even if it is the same.
  mutating func forgetAnnounced() { announced = nil }

  /// Records a delivered loss, so that the same failure is not reported again.
  mutating func noteDelivered(_ loss: SourceLoss) {
    announced = SourceLoss(loss.reason, detail: loss.detail)
  }

  // MARK: Reports

  /// Reports the failures of all named sources once; `members` are all except those that have ended
  /// without a failure.
  mutating func announce(
    _ reason: SourceLoss.Reason, of members: [SourceMember], at now: MonotonicTime
  ) -> [SourceAction] {
    let problems = members.compactMap(\.problem)
    var loss = SourceLoss(reason, detail: problems.joined(separator: "; "))
    guard problems.count == members.count, loss != announced else { return [] }
    announced = loss
    loss.at = now
    return [.deliver(.lost(loss))]
  }

  /// Reports the reasons for missing fixes after some time, and again only if the reasons change.
  ///
  /// Without automatic discovery, ``announce(_:of:at:)`` reports the failures.
  mutating func report(
    _ members: SourceMembers, _ claims: GPSDClaims, autodetects: Bool, at now: MonotonicTime
  ) -> [SourceAction] {
    let since = withoutSourceSince ?? now
    withoutSourceSince = since
    let hasLasted = now >= since.advanced(byNanoseconds: Self.silenceNanoseconds)
    let texts = members.compactMap { member -> String? in
      if hasLasted, autodetects, let text = persistentProblem(of: member, claims) { return text }
      guard let run = member.run,
        now >= run.startedAt.advanced(byNanoseconds: Self.silenceNanoseconds)
      else { return nil }
      return member.missingFixText
    }
    let text = texts.joined(separator: "; ")
    guard !text.isEmpty, text != lastReported else { return [] }
    lastReported = text
    return [.deliver(.lost(SourceLoss(.silent, detail: text, at: now)))]
  }

  /// The time at which ``report(_:_:autodetects:at:)`` may have something new to report.
  func deadline(
    _ members: SourceMembers, _ claims: GPSDClaims, autodetects: Bool
  ) -> MonotonicTime? {
    guard let withoutSourceSince else { return nil }
    var starts = members.filter(\.lacksFix).compactMap(\.run?.startedAt)
    let problems = members.compactMap { persistentProblem(of: $0, claims) }
    if autodetects, !problems.isEmpty { starts.append(withoutSourceSince) }
    var deadlines = starts.map { $0.advanced(byNanoseconds: Self.silenceNanoseconds) }
    if members.contains(where: { $0.phase == .reservedForGPSD }) {
      deadlines += [gpsdDeadline(claims)].compactMap { $0 }
    }
    return deadlines.filter { $0 > tickedAt }.min()
  }

  // MARK: Status

  /// Returns the status of the sources: the reasons for missing fixes, one line each with the remedy,
  /// and why no source has a current position.
  func diagnosis(
    _ members: SourceMembers, _ claims: GPSDClaims, _ present: PresentReceivers, autodetects: Bool,
    at now: MonotonicTime
  ) -> SourceDiagnosis {
    var diagnosis = SourceDiagnosis()
    diagnosis.hadReceiver = members.contains(where: \.isReading)
    diagnosis.messages = members.flatMap { $0.run?.messages.all ?? [] }
    diagnosis.notices = members.compactMap { member in
      if member.phase == .reservedForGPSD { return gpsdText(of: member, claims) }
      if member.name == claims.memberName, !member.isNamed { return nil }
      return member.renumberedText(among: present) ?? member.problem
        ?? (member.isUnvalidated ? member.missingFixText : nil)
    }
    diagnosis.notices += present.candidates.map {
      "\($0.devnode) may be a receiver; to open it, specify \($0.consent(among: present.all))"
    }
    // Without automatic discovery, a missing udevd is not the reason for missing fixes.
    diagnosis.notices += [members.refusal, autodetects ? present.notice : nil].compactMap { $0 }
    let limit = Double(members.selector.policy.lossNanoseconds) / 1e9
    let open = members.filter { $0.problem == nil }
    if !open.contains(where: { $0.run?.hasPosition(within: limit, at: now) == true }) {
      // The explanation of the source that came closest to a position.
      diagnosis.noFix = open.compactMap {
        $0.run?.noFixExplanation(of: $0, silentAfter: limit, at: now)
      }.max { ($0.reportsEpochs ? 1 : 0, $0.input) < ($1.reportsEpochs ? 1 : 0, $1.input) }
    }
    return diagnosis
  }

  private func persistentProblem(of member: SourceMember, _ claims: GPSDClaims) -> String? {
    guard member.plan.isPort else { return nil }
    return member.phase == .reservedForGPSD ? gpsdText(of: member, claims) : member.problem
  }

  // MARK: Receivers reserved for gpsd

  /// The time after which missing reports of a responsive gpsd count as a problem.
  ///
  /// `nil` if a source is chosen or gpsd does not respond.
  private func gpsdDeadline(_ claims: GPSDClaims) -> MonotonicTime? {
    guard let withoutSourceSince, case .up(let since) = claims.answer else { return nil }
    return max(since, withoutSourceSince).advanced(byNanoseconds: Self.silenceNanoseconds)
  }

  private func gpsdText(of member: SourceMember, _ claims: GPSDClaims) -> String? {
    guard claims.isUp else { return GPSDConfiguration.absence(of: member.plan.name) }
    guard let deadline = gpsdDeadline(claims), tickedAt >= deadline else { return nil }
    return GPSDConfiguration.silence(of: member.plan.name)
  }
}

extension SourceMember {
  /// Returns that the receiver of a named port is plugged in again and has another devnode.
  fileprivate func renumberedText(among present: PresentReceivers) -> String? {
    guard let receiver = unpluggedName.flatMap(present.receiver) else { return nil }
    let path = receiver.stablePath(among: present.all)
    // Without a link, any name may change again.
    let advice = path == receiver.devnode ? "name" : "name it by a link that does not change:"
    return "the receiver that was \(plan.name) is now \(receiver.devnode); \(advice) \(path)"
  }

  /// The reason why an open port has not delivered a fix, with the remedy; `nil` after the first
  /// fix.
  ///
  /// The text contains no counts, since a changed text is reported again.
  fileprivate var missingFixText: String? {
    guard lacksFix, let run else { return nil }
    return "\(plan.name): "
      + (missingPositionText(run.counters) ?? missingSentencesText ?? inputText(run.input))
  }

  private func missingPositionText(_ counters: NMEACounters) -> String? {
    if let refused = counters.firstRefused {
      let content =
        counters.refusedUncheckedSentences > 0
        ? "without checksums and with refused content" : "with right checksums and refused content"
      return "receiving sentences \(content) (\(refused)); \(NoFixExplanation.contentAdvice)"
    }
    guard counters.sentences > 0 else { return nil }
    return "receiving NMEA without positions; \(NoFixExplanation.positionAdvice)"
  }

  private var missingSentencesText: String? {
    if receiver?.role == .modemPort {
      return "receiving no NMEA from the modem;"
        + " enable its GPS: mmcli -m any --location-enable-gps-unmanaged"
    }
    guard isUnvalidated else { return nil }
    return "no valid NMEA yet, trying all baud rates;"
      + " check that a receiver is connected and switched on"
  }

  private func inputText(_ input: LineInput) -> String {
    switch input {
    case .none: "receiving no data; check that the receiver is switched on"
    case .text:
      "receiving text without NMEA, such as from a serial console or an Arduino;"
        + " use another port, or see: fixcast doctor"
    case .damaged:
      "receiving NMEA with wrong checksums and no right one; check the cable and its ground wire"
    case .mostlyUnchecked:
      "receiving NMEA mostly without checksums; \(NoFixExplanation.checksumAdvice)"
    case .unchecked: "receiving NMEA without checksums; \(NoFixExplanation.checksumAdvice)"
    case .unreadable, .refusedUnchecked, .refused, .nmea:
      if case .serial(_, let baud?, _, _) = plan {
        "receiving data but no valid NMEA at \(baud) baud; remove the baud rate to try all"
      } else {
        "receiving data but no valid NMEA, trying all baud rates;"
          + " for a binary protocol, use gpsd as the source"
      }
    }
  }
}

extension GPSDConfiguration {
  /// The command that starts gpsd.
  public static let startCommand = "sudo systemctl start gpsd.socket gpsd"

  /// Returns the notice, with the remedy, that a receiver is assigned to gpsd but gpsd is not
  /// running.
  public static func absence(of devnode: String) -> String {
    "\(devnode) is assigned to gpsd in \(usualPath), but gpsd is not running;"
      + " start gpsd: \(startCommand);"
      + " or read the receiver without gpsd: --source serial:\(devnode)"
  }

  /// Returns the notice, with the remedy, that gpsd sends no position reports of a receiver.
  static func silence(of devnode: String) -> String {
    let seconds = Double(SourceNotices.silenceNanoseconds) / 1e9
    return "\(devnode) is left to gpsd, which has sent no position report for \(seconds) s;"
      + " check its output: gpspipe -w, and its log: systemctl status gpsd;"
      + " if gpsd does not have the receiver: sudo gpsdctl add \(devnode)"
  }
}
