#!/bin/sh
# Players and ids of Lichess (eight letters and digits) in a CSV file, read by three packages of npm
# that turn texts into numbers, if asked to: d3-dsv 3.0.1 (autoType), papaparse 5.5.3 (dynamicTyping),
# csv-parse 7.0.1 (cast). Each value is judged alone, not the column, so that texts and numbers stand
# in one: the player 1e4 is 10000 beside Adler. The id 0x1234ab is 1193131 for d3-dsv, and for
# csv-parse 0, as is 0b101010, so that different ids become equal; 12345e67 is 1.2345e+71 for both.
#
# Output seen on 28 November 2026 with node 20.20.2:
