#pragma once

/// `cugrade-bench sandbox FILE ASSIGNMENT [TIMES]`: what the sandbox costs one grading. Returns an
/// exit code: 0 if that is within the bar.
int bench_sandbox(int argc, char** argv, const char* cugrade);
