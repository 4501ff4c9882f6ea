// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Synchronization

/// Requests that an operator would be asked about, since neither a rule nor an answer decides.
package struct OperatorRequests: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package static let whenInUse = OperatorRequests(rawValue: 1)
  package static let always = OperatorRequests(rawValue: 2)
  /// Full accuracy for a while.
  package static let temporaryFull = OperatorRequests(rawValue: 4)
  package static let all: OperatorRequests = [.whenInUse, .always, .temporaryFull]

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The member for a request.
  package init(_ request: AuthorizationRequest) {
    switch request {
    case .whenInUse: self = .whenInUse
    case .always: self = .always
    }
  }
}

extension PolicyFiles {
  /// Requests of this client that an operator would be asked about now.
  package var operatorRequests: OperatorRequests {
    state.withLock { state in
      var requests: OperatorRequests = []
      for request in AuthorizationRequest.allCases {
        let verdict = state.snapshot.evaluation.verdict(
          on: client, asking: request, at: now(), process: process)
        switch verdict.authorization.status {
        case .notDetermined: requests.insert(OperatorRequests(request))
        case .authorizedWhenInUse where request == .always:
          if case .decision(let decision) = verdict.origin, !decision.refusesAlways {
            requests.insert(.always)
          }
        default: break
        }
        if verdict.fullAccuracySeconds == nil { requests.insert(.temporaryFull) }
      }
      return requests
    }
  }
}
