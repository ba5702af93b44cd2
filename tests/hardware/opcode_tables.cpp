// Runs the opcode tables (tests/ptx) on a real GPU: what they say is then what hardware does.
//
// The CUDA driver is loaded at run time, so this builds anywhere; without a GPU it says so and
// exits with 77, which CTest shows as skipped. Work is done by a child process: a kernel that never
// ends, or an error after which a context is of no use, costs that child, and the next one goes on
// behind the group that did it. A child sends one record per group through a pipe.
//
// It needs the standard library only: g++ -std=c++20 -I. tests/hardware/opcode_tables.cpp
// tests/ptx/tables.cpp -ldl
#include <dlfcn.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>

#include "tests/ptx/tables.hpp"

#ifndef CUGRADE_SOURCE_DIR
#define CUGRADE_SOURCE_DIR "."
#endif

namespace {

using cugrade::tables::Group;

constexpr int exit_skipped = 77;

// --- the driver ---------------------------------------------------------------------------------

/// No GPU: nothing can be said about the tables.
struct NoGpu : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// An error after which the context is of no use.
struct Sticky : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The parts of the driver API that are needed, by the names that libcuda exports.
class Driver {
public:
    Driver() {
        library_ = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr) throw NoGpu(std::string("no CUDA driver: ") + dlerror());
        load(init_, "cuInit");
        load(error_name_, "cuGetErrorName");
        load(driver_version_, "cuDriverGetVersion");
        load(device_count_, "cuDeviceGetCount");
        load(device_get_, "cuDeviceGet");
        load(device_name_, "cuDeviceGetName");
        load(device_attribute_, "cuDeviceGetAttribute");
        load(retain_, "cuDevicePrimaryCtxRetain");
        load(set_current_, "cuCtxSetCurrent");
        load(synchronize_, "cuCtxSynchronize");
        load(module_load_, "cuModuleLoadDataEx");
        load(module_unload_, "cuModuleUnload");
        load(function_, "cuModuleGetFunction");
        load(allocate_, "cuMemAlloc_v2");
        load(free_, "cuMemFree_v2");
        load(fill_, "cuMemsetD8_v2");
        load(to_device_, "cuMemcpyHtoD_v2");
        load(to_host_, "cuMemcpyDtoH_v2");
        load(launch_, "cuLaunchKernel");

        constexpr int no_device = 100, stub_library = 34;
        const int result = init_(0);
        if (result == no_device || result == stub_library)
            throw NoGpu("no GPU: cuInit: " + name_of(result));
        check(result, "cuInit");
        int count = 0, device = 0;
        check(device_count_(&count), "cuDeviceGetCount");
        if (count == 0) throw NoGpu("no GPU: the driver counts none");
        check(device_get_(&device, 0), "cuDeviceGet");
        check(driver_version_(&version), "cuDriverGetVersion");
        std::array<char, 256> buffer{};
        check(device_name_(buffer.data(), buffer.size(), device), "cuDeviceGetName");
        name = buffer.data();
        constexpr int capability_major = 75, capability_minor = 76;
        int major = 0, minor = 0;
        check(device_attribute_(&major, capability_major, device), "cuDeviceGetAttribute");
        check(device_attribute_(&minor, capability_minor, device), "cuDeviceGetAttribute");
        arch = 10 * major + minor;
        void* context = nullptr;
        check(retain_(&context, device), "cuDevicePrimaryCtxRetain");
        check(set_current_(context), "cuCtxSetCurrent");
    }
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;

    /// The kernel's results, 8 bytes each. std::runtime_error: the module cannot be loaded.
    std::vector<std::uint64_t> run(const std::string& ptx, const std::vector<std::uint64_t>& inputs,
                                   std::size_t threads, std::size_t results) {
        void* module = load_module(ptx);
        void* function = nullptr;
        check(function_(&function, module, "test"), "cuModuleGetFunction");
        std::vector<std::uint64_t> out(std::max<std::size_t>(threads * results, 1));
        Buffer in_buffer(*this, inputs.size() * 8), out_buffer(*this, out.size() * 8),
            scratch(*this, threads * 64);
        sticky(to_device_(in_buffer.address, inputs.data(), inputs.size() * 8), "cuMemcpyHtoD");
        std::array<void*, 3> params{&in_buffer.address, &out_buffer.address, &scratch.address};
        sticky(launch_(function, 1, 1, 1, static_cast<unsigned>(threads), 1, 1, 0, nullptr,
                       params.data(), nullptr),
               "cuLaunchKernel");
        sticky(synchronize_(), "cuCtxSynchronize");
        sticky(to_host_(out.data(), out_buffer.address, out.size() * 8), "cuMemcpyDtoH");
        sticky(module_unload_(module), "cuModuleUnload");
        out.resize(threads * results);
        return out;
    }
    [[nodiscard]] bool takes(const std::string& ptx) {
        try {
            module_unload_(load_module(ptx));
            return true;
        } catch (const std::runtime_error&) {
            return false;
        }
    }

