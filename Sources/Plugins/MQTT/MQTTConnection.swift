// SPDX-License-Identifier: Apache-2.0

internal import CMosquitto
internal import Glibc
internal import SystemSupport

/// One connection to a broker through libmosquitto, for use by one thread.
final class MQTTConnection {
  /// A packet from the broker.
  enum Event: Equatable {
    case connected
    case acknowledged(messageID: Int32)
    /// A message whose payload was cut to ``maxReceivedBytes`` + 1.
    case received(topic: String, payload: [UInt8])
  }

  /// The size of the largest message that a board may have to read: a report of the weather.
  static let maxReceivedBytes = 262_144
  /// The number of bytes without a complete packet beyond which a connection ends.
  static let maxPendingBytes = 2 * maxReceivedBytes

  private let functions: fixcast_mosquitto_functions
  private var client: OpaquePointer?
  /// The bytes from and to the broker; `nil` before the connection.
  private var relay: MQTTRelay?
  private let keepAliveSeconds: Int32
  private var events: [Event] = []
  /// The failure after the last packets; `nil` while the connection is open.
  private var failure: MQTTFailure?
  /// The code of a CONNACK that rejects the connection; `nil` before it.
  private var refusal: Int32?
  /// The reason why TLS failed; `nil` if it did not.
  private var tlsError: String?
  /// The reason why the broker's certificate was rejected; `nil` if it was not.
  private var certificateProblem: MQTTCertificateProblem?
  private let broker: MQTTBroker

  /// Makes a TCP connection to a broker, and sends an MQTT CONNECT.
  ///
  /// - Parameters:
  ///   - broker: The broker.
  ///   - clientID: The client id.
  ///   - password: The password; `nil` without one.
  ///   - will: The message that the broker publishes if the connection is lost.
  /// - Throws: `MQTTFailure` if libmosquitto is missing, a file for TLS cannot be read or the broker
  ///   is not reachable.
  init(
    _ broker: MQTTBroker, clientID: String, password: String?, will: MQTTMessage
  ) throws(MQTTFailure) {
    functions = try Self.library()
    keepAliveSeconds = Int32(broker.keepAliveSeconds)
    self.broker = broker
    client = functions.create(clientID, true, Unmanaged.passUnretained(self).toOpaque())
    guard client != nil else { throw MQTTFailure(SystemCallFailure.text(for: errno)) }
    setCallbacks()
    try check(
      functions.set_will(
        client, will.topic, Int32(will.payload.count), will.payload, 1, will.isRetained))
    if let name = broker.username {
      try check(functions.set_credentials(client, name, password))
    }
    if let tls = broker.tls { try set(tls) }
    try check(functions.connect(client, broker.host, Int32(broker.port), keepAliveSeconds))
    do throws(SystemCallFailure) {
      relay = try MQTTRelay(replacing: functions.socket(client))
    } catch {
      throw MQTTFailure(SystemCallFailure.text(for: error.number))
    }
  }

  deinit {
    functions.destroy(client)
    relay?.passOutput()
  }

  /// Returns the functions of libmosquitto, which is loaded with the first call.
  ///
  /// Throws `MQTTFailure` if the library is not installed.
  @discardableResult
  static func library() throws(MQTTFailure) -> fixcast_mosquitto_functions {
    var reason: UnsafePointer<CChar>?
    guard let functions = fixcast_mosquitto_load(&reason) else {
      let text = reason.map { String(cString: $0) } ?? "libmosquitto.so.1 cannot be loaded"
      throw MQTTFailure("\(text); install it with: sudo apt install libmosquitto1")
    }
    return functions.pointee
  }

  /// Publishes a message with QoS 1, and returns the id of its acknowledgement.
  func publish(_ message: MQTTMessage) throws(MQTTFailure) -> Int32 {
    var id: Int32 = 0
    try check(
      functions.publish(
        client, &id, message.topic, Int32(message.payload.count), message.payload, 1,
        message.isRetained))
    return id
  }

  /// Subscribes to a topic with QoS 0.
  func subscribe(to topic: String) throws(MQTTFailure) {
    try check(functions.subscribe(client, nil, topic, 0))
  }

  /// Sends a DISCONNECT, after which the broker does not publish the will.
  func disconnect() { _ = functions.disconnect(client) }

