#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates coastline.bin: the coastlines and borders of the world for the map of the status page.

    python3 Sources/DaemonServer/Web/Page/generate_coastline.py

The same input gives the same bytes. The data is Natural Earth 1:110m (countries), which is in the
public domain, https://www.naturalearthdata.com. The wheel of geopandas contains a copy of it. The
script downloads the wheel with pip.

An edge that two countries share is a border and is stored once. The other edges form the
coastlines, which are closed. A lake between countries is a coastline too.

Format of the file, a sequence of variable-length integers:

    number of coastlines, number of borders
    for each coastline, then for each border:
        number of points
        for each point: longitude, latitude, as the difference from the previous point

The unit is 0.02 degrees, east and north. The first difference is from 0, 0. The sequence of points
continues from one line to the next. A closed line does not repeat its first point. An integer has
seven bits a byte, low bits first; the high bit marks that another byte follows. A difference is
mapped to an unsigned integer with its sign in the lowest bit (zigzag).
"""

import collections
import hashlib
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

PACKAGE = "geopandas==0.14.4"
INPUT = "geopandas/datasets/naturalearth_lowres/naturalearth_lowres.shp"
INPUT_SHA256 = "1f689e60b357e1e98702d5d9f774e95e77fc6b324487cadf57eb9317d533ce12"
UNITS_PER_DEGREE = 50
MAX_BYTES = 24_000


def load():
    """Returns the shapefile of the wheel."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--only-binary",
                ":all:",
                "--dest",
                folder,
                PACKAGE,
            ],
            check=True,
        )
        wheel = next(pathlib.Path(folder).glob("*.whl"))
        data = zipfile.ZipFile(wheel).read(INPUT)
    digest = hashlib.sha256(data).hexdigest()
    if digest != INPUT_SHA256:
        sys.exit(f"{INPUT} has the SHA-256 {digest}; expected {INPUT_SHA256}")
    return data


def rings(data):
    """Yields the rings of all polygons as lists of points, without repeated points."""
    offset = 100
    while offset < len(data):
        length = struct.unpack_from(">i", data, offset + 4)[0] * 2
        record = offset + 8
        (kind,) = struct.unpack_from("<i", data, record)
        if kind != 5:
            sys.exit(f"record at byte {offset} has the shape type {kind}; expected 5, a polygon")
        part_count, point_count = struct.unpack_from("<2i", data, record + 36)
        parts = struct.unpack_from(f"<{part_count}i", data, record + 44) + (point_count,)
        numbers = struct.unpack_from(f"<{2 * point_count}d", data, record + 44 + 4 * part_count)
        for first, end in zip(parts, parts[1:]):
            ring = []
            for index in range(first, end):
                point = tuple(
                    round(value * UNITS_PER_DEGREE) for value in numbers[2 * index : 2 * index + 2]
                )
                if not ring or ring[-1] != point:
                    ring.append(point)
            if ring[0] == ring[-1]:
                ring.pop()
            if len(ring) > 2:
                yield ring
        offset = record + length


def directed_edges(all_rings):
    """Returns each directed edge of the rings once."""
    return {(a, b): None for ring in all_rings for a, b in zip(ring, ring[1:] + ring[:1])}


def closed(edges):
    """Joins directed edges into closed lines."""
    following = collections.defaultdict(list)
    for a, b in edges:
        following[a].append(b)
    for start in list(following):
        while following[start]:
            line = [start]
            while following[line[-1]]:
                line.append(following[line[-1]].pop())
            if line[-1] != start:
                sys.exit(f"the coastline that begins at {start} is not closed")
            yield line[:-1]


def border_lines(edges):
    """Joins undirected edges into lines. A line ends at a point where several borders meet."""
    neighbours = collections.defaultdict(set)
    for a, b in edges:
        neighbours[a].add(b)
        neighbours[b].add(a)
    ends = {point for point, others in neighbours.items() if len(others) != 2}
    for start in sorted(ends) + sorted(neighbours):
        while neighbours[start]:
            line = [start]
            while neighbours[line[-1]] and (len(line) == 1 or line[-1] not in ends):
                point = min(neighbours[line[-1]])
                neighbours[line[-1]].discard(point)
                neighbours[point].discard(line[-1])
                line.append(point)
            yield line


def varint(value):
    output = bytearray()
    while value > 127:
        output.append(value & 127 | 128)
        value >>= 7
    output.append(value)
    return bytes(output)


def encode(coastlines, borders):
    output = bytearray(varint(len(coastlines)) + varint(len(borders)))
    previous = (0, 0)
    for line in coastlines + borders:
        output += varint(len(line))
        for point in line:
            for value, before in zip(point, previous):
                difference = value - before
                output += varint(difference * 2 if difference >= 0 else -difference * 2 - 1)
            previous = point
    return bytes(output)


def main():
    edges = directed_edges(rings(load()))
    coast = [(a, b) for a, b in edges if (b, a) not in edges]
    border = [(a, b) for a, b in edges if (b, a) in edges and a < b]
    coastlines = sorted(closed(coast), key=lambda line: (line[0], len(line)))
    borders = sorted(border_lines(border), key=lambda line: (line[0], len(line)))
    data = encode(coastlines, borders)
    if len(data) > MAX_BYTES:
        sys.exit(f"coastline.bin would have {len(data)} bytes; the limit is {MAX_BYTES}")
    pathlib.Path(__file__).with_name("coastline.bin").write_bytes(data)
    print(f"coastline.bin: {len(coastlines)} coastlines, {len(borders)} borders, {len(data)} bytes")


if __name__ == "__main__":
    main()
