// expect: sum=accepted
// at-most: sum.performance=0
// Searches what it can read of its own process (program, heap, stack, environment) for what only the grader knows:
// secrets, cases, other submissions. Throws if it finds any.
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "interface.cuh"

extern char** environ;

namespace {
// Shifted by one, so that the search does not find them here.
const char* const wanted[] = {"DVHSBEF`TFDSFU", "dvhsbef.efwfmpqnfou.tfdsfu", "njyfe`nbhojuveft", "sfgfsfodf0sfevdujpo"};

void search(const char* from, std::size_t bytes) {
    for (const char* shifted : wanted) {
        std::string text;
        for (const char* c = shifted; *c != 0; ++c) text += static_cast<char>(*c - 1);
        const char* found = static_cast<const char*>(memmem(from, bytes, text.data(), text.size()));
        while (found == text.data()) found = static_cast<const char*>(memmem(found + 1, from + bytes - found - 1, text.data(), text.size()));
        if (found != nullptr) {
            std::memset(text.data(), 0, text.size());
            throw std::runtime_error("found something");
        }
        std::memset(text.data(), 0, text.size());
    }
}

int each(dl_phdr_info* info, std::size_t, void*) {
    for (int i = 0; i < info->dlpi_phnum; ++i)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_R) != 0)
            search(reinterpret_cast<const char*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr), info->dlpi_phdr[i].p_memsz);
    return 0;
}

void search_all() {
    dl_iterate_phdr(each, nullptr);
    char* const end = static_cast<char*>(sbrk(0));
    search(end - (100 << 10), 100 << 10);
    for (char** variable = environ; *variable != nullptr; ++variable)
        if (std::strstr(*variable, "SECRET") != nullptr) throw std::runtime_error("a secret");
}
}  // namespace

__global__ void add(const double* in, std::size_t n, double* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    search_all();
    cudaMemset(out, 0, sizeof *out);
    if (n > 0) add<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, out);
}
