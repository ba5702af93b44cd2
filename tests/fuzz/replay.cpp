// Runs what a fuzzer has kept, by the fuzzer's own code: replay FOLDER COUNT.
//
// Each input is run whole and cut short at a few places. A property that does not hold ends the
// process, and the last line that it prints names the input. At least COUNT inputs must be there.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
    namespace fs = std::filesystem;
    if (argc != 3) return std::fputs("usage: replay FOLDER COUNT\n", stderr), 2;
    std::set<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator it(argv[1], error), end; !error && it != end; it.increment(error))
        files.insert(it->path());
    for (const fs::path& file : files) {
        std::ifstream in(file, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        if (!in) return std::fprintf(stderr, "cannot read %s\n", file.c_str()), 1;
        constexpr std::size_t parts = 8;
        for (std::size_t part = parts; part > 0; --part) {
            const std::size_t size = text.size() * part / parts;
            std::printf("%s, %zu bytes\n", file.c_str(), size);
            std::fflush(stdout);
            // Of its own size, so that sanitizers see what is read behind it.
            const std::string cut = text.substr(0, size);
            LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(cut.data()), cut.size());
        }
    }
    if (static_cast<long>(files.size()) < std::atol(argv[2]))
        return std::fprintf(stderr, "%s has %zu inputs, and not %s\n", argv[1], files.size(),
                            argv[2]),
               1;
    return 0;
}
