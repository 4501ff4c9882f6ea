// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning
internal import Synchronization
internal import SystemSupport

/// Reads and writes the files of decisions, and finds places, for the core.
///
/// No function waits: files are read on the thread of the policy store.
final class WebShell: Sendable {
  private struct State {
    /// The subscription to changes of the decisions, while a page lists the requests that wait.
    var watch: PolicyListening?
    /// Whether the requests will be read for the pages, and the read has not begun.
    var isReading = false
  }

  private let policyStore: PolicyStore
  private let places: @Sendable (Coordinate) -> [UInt8]
  private let state = Mutex(State())

  /// - Parameters:
  ///   - policyStore: Reads and writes the decisions.
  ///   - places: Finds the nearest places, as a `PLACES` object. Called on any thread.
  init(policyStore: PolicyStore, places: @escaping @Sendable (Coordinate) -> [UInt8]) {
    self.policyStore = policyStore
    self.places = places
  }

  func perform(
    _ action: ServerCore.WebAction, _ submit: @escaping @Sendable (ServerCore.WebEvent) -> Void
  ) {
    switch action {
    case .readPlaces(let id, let coordinate):
      Task { [places] in submit(.places(id, coordinate, places(coordinate))) }
    case .readRequests(nil): readRequests(submit)
    case .readRequests(let id):
      policyStore.readPending { [places = policyStore.places] in
        submit(.requests(id, Self.json($0, places)))
      }
    case .decide(let id, let number, let decision, let user, let reason):
      let answer = OperatorAnswer(
        request: number, kind: .init(decision.kind), seconds: decision.hours.map(Self.seconds),
        by: user, reason: reason)
      policyStore.record(answer) { error in
        submit(.decided(id, error.map { .init($0) }))
      }
    }
  }

  /// Follows changes of the requests while `isWanted` is true.
  ///
  /// Must be called on the event loop.
  func followRequests(
    _ isWanted: Bool, _ submit: @escaping @Sendable (ServerCore.WebEvent) -> Void
  ) {
    let isFollowing = state.withLock { $0.watch != nil }
    guard isWanted != isFollowing else { return }
    var watch: PolicyListening?
    if isWanted {
      watch = policyStore.follow { [weak self] isChanged in
        if isChanged { self?.readRequests(submit) }
        return nil
      }
    }
    let old = state.withLock { [watch] state in
      defer { state.watch = watch }
      return state.watch
    }
    withExtendedLifetime(old) {}
  }

  /// Reads the requests for the pages, unless a read is already queued.
  private func readRequests(_ submit: @escaping @Sendable (ServerCore.WebEvent) -> Void) {
    let starts = state.withLock { state in
      defer { state.isReading = true }
      return !state.isReading
    }
    guard starts else { return }
    policyStore.readPending(begin: { [self] in state.withLock { $0.isReading = false } }) {
      [policyStore] in submit(.requests(nil, Self.json($0, policyStore.places)))
    }
  }

  /// Whole seconds of a number of hours that a request may contain, at least one.
  private static func seconds(_ hours: Double) -> Int64 { max(Int64(hours * 3600), 1) }

  /// The duration of the page's button that allows a request.
  private static let buttonDuration = "2h"

  /// The requests as a JSON array, with escapes in the texts of programs.
  private static func json(_ requests: [PendingRequest], _ paths: PolicyPaths) -> [UInt8] {
    var line = JSONLine()
    for request in requests {
      line.beginObject()
      line.string("id", "\(request.id)")
      line.string("client", paths.text(request.selector))
      line.string("purpose", request.purpose)
      line.string(
        "request",
        request.fullAccuracyPurposeKey == nil ? request.request.rawValue : "temporaryFull")
      line.time("since", UTCTime(secondsSince1970: request.created.utcSeconds))
      let command = ["sudo"] + request.answer(paths.words, for: buttonDuration)
      line.string("command", paths.command(command))
      line.endObject()
    }
    let end = line.bytes.last == UInt8(ascii: ",") ? 1 : 0
    return [UInt8(ascii: "[")] + line.bytes.dropLast(end) + [UInt8(ascii: "]")]
  }
}

extension OperatorAnswer.Kind {
  fileprivate init(_ kind: DaemonDecision.Kind) {
    self =
      switch kind {
      case .allow: .allow
      case .allowReduced: .allowReduced
      case .deny: .deny
      }
  }
}

extension DaemonFault {
  fileprivate init(_ failure: OperatorAnswer.Failure) {
    self = if case .unknownRequest = failure { .noRequest } else { .notRecorded("\(failure)") }
  }
}
