#!/usr/bin/env bash
# Builds Kauri for aarch64 on a Debian machine of another kind, into build-aarch64, and looks whether qemu's aarch64 learns
# models of the same bytes as this machine does.
#
#   cmake/aarch64.sh [TEST...]     TEST: programs of tests/cpp to build and run there as well, e.g. test_common
set -euo pipefail
KAURI_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$KAURI_ROOT/cmake/setup.sh"
case ${1:-} in -*) sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit ;; esac
build=$KAURI_ROOT/build-aarch64
libraries=$build/libraries
here=${KAURI_BUILD_DIR:-$KAURI_ROOT/build}/bin/kauri

# The arm64 packages that a build needs, unpacked into the build's folder: apt gets lists of its own, so that the system
# need not know of a second architecture.
fetch_libraries() {
  [[ -e $libraries/complete ]] && return
  heading "Fetching arm64 libraries"
  local apt=$build/apt options
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$libraries"
  touch "$apt/status"
  options=(-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root -o Dir::State="$apt"
    -o Dir::State::lists="$apt/lists" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache")
  apt-get "${options[@]}" update
  (cd "$apt" && apt-get "${options[@]}" download libdmlc-dev libdmlc0 libhwy-dev libhwy1 zlib1g-dev zlib1g \
    nlohmann-json3-dev libgtest-dev)
  for package in "$apt"/*.deb; do dpkg-deb -x "$package" "$libraries"; done
  touch "$libraries/complete"
}

there() {
  local folder=usr/lib/aarch64-linux-gnu
  qemu-aarch64 -L /usr/aarch64-linux-gnu \
    -E "LD_LIBRARY_PATH=$libraries/$folder:$libraries/${folder#usr/}" "$build/bin/$1" "${@:2}"
}

# compare NAME KEY=VALUE...: what both learn, predict and say of each round.
compare() {
  local files=$build/compared name=$1 rows=demo/data/breast_cancer side end
  local data=("data=$rows.train.libsvm?format=libsvm" "eval[test]=$rows.test.libsvm?format=libsvm")
  mkdir -p "$files"
  for side in here there; do
    local out=$files/$name-$side run=("$here") told=("test:data=$rows.test.libsvm?format=libsvm")
    [[ $side == there ]] && run=(there kauri)
    {
      "${run[@]}" "${data[@]}" num_round=20 "${@:2}" model_out="$out.json" >"$out.log" \
        && "${run[@]}" task=pred model_in="$out.json" "${told[@]}" name_pred="$out.txt" \
        && "${run[@]}" task=pred model_in="$out.json" "${told[@]}" name_pred="$out.csv" pred_contribs=true
    } 2>"$out.err" || give_up "$name, $side: $(tail -3 "$out.err")"
  done
  for end in json log txt csv; do
    cmp "$files/$name-here.$end" "$files/$name-there.$end" || give_up "$name: the .$end files of both differ"
  done
  printf '%-12s models, evaluations, predictions and contributions have the same bytes\n' "$name"
}

require_debian_packages build aarch64
fetch_libraries
heading "Building (aarch64)"
cd "$KAURI_ROOT"
cmake --preset aarch64
cmake --build "$build" --parallel "$(nproc)" --target kauri_cli "$@"
for test in "$@"; do
  heading "$test"
  there "$test" --gtest_brief=1
done
[[ -x $here ]] || give_up "there is no $here to compare with: build it, or name its build by KAURI_BUILD_DIR"
heading "Comparing with $here"
logistic="objective=binary:logistic"
compare exact tree_method=exact $logistic
compare hist tree_method=hist $logistic
compare lossguide tree_method=hist grow_policy=lossguide max_leaves=15 subsample=0.7 colsample_bynode=0.5 $logistic
compare approx tree_method=approx $logistic
compare dart booster=dart rate_drop=0.2 $logistic
compare linear booster=gblinear $logistic
compare classes objective=multi:softprob num_class=2
compare poisson objective=count:poisson
compare quantile objective=reg:quantileerror quantile_alpha=0.7
