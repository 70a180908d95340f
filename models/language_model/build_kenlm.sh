#!/bin/sh
# Builds KenLM's lmplz and build_binary, which the package on PyPI leaves out although its
# source archive has them. Needs a C++ compiler and Boost; about a minute on two cores.
#
#     models/language_model/build_kenlm.sh [FOLDER]     default: ~/.cache/skord/kenlm
#
# PYTHON names the interpreter whose pip fetches the source archive (default python3).
set -eu

folder=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/skord/kenlm}
python=${PYTHON:-python3}
packages="g++ cmake libboost-program-options-dev libboost-system-dev libboost-thread-dev libboost-test-dev"

say() { echo "build_kenlm: $*" >&2; }

if [ -x "$folder/lmplz" ] && [ -x "$folder/build_binary" ]; then
    say "$folder has both programs already"
    exit 0
fi
for program in c++ cmake make tar; do
    command -v "$program" >/dev/null || {
        say "$program is missing. On Debian: apt-get install make tar $packages"
        exit 1
    }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m pip download -q --no-deps --no-binary kenlm --dest "$work" kenlm || {
    say "the source archive of kenlm could not be fetched with $python -m pip"
    exit 1
}
mkdir "$work/source" "$work/build"
tar -xzf "$work"/kenlm-*.tar.gz --strip-components=1 -C "$work/source"
{
    cmake -S "$work/source" -B "$work/build" -DCMAKE_BUILD_TYPE=Release
    cmake --build "$work/build" -j "$(getconf _NPROCESSORS_ONLN)" --target lmplz build_binary
} >"$work/log" 2>&1 || {
    tail -n 20 "$work/log" >&2
    say "the build failed. On Debian it needs: apt-get install make tar $packages"
    exit 1
}
mkdir -p "$folder"
for program in lmplz build_binary; do
    cp "$(find "$work/build" -type f -name "$program" -perm -u+x | head -n 1)" "$folder/.$program.part"
    mv "$folder/.$program.part" "$folder/$program"
done
say "lmplz and build_binary are in $folder"
