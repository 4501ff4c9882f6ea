// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Positioning
internal import SystemSupport
internal import TLSSupport

/// Runs the protocol of one connection on its event loop.
final class MQTTChannelHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  /// The time limit for the TCP connection and for reading a rejected certificate.
  private static let timeout = TimeAmount.seconds(15)

  private let address: BrokerAddress
  private let tls: NIOSSLContext?
  private let names: MQTTSettingNames
  private let loop: any EventLoop
  private let decoder: NIOSingleStepByteToMessageProcessor<MQTTPacketDecoder>
  private var state: MQTTConnectionState
  /// Receives the events; `nil` after the last one.
  private var receive: (([MQTTEvent]) -> Void)?
  /// The open connection; `nil` before and after it.
  private var channel: (any Channel)?
  /// The next call of the state, and its time; `nil` before and after the open connection.
  private var timer: (task: Scheduled<Void>, at: MonotonicTime)?
  private var isReading = true
  /// Reads the certificates of the broker after TLS has rejected them; `nil` before and after.
  private var reader: PeerCertificateReader?

  init(
    _ address: BrokerAddress, tls: NIOSSLContext?, _ settings: MQTTConnectionState.Settings,
    _ loop: any EventLoop, _ receive: @escaping ([MQTTEvent]) -> Void
  ) {
    (self.address, self.tls, self.loop, self.receive) = (address, tls, loop, receive)
    names = settings.names
    state = MQTTConnectionState(settings, now: .now())
    decoder = NIOSingleStepByteToMessageProcessor(MQTTPacketDecoder(maxLength: settings.maxLength))
  }

  // MARK: Calls

  func connect() {
    let bootstrap = ClientBootstrap(group: loop).connectTimeout(Self.timeout)
      .channelOption(.autoRead, value: false).channelOption(.tcpOption(.tcp_nodelay), value: 1)
    let (host, port) = (address.server.host.text, Int(address.server.port))
    // A host name, or an address with a zone, is looked up on another thread.
    let channel =
      (try? SocketAddress(ipAddress: host, port: port)).map { bootstrap.connect(to: $0) }
      ?? bootstrap.connect(host: host, port: port)
    channel.assumeIsolated().whenComplete { self.connected($0) }
  }

  func send(_ packets: [MQTTPacket]) {
    guard let channel, !packets.isEmpty else { return }
    var buffer = channel.allocator.buffer(capacity: 256)
    for packet in packets { packet.write(to: &buffer) }
    state.sent(at: .now())
    let written = loop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenSuccess {
      // Otherwise the kernel may have stored the bytes of a broker that takes none.
      if !channel.isWritable { self.state.progressed(at: .now()) }
    }
    channel.writeAndFlush(buffer, promise: written)
  }

  func setReading(_ isReading: Bool) {
    self.isReading = isReading
    state.setReading(isReading, at: .now())
    readIfWritable()
    wait()
  }

  func close(_ sendsDisconnect: Bool, _ reason: MQTTFailure) {
    if sendsDisconnect { send([.disconnect]) }
    let reading = reader
    reader = nil
    reading?.cancel()
    end(reason)
  }

  // MARK: Events

  private func connected(_ result: Result<any Channel, any Error>) {
    do {
      let channel = try result.get()
      guard receive != nil else { return channel.close(promise: nil) }
      self.channel = channel
      let pipeline = channel.pipeline.syncOperations
      if let tls {
        let host = address.server.host
        // An IP address cannot be a server name of TLS; the certificate contains it.
        let name = host.address == nil ? host.text : nil
        try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name))
      }
      try pipeline.addHandler(self)
      perform(state.opened(at: .now()))
      setReading(isReading)
    } catch {
      fail(error)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let buffer = unwrapInboundIn(data)
    var packets: [MQTTPacket] = []
    var failure: (any Error)?
    do { try decoder.process(buffer: buffer) { packets.append($0) } } catch { failure = error }
    perform(state.received(packets, byteCount: buffer.readableBytes, at: .now()))
    if let failure { fail(failure) }
    wait()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { state.progressed(at: .now()) }
    readIfWritable()
    context.fireChannelWritabilityChanged()
  }

  /// Reads only while the broker accepts bytes, since each of its messages may need a PUBACK.
  private func readIfWritable() {
    guard let channel else { return }
    try? channel.syncOptions?.setOption(.autoRead, value: isReading && channel.isWritable)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(error) }

  func channelInactive(context: ChannelHandlerContext) {
    end(.closed)
    context.fireChannelInactive()
  }

  private func perform(_ actions: [MQTTConnectionState.Action]) {
    var packets: [MQTTPacket] = []
    var events: [MQTTEvent] = []
    var failure: MQTTFailure?
    for action in actions {
      switch action {
      case .send(let packet): packets.append(packet)
      case .report(let event): events.append(event)
      case .fail(let reason): failure = failure ?? reason
      }
    }
    send(packets)
    if !events.isEmpty { receive?(events) }
    if let failure { end(failure) }
  }

  /// Waits for the time of the next decision; a timer that an event has postponed waits again.
  private func wait() {
    let at = state.nextAt
    guard channel != nil, timer.map({ at < $0.at }) ?? true else { return }
    timer?.task.cancel()
    let seconds = max(at.seconds(since: .now()), 0)
    let task = loop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) {
      self.timer = nil
      self.perform(self.state.next(at: .now()))
      self.wait()
    }
    timer = (task, at)
  }

  // MARK: Failures

  private func fail(_ error: any Error) {
    guard PeerCertificate.isRejected(error), receive != nil else {
      return end(MQTTFailure(error))
    }
    guard reader == nil else { return }
    let reader = PeerCertificateReader(
      of: address.server.host.text, port: Int(address.server.port), timeout: Self.timeout, on: loop)
    self.reader = reader
    closeChannel()
    reader.certificates.assumeIsolated().whenSuccess { certificates in
      // The connection was closed.
      guard self.reader != nil else { return }
      let problem = MQTTCertificateProblem(
        certificates, isNameRejected: error is NIOSSLExtraError, broker: self.address,
        names: self.names)
      self.reader = nil
      self.end(MQTTFailure("TLS: \(problem.text)"))
    }
  }

  private func end(_ failure: MQTTFailure) {
    guard reader == nil, let receive else { return }
    self.receive = nil
    closeChannel()
    loop.assumeIsolated().execute { receive([.ended(failure)]) }
  }

  private func closeChannel() {
    timer?.task.cancel()
    channel?.close(promise: nil)
    (timer, channel) = (nil, nil)
  }
}
