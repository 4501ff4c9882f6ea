// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization

/// A simulated gpsd on loopback, controlled by a test.
///
/// The server greets with VERSION and replies to `?WATCH` and `?DEVICES` as gpsd 3.22 does, with
/// compact JSON and CR LF. All other output is sent with ``send(_:)``.
package final class ScriptedGPSD: Sendable {
  /// The automatic replies.
  package struct AutomaticReplies: Sendable {
    /// The greeting for a new client; `nil` sends none.
    package var greeting: String? =
      #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
    /// The reply to `?DEVICES`, and the object before WATCH in the reply to `?WATCH`; `nil` sends
    /// no replies.
    package var devices: String? = #"{"class":"DEVICES","devices":[]}"#

    /// Makes the replies of gpsd.
    package init() {}
  }

  /// The port of the server.
  package let port: UInt16
  /// The requests of clients, line by line.
  package let requests = EventRecorder<String>()
  /// An event for each client that connected.
  package let arrivals = EventRecorder<Void>()

  private struct State {
    var automaticReplies: AutomaticReplies
    var clients: [Int32: [UInt8]] = [:]
    var isStopped = false
  }

  private let state: Mutex<State>
  private let wake: Int32

  /// Starts the server.
  ///
  /// - Parameters:
  ///   - loopback: The address.
  ///   - port: The port; 0 selects a free one.
  ///   - automaticReplies: The automatic replies.
  /// - Throws: ``Loopback/SocketError``.
  package init(
    on loopback: Loopback = .ipv4, port: UInt16 = 0,
    automaticReplies: AutomaticReplies = AutomaticReplies()
  ) throws(Loopback.SocketError) {
    let (listener, port) = try loopback.listen(port: port)
    var pair: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else {
      close(listener)
      throw Loopback.SocketError(errorNumber: errno)
    }
    self.port = port
    state = Mutex(State(automaticReplies: automaticReplies))
    wake = pair[0]
    let woken = pair[1]
    // A separate queue gets a thread at once; all pool threads may be blocked.
    DispatchQueue(label: "scripted gpsd").async { self.serve(listener, woken) }
  }

  /// The automatic replies from now on.
  package var automaticReplies: AutomaticReplies {
    get { state.withLock { $0.automaticReplies } }
    set { state.withLock { $0.automaticReplies = newValue } }
  }

  /// Sends lines to every client, with line endings added.
  package func send(_ lines: String...) { send(bytes: lines.map { $0 + "\r\n" }.joined()) }

  /// Sends text unchanged to every client.
  package func send(bytes text: String) {
    state.withLock { state in for client in state.clients.keys { Self.write(text, to: client) } }
  }

  /// Closes all connections.
  package func dropClients() {
    // The shutdown wakes the reading thread, which closes the descriptors.
    state.withLock { state in
      for client in state.clients.keys { shutdown(client, Int32(SHUT_RDWR)) }
    }
  }

  /// Closes all connections and stops listening.
  package func stop() {
    state.withLock { state in
      guard !state.isStopped else { return }
      state.isStopped = true
      for client in state.clients.keys { shutdown(client, Int32(SHUT_RDWR)) }
      close(wake)
    }
    ended.wait()
    ended.signal()
  }

  private let ended = DispatchSemaphore(value: 0)

  private func serve(_ listener: Int32, _ woken: Int32) {
    while true {
      let clients = state.withLock { Array($0.clients.keys) }
      var descriptors = ([woken, listener] + clients).map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      guard poll(&descriptors, nfds_t(descriptors.count), -1) > 0 else { continue }
      if descriptors[0].revents != 0 { break }
      if descriptors[1].revents != 0 { addClient(accept(listener, nil, nil)) }
      for client in descriptors.dropFirst(2) where client.revents != 0 { receive(client.fd) }
    }
    close(listener)
    close(woken)
    state.withLock { state in
      for client in state.clients.keys { close(client) }
      state.clients = [:]
    }
    ended.signal()
  }

  private func addClient(_ client: Int32) {
    guard client >= 0 else { return }
    _ = fcntl(client, F_SETFD, FD_CLOEXEC)
    state.withLock { state in
      state.clients[client] = []
      if let greeting = state.automaticReplies.greeting {
        Self.write(greeting + "\r\n", to: client)
      }
    }
    arrivals.record(())
  }

  private func receive(_ client: Int32) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(client, &buffer, buffer.count)
    let lines = state.withLock { state -> [String] in
      guard count > 0 else {
        state.clients[client] = nil
        close(client)
        return []
      }
      // A request may end with a semicolon, a line end, or both.
      var parts = ((state.clients[client] ?? []) + buffer.prefix(count)).split(
        omittingEmptySubsequences: false
      ) { [0x3B, 0x0A, 0x0D].contains($0) }
      state.clients[client] = Array(parts.popLast() ?? [])
      let lines = parts.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
      for line in lines { Self.answer(line, of: client, state.automaticReplies) }
      return lines
    }
    for line in lines { requests.record(line) }
  }

  private static func answer(
    _ request: String, of client: Int32, _ automaticReplies: AutomaticReplies
  ) {
    guard let devices = automaticReplies.devices else { return }
    if request.hasPrefix("?DEVICES") { write(devices + "\r\n", to: client) }
    if request.hasPrefix("?WATCH") {
      let watch =
        #"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"scaled":false,"#
        + #""timing":false,"split24":false,"pps":false}"#
      write(devices + "\r\n" + watch + "\r\n", to: client)
    }
  }

  private static func write(_ text: String, to client: Int32) {
    let bytes = Array(text.utf8)
    // The loopback interface buffers all data that a test sends. Errors of closed connections are
    // ignored.
    _ = bytes.withUnsafeBytes {
      Glibc.send(client, $0.baseAddress, $0.count, Int32(truncatingIfNeeded: Int(MSG_NOSIGNAL)))
    }
  }
}
