// What linked_main.cu and linked_other.cu use of each other.
#pragma once

extern __device__ int shared_value;
extern __constant__ int limits[2];
__device__ int cube(int x);
__device__ int twice(int x);
void run_other(int* device);
