// innocent; grid 2; block 1; seed 2
// The server looks by and by and takes what is there, so no loop waits for it alone.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* state = out;
    volatile int* value = out + 1;
    for (int k = 0; k < 4; ++k) {
        if (blockIdx.x == 0) {
            while (*state != 0) {}
            *value = in[k];
            __threadfence();
            *state = 1;
        } else {
            for (bool done = false; !done;) {
                if (*state == 1) {
                    __threadfence();
                    out[2] += *value;
                    __threadfence();
                    *state = 0;
                    done = true;
                }
            }
        }
    }
}
