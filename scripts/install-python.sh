#!/usr/bin/env bash
# Makes sure that the tests of the Python example have a Python and mypy: where one is missing, Debian's are installed.
set -euo pipefail
. "$(dirname "$0")/install-debian.sh"

give_up() {
  echo "$1" >&2
  echo 'The test of the Python example needs python3 (3.9 or newer) and mypy.' >&2
  exit 1
}

# mypy brings the Python that it belongs to.
[[ -x /usr/bin/mypy ]] || install_debian mypy 'the test of the Python example'
