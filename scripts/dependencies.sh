#!/usr/bin/env bash
# Installs the distribution's packages that cugrade is built with, if any is missing; and those that are named.
#
# As root or through a sudo that asks nothing it installs them; otherwise it prints the one line to
# run. Debian 12 and Ubuntu 24.04 have all of them; elsewhere it only checks for nvcc.
set -euo pipefail
packages=(build-essential cmake ninja-build pkg-config libfmt-dev libyaml-cpp-dev nlohmann-json3-dev
    libcli11-dev libpng-dev libssl-dev libzstd-dev liblz4-dev libseccomp-dev libsqlite3-dev libarchive-dev
    bubblewrap catch2 groff-base python3 python3-jsonschema "$@")

if command -v dpkg-query >/dev/null; then
    missing=()
    for package in "${packages[@]}"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' ||
            missing+=("$package")
    done
    if [ ${#missing[@]} -gt 0 ]; then
        line="apt-get install -y --no-install-recommends ${missing[*]}"
        if [ "$(id -u)" -eq 0 ]; then
            sudo=()
        elif sudo -n true 2>/dev/null; then
            sudo=(sudo)
        else
            echo "cugrade needs packages of your distribution. Run this line, then the same make again:" >&2
            echo "  sudo apt-get update && sudo $line" >&2
            exit 1
        fi
        echo "installing ${missing[*]} (takes minutes on a bare machine)"
        # shellcheck disable=SC2086  # the line is words on purpose
        { "${sudo[@]}" apt-get update -qq && DEBIAN_FRONTEND=noninteractive "${sudo[@]}" $line -qq; } \
            >"/tmp/cugrade-apt.$$" 2>&1 || {
            cat "/tmp/cugrade-apt.$$" >&2
            echo "the installation failed; its output is above" >&2
            exit 1
        }
        rm -f "/tmp/cugrade-apt.$$"
    fi
fi

if ! command -v nvcc >/dev/null && [ ! -x /usr/local/cuda/bin/nvcc ]; then
    echo "nvcc was found neither on the PATH nor in /usr/local/cuda/bin: install NVIDIA's CUDA Toolkit" >&2
    echo "(no GPU and no driver are needed), https://developer.nvidia.com/cuda-downloads" >&2
    exit 1
fi
