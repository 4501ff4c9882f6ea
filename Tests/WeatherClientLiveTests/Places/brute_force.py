#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes nearest.txt: the results of an exhaustive search at 10,000 random points.

    python3 -m pip install numpy==2.4.6 geographiclib==2.1
    python3 Tests/WeatherClientLiveTests/Places/brute_force.py

This program shares no code with the search under test: it has its own decoder, no index, and a
different geodesic library. Half of the points are anywhere on the globe; the other half are within
0.3 degrees of a place.
"""

import pathlib
import struct

import numpy as np
from geographiclib.geodesic import Geodesic

HERE = pathlib.Path(__file__).parent
MASK = (1 << 64) - 1


class SplitMix64:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def unit(self):
        return (self.next() >> 11) * 2.0**-53


def places():
    data = (HERE / "../../../Sources/CPlaces/places.bin").resolve().read_bytes()
    (count,) = struct.unpack_from("<I", data, 16)
    starts = struct.unpack_from("<181I", data, 28)
    band = np.searchsorted(np.array(starts), np.arange(count), side="right") - 1
    rows = []
    for index in range(count):
        at = 28 + 181 * 4 + index * 13
        bits = int.from_bytes(data[at : at + 13], "little")
        latitude = (int(band[index]) * 10_000 + (bits & 0xFFFF) - 900_000) / 10_000
        longitude = ((bits >> 16 & 0xFFFFFF) - 1_800_000) / 10_000
        rows.append((latitude, longitude, bits >> 40 & 0xFFFFFF, bits >> 64 & 0x1FFFFFF))
    return np.array(rows)


def main():
    table = places()
    weight = 2000 * np.log10(np.maximum(table[:, 3], 500) / 500)
    latitude, longitude = np.radians(table[:, 0]), np.radians(table[:, 1])
    cosine = np.cos(latitude)
    random, lines = SplitMix64(20_000), []
    for number in range(10_000):
        if number % 2 == 0:
            lat = np.degrees(np.arcsin(2 * random.unit() - 1))
            lon = 360 * random.unit() - 180
        else:
            row = table[random.next() % len(table)]
            lat = min(max(row[0] + 0.6 * random.unit() - 0.3, -90), 90)
            lon = row[1] + 0.6 * random.unit() - 0.3
            lon = lon - 360 if lon > 180 else lon + 360 if lon < -180 else lon
        a = np.sin((latitude - np.radians(lat)) / 2) ** 2
        b = np.sin((longitude - np.radians(lon)) / 2) ** 2
        sphere = 2 * 6_371_008.8 * np.arcsin(np.sqrt(a + np.cos(np.radians(lat)) * cosine * b))
        # Spherical distances differ from geodesic distances by less than 1 %.
        limit = np.min(sphere * 1.01 - weight)
        close = np.nonzero(sphere * 0.99 - weight <= limit)[0]
        best = min(
            close,
            key=lambda i: Geodesic.WGS84.Inverse(lat, lon, table[i, 0], table[i, 1])["s12"] - weight[i],
        )
        meters = Geodesic.WGS84.Inverse(lat, lon, table[best, 0], table[best, 1])["s12"]
        lines.append(f"{int(table[best, 2])} {meters:.1f}\n")
    (HERE / "nearest.txt").write_text("".join(lines))


if __name__ == "__main__":
    main()
