#!/usr/bin/env bash
# Makes sure that a Python client can be generated, checked and run: Debian's packages where something is missing.
set -euo pipefail
. "$(dirname "$0")/install-debian.sh"

give_up() {
  echo "$1" >&2
  echo 'The test of the Python client needs java, python3 with urllib3, dateutil, six and certifi, and mypy.' >&2
  exit 1
}

what='the test of the Python client'
java -version >/dev/null 2>&1 || install_debian default-jre-headless "$what"
[[ -x /usr/bin/mypy ]] || install_debian mypy "$what"
for library in urllib3 dateutil six certifi; do
  /usr/bin/python3 -c "import $library" 2>/dev/null || install_debian "python3-$library" "$what"
done
