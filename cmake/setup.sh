# Sourced by tests/run and demo/quickstart: installs what a fresh Debian machine lacks, inside the project where possible.
# Expects KAURI_ROOT, the project's folder.

heading() { printf '\n== %s\n' "$*"; }

give_up() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# require_debian_packages GROUP...: asks apt only when something of these groups is missing.
require_debian_packages() {
  local groups=" $* " missing=() group name
  if ! command -v dpkg-query >/dev/null; then
    echo "This is no Debian: the packages of cmake/debian-packages.txt are taken to be there."
    return
  fi
  while read -r group name _; do
    [[ -z $group || $group == \#* || $groups != *" $group "* ]] && continue
    dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'install ok installed' || missing+=("$name")
  done <"$KAURI_ROOT/cmake/debian-packages.txt"
  ((${#missing[@]})) || return 0
  heading "Installing Debian packages: ${missing[*]}"
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || give_up "packages are missing and neither root nor sudo is at hand. As root, run:
  apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -qq </dev/null
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
    </dev/null || give_up "apt-get could not install ${missing[*]}"
}

# require_venv REQUIREMENTS_FILE: .venv with these packages; pip runs only when the file has changed.
require_venv() {
  local requirements=$1 venv="$KAURI_ROOT/.venv" stamp
  stamp="$venv/.installed-$(basename "$requirements")"
  if [[ ! -x $venv/bin/python ]]; then
    heading "Making the Python environment .venv"
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || give_up "python3 is older than 3.11"
    python3 -m venv "$venv"
  fi
  cmp -s "$requirements" "$stamp" && return
  heading "Installing Python packages of $(basename "$requirements")"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary=:all: -r "$requirements"
  cp "$requirements" "$stamp"
}

# require_kauri_package BUILD: python-package in .venv, around the library in that folder; again when either has changed.
require_kauri_package() {
  local stamp="$KAURI_ROOT/.venv/.installed-kauri" library="$KAURI_ROOT/$1/lib/libkauri.so" changed
  if [[ -e $stamp ]]; then
    changed=$(find -L "$library" "$KAURI_ROOT/python-package" -name '*.py' -newer "$stamp" -o -name '*.so' -newer "$stamp")
    [[ -n $changed ]] || return 0
  fi
  heading "Installing the Python package kauriboost into .venv"
  KAURI_LIBRARY="$library" "$KAURI_ROOT/.venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
    --force-reinstall "$KAURI_ROOT/python-package"
  touch "$stamp"
}

# build_preset PRESET [OPTION...]: configures with CMakePresets.json and these options of CMake, and builds.
build_preset() {
  heading "Building ($1)"
  (cd "$KAURI_ROOT" && cmake --preset "$@" && cmake --build --preset "$1" --parallel "$(nproc)")
}

# unpack_debian_packages RELEASE ARCHITECTURE FOLDER PACKAGE...: packages of Debian, unpacked into FOLDER/root. apt gets
# lists of its own, so that the system need not know of the release and the architecture.
unpack_debian_packages() {
  local release=$1 architecture=$2 folder=$3 options package
  [[ -e $folder/root/complete ]] && return
  heading "Fetching packages of Debian's $release for $architecture"
  mkdir -p "$folder"/apt/{lists/partial,cache/archives/partial} "$folder/root"
  touch "$folder/apt/status"
  echo "deb http://deb.debian.org/debian $release main" >"$folder/apt/sources.list"
  options=(-qq -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" -o APT::Sandbox::User=root
    -o Dir::State="$folder/apt" -o Dir::State::lists="$folder/apt/lists" -o Dir::State::status="$folder/apt/status"
    -o Dir::Cache="$folder/apt/cache" -o Dir::Etc::SourceList="$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null)
  apt-get "${options[@]}" update
  (cd "$folder/apt" && apt-get "${options[@]}" download "${@:4}")
  for package in "$folder"/apt/*.deb; do dpkg-deb -x "$package" "$folder/root"; done
  touch "$folder/root/complete"
}

# unpack_debian_sources FOLDER PACKAGE...: sources of this Debian's packages, which are compiled for another system. apt gets
# lists of its own.
unpack_debian_sources() {
  local sources=$1 packages=("${@:2}") options archive
  [[ -e $sources/complete ]] && return
  heading "Fetching the sources of ${packages[*]}"
  mkdir -p "$sources/lists/partial" "$sources/cache/archives/partial"
  touch "$sources/status"
  (. /etc/os-release && echo "deb-src http://deb.debian.org/debian $VERSION_CODENAME main") >"$sources/sources.list"
  options=(-qq -o APT::Sandbox::User=root -o Dir::State="$sources" -o Dir::State::lists="$sources/lists"
    -o Dir::State::status="$sources/status" -o Dir::Cache="$sources/cache" -o Dir::Etc::SourceList="$sources/sources.list"
    -o Dir::Etc::SourceParts=/dev/null)
  apt-get "${options[@]}" update
  (cd "$sources" && apt-get "${options[@]}" --download-only source "${packages[@]}")
  for archive in "$sources"/*.orig.tar.*; do tar -C "$sources" -xf "$archive"; done
  touch "$sources/complete"
}

# unpack_library_sources FOLDER: the sources of Highway and zlib.
unpack_library_sources() { unpack_debian_sources "$1" highway zlib; }
