#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A plugin that reads what it is given, and while a file is there ends with an error instead.
echo '{"class":"HELLO","protocol":1}'
while read -r line; do
  [ -e "$1" ] && exit 3
done
exit 0
