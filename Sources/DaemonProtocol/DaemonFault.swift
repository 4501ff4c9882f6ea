// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Positioning

/// Why the daemon does not do what was asked, as it is sent: a status of HTTP and an object.
///
///     {"class":"ERROR","error":"notAuthorized","message":"...","advice":"..."}
public struct DaemonFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The status of HTTP, 400 to 599.
  public var status: Int
  /// A word for programs; others than those named here may come.
  public var error: String
  /// What is wrong, for people.
  public var message: String
  /// What to do about it.
  public var advice: String?

  /// Makes a fault.
  public init(status: Int, error: String, message: String, advice: String? = nil) {
    self.status = status
    self.error = error
    self.message = message
    self.advice = advice
  }

  /// Both in one line.
  public var description: String { message + (advice.map { "; \($0)" } ?? "") }

  // MARK: What there is

  /// The request cannot be read.
  public static func malformed(_ message: String) -> DaemonFault {
    DaemonFault(status: 400, error: "malformed", message: message)
  }

  /// There is nothing at that path.
  public static var notFound: DaemonFault {
    DaemonFault(
      status: 404, error: "notFound", message: "there is nothing at that path",
      advice: "ask for /v1/status, /v1/location, /v1/events or /v1/authorization")
  }

  /// The path takes another method.
  public static func method(_ method: String) -> DaemonFault {
    DaemonFault(status: 405, error: "method", message: "that path takes \(method)")
  }

  /// A request for a host that is not the daemon's, as a page sends whose name was pointed at it.
  ///
  /// - Parameter host: The `Host` of the request.
  /// - Returns: The fault.
  public static func misdirected(_ host: String) -> DaemonFault {
    DaemonFault(
      status: 421, error: "misdirected", message: "the daemon does not serve the host \(host)",
      advice: "ask for http://fixcast/ on the socket, or for http://localhost/ through a tunnel")
  }

  /// A request that a page of another origin makes a browser send.
  public static var foreignOrigin: DaemonFault {
    DaemonFault(
      status: 403, error: "foreignOrigin",
      message: "the daemon does not answer pages of another origin")
  }

  /// A body of another type than JSON.
  public static var mediaType: DaemonFault {
    DaemonFault(
      status: 415, error: "mediaType", message: "the body of a POST has to be JSON",
      advice: "send it with: Content-Type: application/json")
  }

  /// The head or the body is too large.
  ///
  /// - Parameter isHead: Whether it is the head.
  /// - Returns: The fault.
  public static func tooLarge(isHead: Bool) -> DaemonFault {
    DaemonFault(
      status: isHead ? 431 : 413, error: "tooLarge",
      message: "the \(isHead ? "head" : "body") of the request is too large")
  }

  /// The client took too long to say what it wants.
  public static var slow: DaemonFault {
    DaemonFault(status: 408, error: "slow", message: "the request did not come in time")
  }

  /// Too many are connected.
  public static var busy: DaemonFault {
    DaemonFault(
      status: 503, error: "busy", message: "too many connections",
      advice: "close some, or try again later")
  }

  /// The user connects or asks too often.
  public static var tooOften: DaemonFault {
    DaemonFault(
      status: 429, error: "tooOften", message: "this user connects or asks too often",
      advice: "try again later, and keep one stream open instead of connecting anew")
  }

  /// The kernel does not say who asks, or the process that connected is gone.
  public static var unknownClient: DaemonFault {
    DaemonFault(
      status: 403, error: "unknownClient",
      message: "it is not certain which process connected, and in which unit",
      advice: "ask again, from a process that stays until it has its answer")
  }

  /// The kernel does not show the daemon the processes of other users.
  public static var hiddenClient: DaemonFault {
    DaemonFault(
      status: 403, error: "unknownClient",
      message: "/proc hides from the daemon which process connected (hidepid)",
      advice: "an administrator shows it with: sudo mount -o remount,hidepid=0 /proc"
        + "; see also: fixcast doctor")
  }

  /// The client may not know where the board is.
  ///
  /// - Parameters:
  ///   - message: Why.
  ///   - advice: The command that would change it.
  /// - Returns: The fault.
  public static func notAuthorized(_ message: String, advice: String?) -> DaemonFault {
    DaemonFault(status: 403, error: "notAuthorized", message: message, advice: advice)
  }

  /// Nobody has decided in time.
  public static func notDetermined(_ message: String, advice: String?) -> DaemonFault {
    DaemonFault(status: 403, error: "notDetermined", message: message, advice: advice)
  }

  /// There was no position in time.
  public static var noFix: DaemonFault {
    DaemonFault(
      status: 504, error: "noFix", message: "there was no position in time",
      advice: "the receiver needs a view of the sky; see fixcast status")
  }

  // MARK: On the wire

  private struct Body: Codable {
    var error: String
    var message: String
    var advice: String?
  }

  /// Reads what an answer carries that is not of status 200.
  ///
  /// - Parameters:
  ///   - status: The status of HTTP.
  ///   - json: The body; `nil` comes of what no daemon sends.
  public init?(status: Int, json: [UInt8]) {
    guard let body = try? JSONDecoder().decode(Body.self, from: Data(json)) else { return nil }
    self.init(status: status, error: body.error, message: body.message, advice: body.advice)
  }

  /// The object as it is sent, a line.
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
