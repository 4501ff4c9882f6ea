// SPDX-License-Identifier: Apache-2.0

import Testing
import WeatherClient

@testable import WeatherClientLive

/// A failure of a provider's server.
enum ServerFault: CaseIterable, CustomTestStringConvertible {
  case limited, limitedWithTime, oops, busy, busyWithTime, notModified, empty, html, truncated
  case wrongTypes, nulls, missingValues, large, dripping, circle
  case cutOff, resetAtOnce, resetInside, noHTTP, hungUp, wrongName

  var testDescription: String { "\(self)" }

  func script(
    _ subject: ProviderCase, _ head: String, _ port: UInt16
  ) -> LoopbackServer.Script {
    let target = LoopbackServer.target(head)
    let body = subject.answer(target) ?? "{}"
    switch self {
    case .limited: return .answer(status: "429 Too Many Requests", "")
    case .limitedWithTime:
      return .answer(status: "429 Too Many Requests", headers: ["Retry-After: 1700"], "")
    case .oops: return .answer(status: "500 Oops", "<html>no</html>")
    case .busy: return .answer(status: "503 Busy", "")
    case .busyWithTime: return .answer(status: "503 Busy", headers: ["Retry-After: 5"], "")
    case .notModified: return .answer(status: "304 Not Modified", "")
    case .empty: return .answer("")
    case .html: return .answer("<html>Welcome</html>")
    case .truncated: return .answer(String(body.prefix(body.count / 2)))
    case .wrongTypes: return .answer(Mutation.numbersBecomeLists.applied(to: body))
    case .nulls: return .answer(Mutation.everythingNull.applied(to: body))
    case .missingValues: return .answer(Mutation.numbersMissing.applied(to: body))
    case .large:
      var script = LoopbackServer.Script.answer(
        bytes: [UInt8](repeating: 0x20, count: 65_536), contentLength: 50 << 20)
      script.repeatsLast = 800
      return script
    case .dripping:
      var script = LoopbackServer.Script.answer(bytes: [0x20], contentLength: 1_000_000)
      script.repeatsLast = 100_000
      script.pauseMicroseconds = 1_000_000
      return script
    case .circle:
      return .answer(
        status: "302 Found", headers: ["Location: http://127.0.0.1:\(port)\(target)"], "")
    case .cutOff: return ConnectionFault.cutOff.script(body)
    case .resetAtOnce: return ConnectionFault.resetAtOnce.script(body)
    case .resetInside: return ConnectionFault.resetInside.script(body)
    case .noHTTP: return ConnectionFault.noHTTP.script(body)
    case .hungUp: return ConnectionFault.hungUp.script(body)
    // This valid reply is never sent, since the TLS handshake with `TLSFront` fails.
    case .wrongName: return subject.script(head)
    }
  }
}

extension ServerFault {
  /// Whether this failure may cause the given error of a lookup.
  func allows(_ error: WeatherError) -> Bool {
    switch (self, error) {
    case (.limited, .rateLimited(nil, nil)), (.limitedWithTime, .rateLimited(1700, nil)),
      (.busyWithTime, .rateLimited(5, nil)), (.oops, .badStatus(500, nil)),
      (.busy, .badStatus(503, nil)), (.notModified, .badStatus(304, nil)),
      (.empty, .malformed), (.html, .malformed), (.truncated, .malformed),
      (.circle, .network("too many redirects")),
      (.cutOff, .network), (.resetAtOnce, .network), (.resetInside, .network),
      (.noHTTP, .network), (.hungUp, .network),
      (.wrongName, .untrusted("the certificate does not match the host name")):
      true
    // A reply without a grid is unsupported: the provider does not cover the location.
    case (.wrongTypes, .malformed), (.wrongTypes, .unsupported), (.nulls, .malformed),
      (.nulls, .unsupported), (.missingValues, .malformed), (.missingValues, .unsupported):
      true
    // OpenWeatherMap has a status in the body, which the mutation changes to -999.
    case (.missingValues, .badStatus(-999, nil)): true
    case (.large, .tooLarge(let limit)): limit == WeatherHTTP.maximumBytes
    case (.dripping, .timedOut(let seconds)): seconds == 15
    default: false
    }
  }
}
