// SPDX-License-Identifier: Apache-2.0

import Testing
import WeatherClient

@testable import WeatherClientLive

/// A failure of a provider's server.
enum ServerFault: CaseIterable, CustomTestStringConvertible {
  case tooManyRequests, tooManyRequestsWithRetryAfter, internalError, unavailable,
    unavailableWithRetryAfter, notModified, empty, html, truncated
  case wrongTypes, nullValues, missingValues, large, slowBody, redirectLoop
  case bodyCutOff, resetBeforeResponse, resetInsideBody, notHTTP, closedWithoutResponse,
    wrongCertificateName

  var testDescription: String { "\(self)" }

  func script(
    _ subject: ProviderCase, _ head: String, _ port: UInt16
  ) -> LoopbackServer.Script {
    let target = LoopbackServer.target(head)
    let body = subject.body(for: target) ?? "{}"
    switch self {
    case .tooManyRequests: return .answer(status: "429 Too Many Requests", "")
    case .tooManyRequestsWithRetryAfter:
      return .answer(status: "429 Too Many Requests", headers: ["Retry-After: 1700"], "")
    case .internalError: return .answer(status: "500 Oops", "<html>no</html>")
    case .unavailable: return .answer(status: "503 Busy", "")
    case .unavailableWithRetryAfter:
      return .answer(status: "503 Busy", headers: ["Retry-After: 5"], "")
    case .notModified: return .answer(status: "304 Not Modified", "")
    case .empty: return .answer("")
    case .html: return .answer("<html>Welcome</html>")
    case .truncated: return .answer(String(body.prefix(body.count / 2)))
    case .wrongTypes: return .answer(Mutation.numbersBecomeLists.applied(to: body))
    case .nullValues: return .answer(Mutation.everythingNull.applied(to: body))
    case .missingValues: return .answer(Mutation.numbersMissing.applied(to: body))
    case .large:
      var script = LoopbackServer.Script.answer(
        bytes: [UInt8](repeating: 0x20, count: 65_536), contentLength: 50 << 20)
      script.repeatsLast = 800
      return script
    case .slowBody:
      var script = LoopbackServer.Script.answer(bytes: [0x20], contentLength: 1_000_000)
      script.repeatsLast = 100_000
      script.pauseMicroseconds = 1_000_000
      return script
    case .redirectLoop:
      return .answer(
        status: "302 Found", headers: ["Location: http://127.0.0.1:\(port)\(target)"], "")
    case .bodyCutOff: return ConnectionFault.bodyCutOff.script(body)
    case .resetBeforeResponse: return ConnectionFault.resetBeforeResponse.script(body)
    case .resetInsideBody: return ConnectionFault.resetInsideBody.script(body)
    case .notHTTP: return ConnectionFault.notHTTP.script(body)
    case .closedWithoutResponse: return ConnectionFault.closedWithoutResponse.script(body)
    // This valid reply is never sent, since the TLS handshake with `TLSFront` fails.
    case .wrongCertificateName: return subject.script(head)
    }
  }
}

extension ServerFault {
  /// Whether this failure may cause the given error of a lookup.
  func allows(_ error: WeatherError) -> Bool {
    switch (self, error) {
    case (.tooManyRequests, .rateLimited(nil, nil)),
      (.tooManyRequestsWithRetryAfter, .rateLimited(1700, nil)),
      (.unavailableWithRetryAfter, .rateLimited(5, nil)), (.internalError, .badStatus(500, nil)),
      (.unavailable, .badStatus(503, nil)), (.notModified, .badStatus(304, nil)),
      (.empty, .malformed), (.html, .malformed), (.truncated, .malformed),
      (.redirectLoop, .network("too many redirects")),
      (.bodyCutOff, .network), (.resetBeforeResponse, .network), (.resetInsideBody, .network),
      (.notHTTP, .network), (.closedWithoutResponse, .network):
      true
    case (.wrongCertificateName, .untrusted(let cause, _)):
      cause.contains("it is not for 127.0.0.1")
    // A reply without a grid is unsupported: the provider does not cover the location.
    case (.wrongTypes, .malformed), (.wrongTypes, .unsupported), (.nullValues, .malformed),
      (.nullValues, .unsupported), (.missingValues, .malformed), (.missingValues, .unsupported):
      true
    // OpenWeatherMap has a status in the body, which the mutation changes to -999.
    case (.missingValues, .badStatus(-999, nil)): true
    case (.large, .tooLarge(let limit)): limit == WeatherHTTP.maximumBytes
    case (.slowBody, .timedOut(let seconds)): seconds == 15
    default: false
    }
  }
}
