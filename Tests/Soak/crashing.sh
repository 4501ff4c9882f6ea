#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A plugin that reads its input, but exits with an error while a given file exists.
echo '{"class":"HELLO","protocol":1}'
while read -r line; do
  [ -e "$1" ] && exit 3
done
exit 0
