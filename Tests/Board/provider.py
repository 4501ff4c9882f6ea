# SPDX-License-Identifier: Apache-2.0
"""A weather provider on this machine, which the board reaches over TLS."""
import queue
import subprocess
import time

from lines import HANG_SECONDS, Hang, board

NAME, ADDRESS = "weather.test", "10.0.2.100"


class Provider(board.Provider):
    """Its certificate is from an authority that no system trusts by default."""

    def __init__(self, folder):
        self.requests = queue.SimpleQueue()
        self.authority = folder / "authority.crt"
        key, certificate = folder / "provider.key", folder / "provider.crt"
        request = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30"]
        subprocess.run([*request, "-subj", "/CN=Authority of the board", "-keyout", folder / "authority.key",
                        "-out", self.authority], stderr=subprocess.DEVNULL, check=True)
        subprocess.run([*request, "-CA", self.authority, "-CAkey", folder / "authority.key", "-subj", f"/CN={NAME}",
                        "-addext", f"subjectAltName=DNS:{NAME}", "-addext", "basicConstraints=critical,CA:false",
                        "-keyout", key, "-out", certificate], stderr=subprocess.DEVNULL, check=True)
        super().__init__(certificate=(certificate, key))

    def forward(self):
        """Returns the emulator's option that connects the board to this provider, and to nothing else."""
        return f"guestfwd=tcp:{ADDRESS}:443-cmd:nc 127.0.0.1 {self.server_address[1]}"

    def note_request(self, path):
        super().note_request(path)
        self.requests.put(time.monotonic())

    def wait_for_request(self):
        """Returns the time of the next request that was not waited for."""
        try:
            return self.requests.get(timeout=HANG_SECONDS)
        except queue.Empty:
            raise Hang(f"expected a request to the weather provider\ngot none in {HANG_SECONDS} s") from None
