#!/usr/bin/env bash
# Makes sure that there is a faketime for the tests under other clocks (root or sudo needed where there is none).
set -euo pipefail
. "$(dirname "$0")/install-debian.sh"

give_up() {
  echo "$1" >&2
  echo 'The tests under other clocks need faketime: https://github.com/wolfcw/libfaketime' >&2
  exit 1
}

command -v faketime >/dev/null || install_debian faketime 'the tests under other clocks'
