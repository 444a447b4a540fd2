# Sourced by scripts that need a program which Debian packages.

# install_debian PACKAGE WHY: installs it as root or by sudo; the caller's `give_up` says what is wrong otherwise.
install_debian() {
  command -v apt-get >/dev/null || give_up "$1 was not found, and there is no apt-get to install it with."
  local -a as_root=()
  if [[ $(id -u) != 0 ]]; then
    { command -v sudo && sudo -n true; } >/dev/null 2>&1 ||
      give_up "$1 was not found, and installing it needs root, or sudo that asks for no password."
    as_root=(sudo -n)
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive)
  echo "Installing $1 for $2 …" >&2
  local log
  log=$(mktemp)
  # A source of packages that cannot be reached need not be the one that has it: the second command decides.
  "${as_root[@]}" apt-get update -qq >"$log" 2>&1 || true
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "$1" >>"$log" 2>&1 || {
    tail -n 15 "$log" >&2
    rm -f "$log"
    give_up "$1 could not be installed."
  }
  rm -f "$log"
}