    std::string name;
    int arch = 0;
    int version = 0;

private:
    struct Buffer {
        Buffer(Driver& owner, std::size_t bytes) : driver(owner) {
            driver.sticky(driver.allocate_(&address, bytes), "cuMemAlloc");
            driver.sticky(driver.fill_(address, 0, bytes), "cuMemsetD8");
        }
        Buffer(const Buffer&) = delete;
        Buffer& operator=(const Buffer&) = delete;
        ~Buffer() { driver.free_(address); }
        Driver& driver;
        unsigned long long address = 0;
    };

    template <class F>
    void load(F& function, const char* symbol) {
        function = reinterpret_cast<F>(dlsym(library_, symbol));
        if (function == nullptr)
            throw std::runtime_error(std::string("libcuda.so.1 has no ") + symbol);
    }
    std::string name_of(int result) {
        const char* text = nullptr;
        error_name_(result, &text);
        return text != nullptr ? text : "error " + std::to_string(result);
    }
    void check(int result, const char* call) {
        if (result != 0) throw std::runtime_error(std::string(call) + ": " + name_of(result));
    }
    void sticky(int result, const char* call) {
        if (result != 0) throw Sticky(std::string(call) + ": " + name_of(result));
    }
    void* load_module(const std::string& ptx) {
        constexpr int error_log_buffer = 5, error_log_bytes = 6;
        std::array<char, 4096> log{};
        std::array<int, 2> options{error_log_buffer, error_log_bytes};
        std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
        void* module = nullptr;
        const int result = module_load_(&module, ptx.c_str(), 2, options.data(), values.data());
        if (result == 0) return module;
        log.back() = 0;
        std::string text = log.data();
        std::replace(text.begin(), text.end(), '\n', ' ');
        throw std::runtime_error("cuModuleLoadDataEx: " + name_of(result) + ": " + text);
    }

    void* library_ = nullptr;
    int (*init_)(unsigned) = nullptr;
    int (*error_name_)(int, const char**) = nullptr;
    int (*driver_version_)(int*) = nullptr;
    int (*device_count_)(int*) = nullptr;
    int (*device_get_)(int*, int) = nullptr;
    int (*device_name_)(char*, int, int) = nullptr;
    int (*device_attribute_)(int*, int, int) = nullptr;
    int (*retain_)(void**, int) = nullptr;
    int (*set_current_)(void*) = nullptr;
    int (*synchronize_)() = nullptr;
    int (*module_load_)(void**, const void*, unsigned, int*, void**) = nullptr;
    int (*module_unload_)(void*) = nullptr;
    int (*function_)(void**, void*, const char*) = nullptr;
    int (*allocate_)(unsigned long long*, std::size_t) = nullptr;
    int (*free_)(unsigned long long) = nullptr;
    int (*fill_)(unsigned long long, unsigned char, std::size_t) = nullptr;
    int (*to_device_)(unsigned long long, const void*, std::size_t) = nullptr;
    int (*to_host_)(void*, unsigned long long, std::size_t) = nullptr;
    int (*launch_)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   void*, void**, void**) = nullptr;
};

// --- the child ----------------------------------------------------------------------------------

enum class Kind : std::uint32_t {
    no_gpu,        ///< text: why
    cannot_start,  ///< text: why
    device,        ///< text: what runs
    agrees,
    disagrees,  ///< text: a line per disagreement
    fails,      ///< text: why
    skipped,    ///< text: why
};
struct Record {
    Kind kind{};
    std::uint32_t group = 0;
    std::uint32_t bytes = 0;
};

