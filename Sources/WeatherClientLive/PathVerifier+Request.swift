// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import Glibc
internal import NIOCore
internal import NIOPosix

extension PathVerifier.Outcome {
  /// What a provider's answer says of the path that it came by; `nil` where it says nothing.
  ///
  /// Providers speak JSON, errors included; a portal shows a page. A page with an error's status
  /// may be either's.
  init?(status: Int, body: some Sequence<UInt8>) {
    // A byte order mark and white space may come first.
    let blank: Set<UInt8> = [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D]
    let first = body.first { !blank.contains($0) }
    switch (status, first) {
    case (511, _): self = .portal(statusCode: status)
    case (_, UInt8(ascii: "{")), (_, UInt8(ascii: "[")), (204, nil), (304, nil): self = .verified
    case (200..<400, UInt8(ascii: "<")): self = .portal(statusCode: status)
    case (500..., _): self = .upstreamDead(cause: "answered \(status)")
    default: return nil
    }
  }

  /// What a request that got no answer says of the path; `nil` where it says nothing.
  ///
  /// A name server that is silent for longer than a connection may take is not told from a dead
  /// network.
  init?(_ error: any Error) {
    switch error {
    case is CancellationError: return nil
    case let error as HTTPClientError:
      switch error {
      case .cancelled, .invalidURL, .emptyHost, .emptyScheme: return nil
      // A page that leads to itself is a portal's.
      case .redirectCycleDetected, .redirectLimitReached: self = .portal(statusCode: nil)
      default: self = .upstreamDead(cause: error.shortDescription)
      }
    case let error as NIOConnectionError:
      if error.connectionErrors.isEmpty, let cause = error.dnsAError ?? error.dnsAAAAError {
        self = .dnsFailing(cause: "\(error.host): \(cause)")
      } else {
        self = .upstreamDead(cause: Self.cause(of: error))
      }
    default: self = .upstreamDead(cause: Self.cause(of: error))
    }
  }

  /// The kernel's own word for why nobody answered, where it has one.
  static func cause(of error: any Error) -> String {
    let first = (error as? NIOConnectionError)?.connectionErrors.first?.error ?? error
    guard let error = first as? IOError else { return "\(first)" }
    return String(cString: strerror(error.errnoCode))
  }
}
