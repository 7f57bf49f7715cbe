# shellcheck shell=sh disable=SC2154  # source_dir comes from the script that sources this
# Sourced by ./demo and ./check: installs what is missing on Debian and its kin, and configures
# build/. Set `source_dir` first.

say() { printf '%s\n' "$*" >&2; }

# quietly WHAT COMMAND…: runs it, and shows its last line while it runs, at a terminal. If it fails, the end of its
# output is shown, and where the rest is.
quietly() {
  what=$1
  log=${TMPDIR:-/tmp}/warpmem-setup-$$.log
  shift
  status=0
  if [ -t 2 ]; then
    "$@" >"$log" 2>&1 &
    running=$!
    trap 'kill "$running" 2>/dev/null; printf "\n" >&2; exit 130' INT TERM
    while kill -0 "$running" 2>/dev/null; do
      last=$(tail -c 2000 "$log" 2>/dev/null | tr '\r' '\n' | grep -v '^ *$' | tail -n 1 | tr -d '\033')
      columns=$(stty size 2>/dev/null </dev/tty | cut -d ' ' -f 2 || true)
      printf '\r\033[K%.*s' "$((${columns:-80} - 1))" "$what: $last" >&2
      sleep 0.5
    done
    trap - INT TERM
    printf '\r\033[K' >&2
    wait "$running" || status=$?
  else
    say "$what …"
    "$@" >"$log" 2>&1 || status=$?
  fi
  if [ "$status" -eq 0 ]; then
    rm -f "$log"
  else
    tail -n 30 "$log" >&2
    say "error: $what failed ($status); all that it printed: $log"
  fi
  return "$status"
}

# packages demo|check|nightly: the names in debian-packages.txt, up to the section that is not for it.
packages() {
  case $1 in
    demo) until=check ;;
    check) until=nightly ;;
    nightly) until=none ;;
  esac
  sed -e "/^\[$until\]/,\$d" -e '/^#/d' -e '/^\[/d' "$source_dir/cmake/debian-packages.txt"
}

installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# install_missing demo|check|nightly: asks apt only for what is not there, so that a machine that has
# everything needs neither network nor root.
install_missing() {
  if ! command -v dpkg-query >/dev/null 2>&1; then
    say "This is no Debian: the libraries named in cmake/debian-packages.txt are looked up by CMake."
    return
  fi
  missing=
  for package in $(packages "$1"); do
    installed "$package" || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  say "Installing with apt-get:$missing"
  run_as_root=
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
      say "error: installing needs root. Run as root: apt-get install$missing"
      exit 6
    fi
    run_as_root=sudo
  fi
  # sudo asks for its password where a person sees it.
  [ -z "$run_as_root" ] || sudo -v
  # A list that cannot be refreshed may still be good enough to install from.
  quietly "Refreshing the list of packages" $run_as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q ||
    say "warning: apt-get update failed; trying with the package lists that are here"
  # shellcheck disable=SC2086  # a list of words
  if ! quietly "Installing packages" $run_as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -q --no-install-recommends $missing; then
    say "error: apt-get could not install:$missing"
    exit 6
  fi
}

# get_nvdisasm: ptxas without nvdisasm leaves emulated traces at the level of PTX, and their cycles rough. The wheel
# is 5 MB and goes to build/python, where the command looks. Without pip or network all goes on, and that is said.
get_nvdisasm() {
  "$source_dir/build/warpmem" doctor --format csv | grep -q '^ptxas,.*,ok,' || return 0
  "$source_dir/build/warpmem" doctor --format csv | grep -q '^nvdisasm,.*,missing,' || return 0
  say "Getting nvdisasm (pip: nvidia-cuda-nvdisasm) for traces of machine code …"
  python3 -m pip install --quiet --disable-pip-version-check --no-deps --target "$source_dir/build/python" \
      nvidia-cuda-nvdisasm >&2 2>&1 || say "note: no nvdisasm: emulated traces are of PTX, and their cycles are rough (warpmem doctor)"
}

# get_nanobind: what the Python module is built and tested with, 20 MB of wheels, into build/python. Sets python_module to
# the option that builds it; without pip, network or Python's headers all goes on without it, and that is said.
get_nanobind() {
  python_module=-DWARPMEM_PYTHON=OFF
  if ! python3 -c 'import os, sysconfig; open(os.path.join(sysconfig.get_path("include"), "Python.h"))' 2>/dev/null; then
    say "note: no headers of Python (python3-dev): import warpmem is not built"
    return
  fi
  if [ ! -d "$source_dir/build/python/nanobind" ]; then
    say "Getting nanobind, numpy and nanoarrow for import warpmem …"
    python3 -m pip install --quiet --disable-pip-version-check --target "$source_dir/build/python" \
        nanobind numpy nanoarrow >&2 2>&1 || { say "note: pip cannot get nanobind: import warpmem is not built"; return; }
  fi
  python_module=-DWARPMEM_PYTHON=ON
}

# configure OPTION…: build/ in Release with Ninja, files of a folder compiled together (cmake/unity.cmake). ccache is
# used where it is installed.
configure() {
  if command -v ccache >/dev/null 2>&1; then
    # Precompiled headers are kept too, which ccache has to be told.
    set -- "-DCMAKE_CXX_COMPILER_LAUNCHER=env;CCACHE_SLOPPINESS=pch_defines,time_macros;ccache" "$@"
  fi
  cmake -S "$source_dir" -B "$source_dir/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DWARPMEM_UNITY=ON "$@" >&2
}