void send(int pipe, Kind kind, std::size_t group, const std::string& text) {
    const Record record{kind, static_cast<std::uint32_t>(group),
                        static_cast<std::uint32_t>(text.size())};
    std::string all(reinterpret_cast<const char*>(&record), sizeof record);
    all += text;
    for (std::size_t at = 0; at < all.size();) {
        const ssize_t n = write(pipe, all.data() + at, all.size() - at);
        if (n <= 0) std::_Exit(3);
        at += static_cast<std::size_t>(n);
    }
}

/// The newest PTX that the driver takes; nvcc's own is 9.0.
std::string newest_version(Driver& driver) {
    for (const char* version : {"9.0", "8.8", "8.7", "8.6", "8.5", "8.4", "8.3", "8.0", "7.8"})
        if (driver.takes(std::string(".version ") + version +
                         "\n.target sm_75\n.address_size 64\n.visible .entry test()\n{\nret;\n}\n"))
            return version;
    throw std::runtime_error("the driver takes no PTX from 7.8 to 9.0");
}

[[noreturn]] void child(int pipe, const std::vector<Group>& groups, std::size_t next) {
    try {
        Driver driver;
        const std::string version = newest_version(driver);
        send(pipe, Kind::device, next,
             driver.name + ", compute capability " + std::to_string(driver.arch / 10) + "." +
                 std::to_string(driver.arch % 10) + ", driver for CUDA " +
                 std::to_string(driver.version / 1000) + "." +
                 std::to_string(driver.version % 1000 / 10) + ", PTX " + version);
        for (; next < groups.size(); ++next) {
            const Group& group = groups[next];
            if (group.is_specific() ? group.arch() != driver.arch : group.arch() > driver.arch) {
                send(pipe, Kind::skipped, next, "needs sm_" + group.target);
                continue;
            }
            try {
                const auto results = driver.run(module_of(group, version), inputs_of(group),
                                                group.cases.size(), group.results.size());
                std::string text;
                for (const std::string& line : disagreements(group, results)) text += line + "\n";
                send(pipe, text.empty() ? Kind::agrees : Kind::disagrees, next, text);
            } catch (const Sticky&) {
                throw;
            } catch (const std::runtime_error& e) {
                send(pipe, Kind::fails, next, e.what());
            }
        }
        std::_Exit(0);
    } catch (const NoGpu& e) {
        send(pipe, Kind::no_gpu, next, e.what());
    } catch (const Sticky& e) {
        send(pipe, Kind::fails, next, e.what());
    } catch (const std::exception& e) {
        send(pipe, Kind::cannot_start, next, e.what());
    }
    std::_Exit(1);
}

// --- the parent ---------------------------------------------------------------------------------

/// Reads exactly `bytes`; false at the end of the pipe or after `seconds` without a byte.
bool receive(int pipe, void* into, std::size_t bytes, int seconds) {
    auto* at = static_cast<char*>(into);
    while (bytes != 0) {
        pollfd wait{pipe, POLLIN, 0};
        if (poll(&wait, 1, 1000 * seconds) <= 0) return false;
        const ssize_t n = read(pipe, at, bytes);
        if (n <= 0) return false;
        at += n;
        bytes -= static_cast<std::size_t>(n);
    }
    return true;
}

struct Options {
    std::string source = CUGRADE_SOURCE_DIR;
    std::string only, dump;
    int seconds = 30;         ///< that a group may take
    int start_seconds = 120;  ///< that the driver may take to start
    bool is_required = false;
};

Options parse(int argc, char** argv) {
    Options options;
    for (int n = 1; n < argc; ++n) {
        const std::string word = argv[n];
        const bool has_value = n + 1 < argc;
        if (word == "--require")
            options.is_required = true;
        else if (word == "--source" && has_value)
            options.source = argv[++n];
        else if (word == "--only" && has_value)
            options.only = argv[++n];
        else if (word == "--dump" && has_value)
            options.dump = argv[++n];
        else if (word == "--seconds" && has_value)
            options.seconds = std::stoi(argv[++n]);
        else
            throw std::runtime_error(
                "usage: hardware_opcode_tables [--source FOLDER] [--only FORM] [--seconds N] "
                "[--require] [--dump FOLDER]\n--require: no GPU is a failure; --dump: write the "
                "PTX of every group instead of running it");
    }
    return options;
}

void dump(const std::vector<Group>& groups, const std::string& folder) {
    std::filesystem::create_directories(folder);
    for (const Group& group : groups)
        std::ofstream(folder + "/" + group.file + "." + std::to_string(group.line) + ".sm_" +
                      group.target + ".ptx")
            << module_of(group);
}

