#pragma once

/// `cugrade-bench wake`. Returns an exit code.
int bench_wake(int argc, char** argv, const char* supervisor);
