// SPDX-License-Identifier: Apache-2.0

import Pipeline
import Testing

/// The description and kind of a plugin's error.
@Suite struct PluginErrorTests {
  private struct Other: Error, CustomStringConvertible { var description: String { "no idea" } }

  @Test(arguments: [
    (PluginError(.transient(), "write /a", why: "disk full"), "write /a: disk full"),
    (PluginError(.permanent, "write /a", why: "closed"), "write /a: closed"),
    (
      PluginError(.unsupported, "open", why: "no inotify"), "open: not supported here: no inotify"
    ),
    (PluginError(.configuration, "gate a", why: "< 0"), "gate a: wrong settings: < 0"),
    (PluginError(.permanent, "", why: "closed"), "closed"),
  ])
  func `a plugin error's description contains the operation, the reason and a label for some kinds`(
    error: PluginError, text: String
  ) { #expect("\(error)" == text) }

  @Test func `an error of another type becomes a transient plugin error; a plugin error is unchanged`() {
    let other = PluginError(Other(), during: "receive")
    #expect(other == PluginError(.transient(), "receive", why: "no idea"))
    #expect(other.isTransient && other.retryAfter == nil)
    let own = PluginError(.transient(retryAfter: .seconds(3)), "ask", why: "busy")
    #expect(PluginError(own, during: "receive") == own && own.retryAfter == .seconds(3))
    #expect(!PluginError(.permanent, "", why: "").isTransient)
  }
}
