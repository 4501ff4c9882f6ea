#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: crashing.sh FILE
# A plugin that reads its input, but exits with an error while the file FILE exists.
echo '{"class":"HELLO","protocol":1}'
while read -r line; do
  [ -e "$1" ] && exit 3
done
exit 0
