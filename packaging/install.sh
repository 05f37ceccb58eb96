#!/bin/sh
# Installs Homard for this account: downloads a release, checks it against the release's checksums, puts the program
# into a folder. Needs no root, starts nothing, and touches no other file.
#
#   curl -fsSL https://github.com/homard/homard/releases/latest/download/install.sh | sh
#
#   HOMARD_VERSION       a release such as 0.2.0; the latest when unset
#   HOMARD_INSTALL_DIR   where to; ~/.local/bin when unset
#   HOMARD_TARGET        the build to take, such as x86_64-unknown-linux-musl
#   HOMARD_DOWNLOAD_URL  where the files of the release lie; a mirror, for instance
set -eu

say() { printf '%s\n' "$*"; }
fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

# Prints which build fits this machine.
target() {
    case $(uname -m) in
        x86_64 | amd64) machine=x86_64 ;;
        aarch64 | arm64) machine=aarch64 ;;
        *) fail "there is no build for $(uname -m); build it from source" ;;
    esac
    case $(uname -s) in
        Linux)
            # A system without the GNU library takes the build that needs none.
            if getconf GNU_LIBC_VERSION >/dev/null 2>&1; then libc=gnu; else libc=musl; fi
            say "$machine-unknown-linux-$libc"
            ;;
        Darwin) say "$machine-apple-darwin" ;;
        *) fail "there is no build for $(uname -s); build it from source" ;;
    esac
}

# download URL FILE
download() {
    case $1 in
        https://* | http://127.0.0.1:*) ;;
        *) fail "$1 is not an https address" ;;
    esac
    if has curl; then
        curl --fail --silent --show-error --location --retry 2 --output "$2" "$1" || fail "could not download $1"
    elif has wget; then
        wget --quiet --output-document="$2" "$1" || fail "could not download $1"
    else
        fail "neither curl nor wget is installed"
    fi
}

# Prints the SHA-256 of a file.
checksum() {
    if has sha256sum; then
        sum=$(sha256sum "$1")
    elif has shasum; then
        sum=$(shasum -a 256 "$1")
    elif has openssl; then
        sum=$(openssl dgst -sha256 -r "$1")
    else
        fail "nothing here computes a SHA-256 (sha256sum, shasum, openssl), so the download cannot be checked"
    fi
    printf '%s\n' "${sum%% *}"
}

# verify FILE NAME SUMS: the file is the one the checksums call by this name.
verify() {
    wanted=$(awk -v name="$2" '{ file = $2; sub(/^\*/, "", file); if (file == name) print $1 }' "$3")
    case $wanted in
        *[!0-9a-f]* | '') fail "the release has no checksum of $2; nothing was installed" ;;
    esac
    found=$(checksum "$1")
    [ "$found" = "$wanted" ] ||
        fail "$2 is not what the release says it is (SHA-256 $found instead of $wanted); nothing was installed"
}

main() {
    [ -n "${HOME:-}" ] || fail "HOME is not set"
    version=${HOMARD_VERSION:-latest}
    folder=${HOMARD_INSTALL_DIR:-$HOME/.local/bin}
    build=${HOMARD_TARGET:-$(target)}
    releases=https://github.com/homard/homard/releases
    if [ "$version" = latest ]; then from=$releases/latest/download; else from=$releases/download/v${version#v}; fi
    from=${HOMARD_DOWNLOAD_URL:-$from}
    archive=homard-$build.tar.gz

    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM

    say "Downloading $archive"
    download "$from/SHA256SUMS" "$scratch/SHA256SUMS"
    download "$from/$archive" "$scratch/$archive"
    verify "$scratch/$archive" "$archive" "$scratch/SHA256SUMS"

    mkdir "$scratch/unpacked"
    tar -xzf "$scratch/$archive" -C "$scratch/unpacked" --strip-components 1
    "$scratch/unpacked/homard" --version >/dev/null 2>&1 ||
        fail "the program does not run on this machine; nothing was installed. HOMARD_TARGET chooses another build"

    # In two steps, so that the old program stays until the new one is whole.
    mkdir -p "$folder"
    cp "$scratch/unpacked/homard" "$folder/.homard.new.$$" || fail "could not write to $folder"
    chmod 755 "$folder/.homard.new.$$"
    mv -f "$folder/.homard.new.$$" "$folder/homard"

    say "Installed $("$folder/homard" --version) as $folder/homard"
    case :${PATH:-}: in
        *":$folder:"*) begin=homard ;;
        *)
            begin=$folder/homard
            say "$folder is not on your PATH yet: add it in your shell's settings."
            ;;
    esac
    say "Begin with: $begin gateway"
}

# At the very end, so that a download that was cut off does nothing.
main "$@"
