// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Positioning

/// An error response of the daemon: an HTTP status and an object.
///
///     {"class":"ERROR","error":"notAuthorized","message":"...","advice":"..."}
public struct DaemonFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The HTTP status, 400 to 599.
  public var status: Int
  /// The kind of error, for programs.
  ///
  /// A newer daemon may send values that this type does not define.
  public var error: String
  /// The description of the error, for users.
  public var message: String
  /// The step that corrects the error, for users; `nil` if there is no such step.
  public var advice: String?

  /// Creates a fault.
  public init(status: Int, error: String, message: String, advice: String? = nil) {
    self.status = status
    self.error = error
    self.message = message
    self.advice = advice
  }

  /// The message and the advice in one line.
  public var description: String { message + (advice.map { "; \($0)" } ?? "") }

  // MARK: Errors

  /// An invalid request.
  public static func malformed(_ message: String) -> DaemonFault {
    DaemonFault(status: 400, error: "malformed", message: message)
  }

  /// A request for an unknown path.
  public static var notFound: DaemonFault {
    DaemonFault(
      status: 404, error: "notFound", message: "unknown path",
      advice: "use a path that /v1/openapi.json lists, such as /v1/status or /v1/location")
  }

  /// A request for another path on the TCP port of the metrics.
  package static var onlyMetrics: DaemonFault {
    DaemonFault(
      status: 404, error: "notFound", message: "this port serves only \(DaemonRequest.metricsPath)",
      advice: "use the daemon's socket for other requests")
  }

  /// A request with a method that its path does not accept; `method` is the accepted method.
  public static func method(_ method: String) -> DaemonFault {
    DaemonFault(status: 405, error: "method", message: "this path only accepts \(method)")
  }

  /// A request whose `Host` is not the daemon's, for example because of DNS rebinding.
  public static func misdirected(_ host: String) -> DaemonFault {
    DaemonFault(
      status: 421, error: "misdirected", message: "the daemon does not serve the host \(host)",
      advice: "use http://fixcast/ on the socket, or http://localhost/ through a tunnel; for the "
        + "status page, add the name to hosts below [web]")
  }

  /// A request that a browser sends on behalf of a page from another origin.
  public static var foreignOrigin: DaemonFault {
    DaemonFault(
      status: 403, error: "foreignOrigin",
      message: "the daemon does not answer pages of another origin")
  }

  /// A request on the status page's TCP port without the cookie and the key of a session.
  package static var noSession: DaemonFault {
    DaemonFault(
      status: 401, error: "noSession", message: "this browser has no session, or it has expired",
      advice: "open the link that this command prints on the board: sudo fixcast web")
  }

  /// A request for a link while the status page has no TCP port.
  package static var webOff: DaemonFault {
    DaemonFault(
      status: 404, error: "webOff", message: "the status page has no TCP port",
      advice: "set listen below [web] in the configuration, or forward the daemon's socket with "
        + "ssh -L")
  }

  /// A request for a link while no configured address of the status page is served; `reason` names the
  /// failure and the remedy.
  package static func webFailed(_ reason: String) -> DaemonFault {
    DaemonFault(
      status: 503, error: "webFailed", message: "the status page is not served: \(reason)")
  }

  /// A value that is not available at present.
  package static func noValue(_ name: String) -> DaemonFault {
    DaemonFault(status: 404, error: "noValue", message: "there is no \(name) at present")
  }

  /// A request for the last position while no position is known.
  package static var noLastFix: DaemonFault {
    DaemonFault(
      status: 404, error: "noFix", message: "no position since the daemon started",
      advice: "for the reason and the next step, see: fixcast status")
  }

  /// A request of a client with reduced accuracy for a value that reveals the position.
  package static var fullAccuracyOnly: DaemonFault {
    DaemonFault(
      status: 403, error: "notAuthorized", message: "this needs full accuracy",
      advice: "an operator can allow it without --reduced; see: fixcast auth explain")
  }

  /// A decision about a request that does not wait, for example because it was already decided.
  package static var noRequest: DaemonFault {
    DaemonFault(
      status: 404, error: "noRequest", message: "the request does not wait any more")
  }

  /// A decision that could not be recorded.
  package static func notRecorded(_ message: String) -> DaemonFault {
    DaemonFault(
      status: 409, error: "notRecorded", message: message,
      advice: "see: sudo fixcast auth pending")
  }

  /// A decision of a client that may not decide.
  package static var mayNotDecide: DaemonFault {
    DaemonFault(
      status: 403, error: "mayNotDecide", message: "only root can decide",
      advice: "open the page with a link from: sudo fixcast web")
  }

  /// A decision of a program that runs as root, but not in a login.
  package static var mayNotDecideInUnit: DaemonFault {
    DaemonFault(
      status: 403, error: "mayNotDecide", message: "only root in a login shell can decide here",
      advice: "answer in a shell with: sudo fixcast auth pending")
  }

  /// A decision without the field that only scripts of this page can send.
  package static var missingField: DaemonFault {
    DaemonFault(
      status: 403, error: "missingField", message: "the request has no field X-Fixcast",
      advice: "send it with: X-Fixcast: 1")
  }

  /// A body whose content type is not JSON.
  public static var mediaType: DaemonFault {
    DaemonFault(
      status: 415, error: "mediaType", message: "the body of a POST has to be JSON",
      advice: "send it with: Content-Type: application/json")
  }

  /// A request whose head or body is too large.
  public static func tooLarge(isHead: Bool) -> DaemonFault {
    DaemonFault(
      status: isHead ? 431 : 413, error: "tooLarge",
      message: "the \(isHead ? "head" : "body") of the request is too large")
  }

  /// A request that was not received in time.
  public static var slow: DaemonFault {
    DaemonFault(status: 408, error: "slow", message: "timed out while receiving the request")
  }

  /// A connection that exceeds the maximum number of connections.
  public static var busy: DaemonFault {
    DaemonFault(
      status: 503, error: "busy", message: "too many connections",
      advice: "close some, or try again later")
  }

  /// A connection or request that exceeds the rate limit for its user.
  public static var tooOften: DaemonFault {
    DaemonFault(
      status: 429, error: "tooOften", message: "too many connections or requests from this user",
      advice: "try again later, and keep one stream open instead of reconnecting")
  }

  /// A client that cannot be identified, because the kernel does not identify it or its process has
  /// exited.
  public static var unknownClient: DaemonFault {
    DaemonFault(
      status: 403, error: "unknownClient",
      message: "cannot identify the process that connected, or its unit",
      advice: "try again, from a process that keeps running until it has the answer")
  }

  /// A client that cannot be identified because `hidepid` hides other users' processes.
  public static var hiddenClient: DaemonFault {
    DaemonFault(
      status: 403, error: "unknownClient",
      message: "cannot identify the process that connected: /proc is mounted with hidepid",
      advice: "an administrator can change it with: sudo mount -o remount,hidepid=0 /proc"
        + "; see also: fixcast doctor")
  }

  /// A client without authorization; `advice` is the command that would grant it.
  public static func notAuthorized(_ message: String, advice: String?) -> DaemonFault {
    DaemonFault(status: 403, error: "notAuthorized", message: message, advice: advice)
  }

  /// A client whose authorization was not decided in time.
  public static func notDetermined(_ message: String, advice: String?) -> DaemonFault {
    DaemonFault(status: 403, error: "notDetermined", message: message, advice: advice)
  }

  /// A location request for which no position was received in time.
  public static var noFix: DaemonFault {
    DaemonFault(
      status: 504, error: "noFix", message: "no position in time",
      advice: "for the reason and the next step, see: fixcast status")
  }

  // MARK: Coding

  private struct Body: Codable {
    var error: String
    var message: String
    var advice: String?
  }

  /// Decodes an error response; `nil` if the body is not an object of the daemon.
  public init?(status: Int, json: [UInt8]) {
    guard let body = try? JSONDecoder().decode(Body.self, from: Data(json)) else { return nil }
    self.init(status: status, error: body.error, message: body.message, advice: body.advice)
  }

  /// The object as JSON, with a newline.
  public var json: [UInt8] {
    var line = JSONLine(reservingCapacity: 256)
    line.beginObject()
    line.constant("class", "ERROR")
    line.string("error", error)
    line.string("message", message)
    line.string("advice", advice)
    line.endObject()
    line.endLine()
    return line.bytes
  }
}
