// expect: sum=skipped
// at-most: sum=0
// report: skipped 1
// What the emulated GPU lacks is not charged, so a wrong answer says that it needs such a thing. Batch lists it for a
// person.
#include "interface.cuh"

extern "C" cudaError_t cugrade_lacks(const char* function, const char* file, int line);

void reduce_sum(const double*, std::size_t, double*) { cugrade_lacks("cudaCreateTextureObject", "student.cu", 1); }
