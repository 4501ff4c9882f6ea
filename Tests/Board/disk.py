# SPDX-License-Identifier: Apache-2.0
"""The disk of an emulated board, with a write cache that a power cut empties.

The emulator logs each write and flush. After a power cut, the disk contains what was flushed, and a part
of the later writes in any combination, as with a real memory card.
"""
import itertools
import shutil
import struct
import subprocess
import time

SECTOR_BYTES = 512
FLUSH, FUA, DISCARD = 1, 2, 4


class Disk:
    def __init__(self, image, folder):
        self.durable, self.work, self.log = folder / "disk.raw", folder / "work.qcow2", folder / "writes.log"
        subprocess.run(["cp", "--reflink=auto", "--sparse=always", image, self.durable], check=True)
        # The numbers of the last power cut: writes before it, and unflushed and lost ones among them.
        self.write_count = self.unflushed_count = self.lost_count = 0
        # The monotonic time of the last power cut, in seconds.
        self.cut_time = None
        # The size of the log at some times, from which the time of an earlier write is known.
        self.sizes = []

    def options(self):
        """Returns the options of the emulator for the next boot."""
        subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", self.durable, self.work],
                       check=True)
        self.log.write_bytes(b"")
        self.sizes = []
        # The emulator does not flush its own files, because they do not outlive the test.
        return ["-blockdev", f"driver=qcow2,node-name=work,file.driver=file,file.filename={self.work}"
                             ",cache.no-flush=on,file.cache.no-flush=on",
                "-blockdev", f"driver=file,node-name=log,filename={self.log},cache.no-flush=on",
                "-blockdev", "driver=blklogwrites,node-name=disk,file=work,log=log",
                "-device", "virtio-blk-pci,drive=disk"]

    def entries(self):
        """Yields offset, size, flags and data of each logged write, in order."""
        size = self.log.stat().st_size
        with self.log.open("rb") as log:
            place = SECTOR_BYTES  # The first sector is the header of the log.
            while place + SECTOR_BYTES <= size:
                log.seek(place)
                sector, count, flags = struct.unpack("<3Q", log.read(24))
                length = 0 if flags & DISCARD else count * SECTOR_BYTES
                if not (count or flags) or place + SECTOR_BYTES + length > size:
                    return  # The emulator ended before it wrote this entry.
                log.seek(place + SECTOR_BYTES)
                yield sector * SECTOR_BYTES, count * SECTOR_BYTES, flags, log.read(length)
                place += SECTOR_BYTES + length

    def logged_count(self):
        """Returns the number of writes and flushes since the boot."""
        return sum(1 for _ in self.entries())

    def note_size(self):
        self.sizes.append((time.monotonic(), self.log.stat().st_size))

    def settle(self, random=None, rollback=0):
        """Applies the logged writes after the emulator has ended. After a power cut, `random` draws which of the
        writes since the last flush are lost. The cut is up to `rollback` writes before the last one, because a cut at a
        random time seldom meets a moment at which the cache is not empty."""
        self.note_size()
        entries = [(flags, len(data)) for _, _, flags, data in self.entries()]
        flags, end = [each for each, _ in entries], len(entries)
        if random:
            end -= random.randint(0, min(rollback, end))
        size_at_end = SECTOR_BYTES + sum(SECTOR_BYTES + length for _, length in entries[:end])
        self.cut_time = next(when for when, size in self.sizes if size >= size_at_end)
        self.write_count = end
        flushed = max((index for index in range(end) if flags[index] & FLUSH), default=-1) if random else end
        # Some cuts lose almost everything and some almost nothing.
        part = random.random() if random else 1
        self.unflushed_count = self.lost_count = 0
        with self.durable.open("r+b") as disk:
            for index, (offset, size, each, data) in enumerate(itertools.islice(self.entries(), end)):
                if index > flushed and not each & FUA:
                    self.unflushed_count += 1
                    if random.random() > part:
                        self.lost_count += 1
                        continue
                disk.seek(offset)
                disk.write(bytes(size) if each & DISCARD else data)

    def size_of_writes(self):
        """Returns the number of bytes that the board has written since its boot."""
        return sum(len(entry[3]) for entry in self.entries())

    def copy(self, target):
        shutil.copyfile(self.durable, target)