  /// Waits for packets and returns them.
  ///
  /// - Parameters:
  ///   - milliseconds: The time limit; `nil` for no limit.
  ///   - wakeUp: Ends the wait.
  /// - Returns: The packets; empty after the time limit or the end of the wait.
  /// - Throws: `MQTTFailure` if the connection is lost.
  func wait(milliseconds: Int32?, orUntil wakeUp: WakeUp?) throws(MQTTFailure) -> [Event] {
    if let failure { throw failure }
    relay?.passOutput()
    let interest = POLLIN | (functions.wants_to_write(client) ? POLLOUT : 0)
    var descriptors = [
      pollfd(fd: functions.socket(client), events: Int16(interest), revents: 0),
      pollfd(fd: wakeUp?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    descriptors += relay?.interests ?? []
    // The keepalive is checked at least twice in its time.
    let longest = min(keepAliveSeconds * 500, 5000)
    _ = poll(&descriptors, nfds_t(descriptors.count), min(milliseconds ?? longest, longest))
    do throws(MQTTFailure) {
      var ready = Int32(descriptors[0].revents)
      if ready & POLLOUT != 0 { try check(functions.write(client, 1)) }
      if ready & ~POLLOUT == 0, let broker = descriptors.dropFirst(2).first,
        Int32(broker.revents) & ~POLLOUT != 0
      {
        try passInput()
        ready = POLLIN
      }
      if ready & ~POLLOUT != 0 {
        // TLS may have decrypted more packets than the first call processes.
        for _ in 0..<2 { try check(functions.read(client, 1)) }
      }
      try check(functions.keep_alive(client))
      if let relay, relay.pendingBytes > Self.maxPendingBytes {
        throw MQTTFailure(
          "the broker sent more than \(Self.maxPendingBytes) bytes without a complete message",
          wasTooLong: true)
      }
    } catch {
      // Acknowledgements that arrived before the failure are valid.
      guard !events.isEmpty else { throw error }
      failure = error
    }
    defer { events = [] }
    return events
  }

  private func passInput() throws(MQTTFailure) {
    do throws(SystemCallFailure) { try relay?.passInput() } catch {
      throw MQTTFailure(SystemCallFailure.text(for: error.number))
    }
  }

  private func set(_ tls: MQTTBroker.TLS) throws(MQTTFailure) {
    for file in [tls.caFile, tls.certificateFile, tls.keyFile].compactMap({ $0 })
    where access(file, R_OK) != 0 {
      throw MQTTFailure("\(file): cannot be read: \(SystemCallFailure.text(for: errno))")
    }
    let folder = tls.caFile == nil ? "/etc/ssl/certs" : nil
    try check(
      functions.set_tls(client, tls.caFile, folder, tls.certificateFile, tls.keyFile, nil))
  }

  private func check(_ code: Int32) throws(MQTTFailure) {
    guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
    let number = errno
    if let refusal { throw MQTTFailure(connackCode: refusal) }
    if let text = certificateProblem?.text ?? tlsError { throw MQTTFailure("TLS: \(text)") }
    let text =
      switch mosq_err_t(code) {
      case MOSQ_ERR_ERRNO where number != 0: SystemCallFailure.text(for: number)
      case MOSQ_ERR_EAI: "the host name is not known"
      case MOSQ_ERR_CONN_LOST: "the broker closed the connection"
      case MOSQ_ERR_KEEPALIVE: "the broker does not answer"
      default: functions.error_text(code).map { String(cString: $0) } ?? "error \(code)"
      }
    throw MQTTFailure(text, wasClosed: code == MOSQ_ERR_CONN_LOST.rawValue)
  }

  private func setCallbacks() {
    functions.on_connect(client) { _, context, code in
      guard let connection = MQTTConnection.of(context) else { return }
      connection.relay?.packetIsComplete()
      if code == 0 { connection.events.append(.connected) } else { connection.refusal = code }
    }
    functions.on_publish(client) { _, context, id in
      guard let connection = MQTTConnection.of(context) else { return }
      connection.relay?.packetIsComplete()
      connection.events.append(.acknowledged(messageID: id))
    }
    functions.on_message(client) { _, context, message in
      guard let message = message?.pointee else { return }
      let bytes = UnsafeRawBufferPointer(
        start: message.payload, count: message.payload == nil ? 0 : Int(message.payloadlen))
      let topic = message.topic.map { String(cString: $0) } ?? ""
      let payload = Array(bytes.prefix(MQTTConnection.maxReceivedBytes + 1))
      guard let connection = MQTTConnection.of(context) else { return }
      connection.relay?.packetIsComplete()
      connection.events.append(.received(topic: topic, payload: payload))
    }
    functions.on_log(client) { client, context, level, text in
      guard let connection = MQTTConnection.of(context), let client, let text else { return }
      if level == MOSQ_LOG_ERR { connection.note(String(cString: text), client) }
      // The only sign of a PINGRESP: "Client ID received PINGRESP".
      if level == MOSQ_LOG_DEBUG, strstr(text, " received PINGRESP") != nil {
        connection.relay?.packetIsComplete()
      }
    }
  }

  /// Notes an error that libmosquitto logs during a TLS handshake.
  ///
  /// libmosquitto logs a wrong name before OpenSSL has kept the certificate, and then more lines.
  private func note(_ text: String, _ client: OpaquePointer) {
    let reason = fixcast_mosquitto_certificate_error(client).map { String(cString: $0) }
    if certificateProblem == nil, reason != nil || text.contains("host name verification") {
      certificateProblem = MQTTCertificateProblem(
        reason: reason, broker: broker, time: SystemClock.utcNow())
    }
    if certificateProblem != nil, certificateProblem?.certificate == nil {
      certificateProblem?.certificate = PeerCertificate(ofBroker: client)
    }
    if tlsError == nil, text.hasPrefix("OpenSSL Error") {
      tlsError = String(text.split(separator: ":").last ?? "")
    }
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> MQTTConnection? {
    context.map { Unmanaged<MQTTConnection>.fromOpaque($0).takeUnretainedValue() }
  }
}
