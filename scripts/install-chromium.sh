#!/usr/bin/env bash
# Makes sure that the browser tests have a Chromium: where none works, Debian's is installed (root or sudo needed).
#   bash scripts/install-chromium.sh           says nothing when one is there
#   bash scripts/install-chromium.sh --print   prints its path
set -euo pipefail
. "$(dirname "$0")/install-debian.sh"

candidates=(
  chromium chromium-browser google-chrome google-chrome-stable
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
)

# Asking for the version also sorts out packages that only tell people to install something else.
works() { "$1" --version >/dev/null 2>&1; }

find_chromium() {
  local candidate path
  if [[ -n "${CHROMIUM_PATH:-}" ]]; then
    works "$CHROMIUM_PATH" || give_up "CHROMIUM_PATH is $CHROMIUM_PATH, but that does not run."
    echo "$CHROMIUM_PATH"
    return
  fi
  for candidate in "${candidates[@]}"; do
    path=$(command -v "$candidate") || continue
    if works "$path"; then
      echo "$path"
      return
    fi
  done
}

give_up() {
  echo "$1" >&2
  echo 'The browser tests need Chromium or Chrome: install one, or set CHROMIUM_PATH to its program.' >&2
  exit 1
}

chromium=$(find_chromium)
if [[ -z "$chromium" ]]; then
  install_debian chromium 'the browser tests'
  chromium=$(find_chromium)
  [[ -n "$chromium" ]] || give_up 'Chromium was installed, but does not run.'
fi
if [[ "${1:-}" == --print ]]; then echo "$chromium"; fi
