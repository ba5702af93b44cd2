#!/usr/bin/env bash
# Compiles and runs grader_kernels.cu where there is a GPU: grader_kernels.sh PROBE BUILD PROGRAM
#
# It takes nvcc five seconds, so that a machine without a GPU does not do it: tests/cli/run.sh compiles the
# same file for the emulated one. Ends with 77 where there is no GPU; one that does not work is a failure.
set -euo pipefail
probe=$1 build=$2 program=$3
said=$("$probe") || case $said in
    *cudaErrorNoDevice* | *cudaErrorInsufficientDriver*) exit 77 ;;
    *) echo "$said" >&2 ;;
esac
cmake --build "$build" --target grader_kernels_test >&2
exec "$program"
