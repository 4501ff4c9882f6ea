// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Glibc
import Testing

@Suite("Unencrypted provider keys")
struct CleartextKeyTests {
  private static let warning =
    "the key and the position are sent unencrypted; use https:// or a local server"

  private static func text(_ url: String, keyFile: String? = "/provider.key") -> String {
    "[weather.openmeteo]\nbase_url = \"\(url)\"\n"
      + (keyFile.map { "key_file = \"\($0)\"\n" } ?? "")
  }

  @Test(arguments: [
    "http://192.0.2.1:8080", "http://weather.lan/v1", "http://127.example.com",
    "http://127.0.0.256", "http://localhost.example.com", "http://[2001:db8::1]",
  ])
  func `a key that is sent over http:// to another host causes a warning`(url: String) throws {
    let folder = try ScratchFolder()
    let key = folder.path + "/provider.key"
    try folder.write("provider.key", "key")
    #expect(chmod(key, 0o600) == 0)
    try folder.write("c.toml", Self.text(url, keyFile: key))
    let catalog = TestCatalog.catalog
    let files = ConfigurationFiles(file: folder.path + "/c.toml")
    let loader = ConfigurationLoader(files: files, catalog: catalog)
    let warnings = BoardCheck(try loader.load().get(), catalog).warnings().all
    #expect(warnings.map(\.description).count == 1)
    #expect(warnings.first?.description.contains("weather.openmeteo.base_url") == true)
    #expect(warnings.first?.description.hasSuffix(Self.warning) == true)
  }

  @Test(arguments: [
    "https://192.0.2.1", "http://localhost:8080", "http://api.localhost", "http://127.0.0.1/v1",
    "http://127.1.2.3:80", "http://[::1]:8080",
  ])
  func `a key that is sent over https:// or to the local host causes no warning`(url: String) throws {
    let provider = try TestCatalog.read(Self.text(url)).get().weather.providers.first
    #expect(try #require(provider).hasKey)
    #expect(provider?.cleartextWarning == nil)
  }

  @Test func `an http:// URL of a provider without a key causes no warning`() throws {
    let text = Self.text("http://192.0.2.1", keyFile: nil)
    let provider = try TestCatalog.read(text).get().weather.providers.first
    #expect(try #require(provider).cleartextWarning == nil)
  }
}
