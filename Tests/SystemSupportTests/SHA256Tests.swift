// SPDX-License-Identifier: Apache-2.0

import SystemSupport
import Testing

@Suite("SHA-256") struct SHA256Tests {
  @Test func `the examples of FIPS 180-4 have their hashes, of one and of two blocks`() {
    #expect(
      SHA256.hexadecimal("abc")
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      SHA256.hexadecimal("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
  }
}
