#include "interface.cuh"
#include <cub/cub.cuh> // c
#if __has_include("../x.h")
#endif
#include "../a.h"
/* #include "/etc/passwd" */
#line 5 "y.cu"
# 7 "z.cu" 1
%:include <b.h>
const char* s = R"x(#include "q")x" u8"a\"b" ".inc" "bin";
int n = 1'000 + 0x1p-3;
__global__ void k(float* p) { p[0] = 1; }
