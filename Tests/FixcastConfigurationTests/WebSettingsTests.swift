// SPDX-License-Identifier: Apache-2.0

import DaemonServer
import FixcastTesting
import Glibc
import Testing

@testable import FixcastConfiguration

@Suite("Settings of the status page") struct WebSettingsTests {
  private func read(_ text: String) -> Result<DaemonConfiguration, SettingsErrors> {
    TestCatalog.read("[web]\n" + text)
  }

  @Test func `the page is on no TCP port by default`() throws {
    let web = try read("").get().web
    #expect(web.addresses.isEmpty && web.hosts.isEmpty && web.certificate == nil)
  }

  @Test func `a loopback address needs no certificate, and a change needs no restart`() throws {
    let configuration = try read("listen = \"127.0.0.1:8080\"").get()
    #expect(configuration.web.addresses.map { "\($0)" } == ["127.0.0.1:8080"])
    let change = ConfigurationChange(from: try read("").get(), to: configuration)
    #expect(change.servers == ["web"] && change.needsRestart.isEmpty)
  }

  private static let tls = "\ntls_certificate_file = \"/a.crt\"\ntls_key_file = \"/a.key\""

  @Test func `another address is accepted with a certificate and its key`() throws {
    let web = try read("listen = \"192.168.1.2:8443\"" + Self.tls).get().web
    #expect(web.certificate?.file == "/a.crt" && web.certificate?.key == "/a.key")
    let all = try read("listen = \"0.0.0.0:8443\"\nhosts = [\"board.local\"]" + Self.tls).get().web
    #expect(all.hosts == ["board.local"])
  }

  @Test func `the loaded settings contain the path of a key that is a credential`() throws {
    let folder = try ScratchFolder()
    try folder.write("web.key", "key")
    #expect(chmod(folder.path + "/web.key", 0o600) == 0)
    try folder.write("c.toml", "[web]\ntls_certificate_file = \"/a.crt\"\ntls_key_file = \"web.key\"")
    let loader = ConfigurationLoader(
      files: ConfigurationFiles(file: folder.path + "/c.toml"), catalog: TestCatalog.catalog,
      credentialsFolder: folder.path)
    let web = try loader.load().get().configuration.web
    #expect(web.certificate?.file == "/a.crt" && web.certificate?.key == folder.path + "/web.key")
  }

  @Test(arguments: [
    ("listen = \"192.168.1.2:8080\"", "is not a loopback address: set tls_certificate_file"),
    ("listen = \"[::]:8080\"", "is not a loopback address"),
    ("listen = \"0.0.0.0:8443\"" + tls, "set hosts to the names of this board"),
    ("listen = \"localhost:8080\"", "is not an address with a port"),
    ("tls_certificate_file = \"/a.crt\"", "needs both"),
    ("tls_key_file = \"/a.key\"", "needs both"),
    ("hosts = [\"http://board.local\"]", "is not a host name"),
    ("hosts = [\"board.local:8080\"]", "is not a host name"),
  ])
  func `settings that would expose the page, or that are invalid, are rejected with the reason`(
    text: String, reason: String
  ) {
    guard case .failure(let errors) = read(text) else {
      Issue.record("\(text) is accepted")
      return
    }
    #expect(errors.all.contains { "\($0)".contains(reason) }, "\(errors.all)")
  }
}
