#!/usr/bin/env bash
# Installs a wheel into a root of Debian 11, which has glibc 2.31 and Python 3.9 and nothing of this machine, and trains,
# predicts and explains there.
#
#   cmake/try_old_glibc.sh FOLDER [aarch64]     FOLDER: what cmake/wheels.sh made; aarch64: under qemu
#
# The root lies in build-cross/bullseye-PROCESSOR. NumPy, pandas, scikit-learn and SciPy come from PyPI, the newest that
# this Python and glibc 2.28 can have.
set -euo pipefail
KAURI_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$KAURI_ROOT/cmake/setup.sh"
case ${1:--h} in -*) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit ;; esac
wheels=$(cd "$1" && pwd)
processor=${2:-x86_64}
folder=$KAURI_ROOT/build-cross/bullseye-$processor
root=$folder/root
python=${KAURI_PYTHON:-$KAURI_ROOT/.venv/bin/python}
case $processor in
  x86_64) architecture=amd64 ;;
  aarch64) architecture=arm64 && require_debian_packages arm ;;
  *) give_up "unknown processor '$processor'" ;;
esac

unpack_debian_packages bullseye $architecture "$folder" bash coreutils libbz2-1.0 libc6 libcrypt1 libexpat1 libffi7 \
  libgcc-s1 liblzma5 libmpdec3 libpython3.9-minimal libpython3.9-stdlib libselinux1 libsqlite3-0 libssl1.1 libstdc++6 \
  libtinfo6 libuuid1 python3.9 python3.9-minimal zlib1g

heading "Installing ($processor)"
rm -rf "$root/kauri" && mkdir -p "$root"/{kauri,tmp,proc,dev}
platforms=(--platform "manylinux2014_$processor")
for glibc in 2_28 2_27 2_24 2_17; do platforms+=(--platform "manylinux_${glibc}_$processor"); done
"$python" -m pip install --quiet --disable-pip-version-check --no-compile --only-binary=:all: --python-version 3.9 \
  --implementation cp "${platforms[@]}" --target "$root/kauri" --find-links "$wheels" "kauriboost[pandas,sklearn,sparse]"
cp "$KAURI_ROOT/tests/python/wheel_session.py" "$root/kauri"

heading "Running ($processor)"
if [[ $processor == x86_64 ]]; then
  # shellcheck disable=SC2016  # the inner shell has these variables
  unshare --map-root-user --mount sh -c '
    mount --rbind /proc "$1/proc" && mount --rbind /dev "$1/dev"
    root=$1 && shift && exec chroot "$root" env -i PYTHONPATH=/kauri "$@"
  ' sh "$root" /usr/bin/python3.9 /kauri/wheel_session.py /kauri
else
  PYTHONPATH=$root/kauri qemu-aarch64 -L "$root" "$root/usr/bin/python3.9" "$root/kauri/wheel_session.py" "$root/kauri"
fi
