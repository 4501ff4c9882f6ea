// SPDX-License-Identifier: Apache-2.0

package import DaemonServer
internal import SystemSupport

/// The table `[web]`.
extension WebServer.Settings {
  static let listenKey = SettingKey.text(
    "listen", summary: "address and port of the status page, such as \"127.0.0.1:8080\""
  ).optional.example(.string("127.0.0.1:8080"))
  static let hostsKey = SettingKey<[String]>.list(
    "hosts", default: [],
    summary: "names of this board in the browser's address, such as \"board.local\"")
  static let certificateKey = SettingKey.path(
    "tls_certificate_file", summary: "PEM file with the certificate chain for TLS"
  ).optional.example(.string("/etc/fixcast/web.crt"))
  static let keyKey = SettingKey.credential(
    "tls_key_file", summary: "credential or PEM file with the key of the certificate"
  ).optional.example(.string("web.key"))

  package static let settings = [
    listenKey.declaration, hostsKey.declaration, certificateKey.declaration, keyKey.declaration,
  ]

  init(_ settings: SettingsTable) throws(SettingsError) {
    self.init(hosts: try settings.value(of: Self.hostsKey))
    let certificateFile = try settings.value(of: Self.certificateKey)
    let keyFile = try settings.value(of: Self.keyKey)
    if let name = hosts.first(where: { !Self.isHost($0) }) {
      throw settings.error(
        .conflict(
          "\(SettingValue.string(name).literal) is not a host name; write it without scheme and "
            + "port, such as \"board.local\""),
        in: Self.hostsKey.declaration.name)
    }
    if (certificateFile == nil) != (keyFile == nil) {
      throw settings.error(
        .conflict("needs both tls_certificate_file and tls_key_file, or neither"),
        in: (certificateFile == nil ? Self.keyKey : Self.certificateKey).declaration.name)
    }
    if let certificateFile, let keyFile { certificate = (certificateFile, keyFile) }
    guard let text = try settings.value(of: Self.listenKey) else { return }
    let quoted = SettingValue.string(text).literal
    guard let address = ListenAddress(text) else {
      throw settings.error(
        .conflict("\(quoted) is not an address with a port, such as \"127.0.0.1:8080\""),
        in: Self.listenKey.declaration.name)
    }
    // Anyone in the network could read the position and take over a session.
    guard address.isLoopback || certificate != nil else {
      throw settings.error(
        .conflict(
          "\(quoted) is not a loopback address: set tls_certificate_file and tls_key_file, or use "
            + "127.0.0.1 and ssh -L"),
        in: Self.listenKey.declaration.name)
    }
    guard address.bytes.contains(where: { $0 != 0 }) || !hosts.isEmpty else {
      throw settings.error(
        .conflict("\(quoted) has no name: set hosts to the names of this board"),
        in: Self.listenKey.declaration.name)
    }
    addresses = [address]
  }

  /// Replaces the name of a credential by the path of its file, and checks that the key can be used.
  mutating func resolveKey(from credentialsFolder: String?) {
    guard let (file, name) = certificate else { return }
    guard let key = CredentialFile(name, folder: credentialsFolder) else {
      keyError = "\(name): the service manager passed no such credential"
      return
    }
    certificate = (file, key.path)
    do throws(CredentialFault) { _ = try key.read() } catch { keyError = "\(error)" }
  }

  private static func isHost(_ name: String) -> Bool {
    (try? Host(name)).map { $0.address?.isIPv6 != true } ?? false
  }
}
