// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Positioning
internal import Synchronization
internal import SystemSupport

/// What a service uses locations for by the word of whoever runs the board.
extension PolicyFiles {
  /// Makes the policy of this process, which does what it was configured to.
  ///
  /// It may know while nobody says anything against it, and is not waited for because of a rule that
  /// has an operator asked about everyone: whoever wrote the configuration has answered that. The
  /// switch for the whole board, and whatever is said of its user or unit, goes for it too.
  ///
  /// - Parameters:
  ///   - client: Who asks; by default this process by its evidence.
  ///   - places: Where the files are.
  package convenience init(
    configured client: ClientIdentity = ProcessEvidence().ownIdentity(), places: PolicyPlaces
  ) {
    let own =
      ProcessEvidence().token(of: getpid())
      ?? ProcessToken(process: getpid(), startTicks: 0, boot: nil)
    self.init(
      client: client, process: own, places: places, base: .authorizedAlways, isConfigured: true,
      now: { BoardTime.now() }, report: { PolicyFiles.reportToStandardError($0) })
  }

  /// What holds for the client, and why.
  package struct Standing: Equatable, Sendable {
    package var authorization: Authorization
    package var origin: AuthorizationVerdict.Origin

    package init(_ authorization: Authorization, origin: AuthorizationVerdict.Origin) {
      self.authorization = authorization
      self.origin = origin
    }
  }

  /// What it was told last; `nil` while the files are looked at, for which nobody is to wait.
  package var standing: Standing? {
    state.withLockIfAvailable {
      Standing($0.session.told, origin: $0.session.origin)
    }
  }
}