int run(const Options& options) {
    std::vector<Group> groups = cugrade::tables::read_groups(options.source);
    if (!options.only.empty())
        std::erase_if(groups, [&](const Group& group) {
            return group.name().find(options.only) == std::string::npos;
        });
    if (groups.empty()) throw std::runtime_error("no group is named " + options.only);
    if (!options.dump.empty()) return dump(groups, options.dump), 0;

    std::map<Kind, std::size_t> counts;
    std::map<std::string, bool> forms;  ///< whether all groups of a form agree
    const auto note = [&](std::size_t n, Kind kind, const std::string& text) {
        ++counts[kind];
        for (const auto& form : groups[n].forms)
            if (kind != Kind::skipped)
                forms.try_emplace(form, true).first->second &= kind == Kind::agrees;
        if (kind == Kind::disagrees)
            std::cout << text;
        else if (kind == Kind::fails)
            std::cout << groups[n].name() << ": FAILS: " << text << "\n";
        else if (kind == Kind::skipped)
            std::cout << groups[n].name() << ": skipped: " << text << "\n";
        std::cout << std::flush;
    };
    bool is_named = false;
    for (std::size_t next = 0; next < groups.size();) {
        std::array<int, 2> ends{};
        if (pipe(ends.data()) != 0) throw std::runtime_error("pipe failed");
        std::cout << std::flush;
        const pid_t pid = fork();
        if (pid < 0) throw std::runtime_error("fork failed");
        if (pid == 0) {
            close(ends[0]);
            child(ends[1], groups, next);
        }
        close(ends[1]);
        std::string why;
        bool is_fatal = false, is_missing = false, has_started = false;
        while (next < groups.size()) {
            Record record;
            const int seconds = has_started ? options.seconds : options.start_seconds;
            if (!receive(ends[0], &record, sizeof record, seconds)) break;
            std::string text(record.bytes, ' ');
            if (!receive(ends[0], text.data(), text.size(), seconds)) break;
            has_started = true;
            if (record.kind == Kind::no_gpu || record.kind == Kind::cannot_start) {
                why = text;
                (record.kind == Kind::no_gpu ? is_missing : is_fatal) = true;
                break;
            }
            if (record.kind == Kind::device) {
                if (!is_named) std::cout << "device: " << text << "\n" << std::flush;
                is_named = true;
                continue;
            }
            note(next++, record.kind, text);
        }
        // The child sends nothing more: it is at its end, has stopped, or must be stopped.
        kill(pid, SIGKILL);
        int status = 0;
        waitpid(pid, &status, 0);
        close(ends[0]);
        if (is_missing && next == 0) {
            std::cout << (options.is_required ? "FAILED: " : "SKIPPED: ") << why
                      << ": the opcode tables were not run on hardware\n";
            return options.is_required ? 1 : exit_skipped;
        }
        if (is_fatal || is_missing || !has_started) {
            std::cout << "FAILED: the driver does not start"
                      << (next == 0 ? "" : " again behind " + groups[next - 1].name()) << ": "
                      << (why.empty() ? "it stopped or took too long" : why) << "\n";
            return 1;
        }
        if (next < groups.size() && !(WIFEXITED(status) && WEXITSTATUS(status) == 1))
            note(next++, Kind::fails, "its process crashed, or it took too long");
    }

    const auto emitted = cugrade::tables::emitted_forms(options.source);
    std::size_t agreed = 0, emitted_agreed = 0;
    for (const auto& [form, all] : forms) {
        agreed += all ? 1 : 0;
        emitted_agreed += all && emitted.contains(form) ? 1 : 0;
    }
    std::cout << "groups: " << groups.size() << ", agree " << counts[Kind::agrees] << ", disagree "
              << counts[Kind::disagrees] << ", fail " << counts[Kind::fails] << ", skipped "
              << counts[Kind::skipped] << "\n"
              << "forms: " << forms.size() << " run, " << agreed << " agree; of the "
              << emitted.size() << " that nvcc was seen to emit, " << emitted_agreed << " agree\n";
    return counts[Kind::disagrees] + counts[Kind::fails] == 0 && counts[Kind::agrees] != 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(parse(argc, argv));
    } catch (const std::exception& e) {
        std::cerr << e.what() << "\n";
        return 2;
    }
}
