#!/usr/bin/env bash
# Grades the example class of examples/class.tsv: demo.sh OUT
set -euo pipefail
cd "$(dirname "$0")/.."
out=$1
class=$out/class
rm -rf "$out"
mkdir -p "$class"
while IFS=$'\t' read -r student assignment file _; do
    case $student in '' | '#'*) continue ;; esac
    mkdir -p "$class/$assignment"
    cp "$file" "$class/$assignment/$student.cu"
done <examples/class.tsv
build/release/bin/cugrade secret new "$out/secret"
build/release/bin/cugrade batch "$class" --out "$out/graded" --secret-file "$out/secret"
echo
echo "gradebook: $out/graded/gradebook.csv"
cut -d, -f1-7,11 "$out/graded/gradebook.csv" | column -s, -t 2>/dev/null || cat "$out/graded/gradebook.csv"
