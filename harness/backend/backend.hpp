// What kernels run on, as grading sees it: one interface, and behind it a GPU or the emulated one.
//
// Judging and grading never ask which of them it is. They ask for the property that they need: whether it
// measures times, whether it repeats exactly, which targets it compiles for. A back end is a class
// in a folder of its own and a row of backends().
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/grade_options.hpp"
#include "backend/session.hpp"
#include "build/course.hpp"
#include "core/error.hpp"
#include "core/provenance.hpp"
#include "core/spec.hpp"
#include "gpu/gpus.hpp"

namespace cugrade {

class Backend {
public:
    virtual ~Backend() = default;

    /// As --backend takes it and reports have it.
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// Fills in what device it is: name, driver, whether its times are modelled.
    virtual void describe(Provenance&) const = 0;
    /// Notes on it for reports, one sentence each, from what is known so far.
    [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
    /// Options besides --backend with which `cugrade check` runs the same again: " --ptx 90".
    [[nodiscard]] virtual std::string replay_options() const { return {}; }

    /// The lines of `cugrade doctor`: each part that it needs, tried just now.
    struct Part {
        std::string what;
        std::string detail;
        std::optional<Error> missing = {};
    };
    [[nodiscard]] virtual std::vector<Part> examine(const Home&) const = 0;

    [[nodiscard]] virtual const BuildTarget& target() const = 0;
    /// It measures kernels' times; otherwise times are modelled from counts.
    [[nodiscard]] virtual bool measures_time() const = 0;
    /// The same call under the same schedule gives the same bits, so another schedule is tried on
    /// purpose. Otherwise a wrong result is only tried again.
    [[nodiscard]] virtual bool repeats_exactly() const = 0;
    /// Whether it can run a case that assignment.yaml says needs a GPU.
    [[nodiscard]] virtual bool runs_large_cases() const = 0;

    /// Devices that gradings share, one at a time each; 0: everybody gets one of their own.
    [[nodiscard]] virtual std::size_t shared_devices() const { return 0; }
    /// How many of `jobs` tasks it can grade at once.
    [[nodiscard]] virtual int tasks_at_once(int jobs) const { return jobs; }

    /// Waits for a place among the tasks that have their data in memory and wait for a shared
    /// device or use one. Destroying the value leaves the place.
    enum class For { cases, timing };
    class Place {
    public:
        virtual ~Place() = default;
    };
    [[nodiscard]] virtual std::unique_ptr<Place> wait_for_place(For) const { return nullptr; }

    /// Calls `use` with a device that nobody else grades on meanwhile, for SessionOptions::device.
    /// How long it had one, without waiting for it, is added to `held_s`.
    [[nodiscard]] virtual Status with_device(const Home&,
                                             const std::function<Status(const GpuInfo&)>& use,
                                             double* held_s = nullptr) const;

    [[nodiscard]] virtual Result<std::unique_ptr<Session>> open(const SessionOptions&) const = 0;

    /// Which of the tasks' functions a submission has. Asked without a shared device, so missing
    /// functions are found before queueing. If unknown, all: the first call tells. Errors: as of
    /// Session::has_function().
    [[nodiscard]] virtual Result<std::vector<bool>> has_functions(
        const SessionOptions&, std::span<const TaskSpec* const>) const;
};

/// The name of the one that every machine has.
inline constexpr std::string_view emulator_name = "emulator";

/// A kind of back end. `make` fails where it is not available, and says why.
struct BackendKind {
    std::string_view name;
    Result<std::unique_ptr<Backend>> (*make)(const GradeOptions&);
};
/// All of them. The first one that is available is what `auto` means.
[[nodiscard]] std::span<const BackendKind> backends();
/// "auto", and the names of all kinds.
[[nodiscard]] std::vector<std::string> backend_names();
/// The one that the options name. Errors: there is none of this name, or it is not available.
[[nodiscard]] Result<std::unique_ptr<Backend>> choose_backend(const GradeOptions&);

/// What is about to start on it.
[[nodiscard]] Provenance provenance(const Course&, const Backend&);

[[nodiscard]] SessionOptions session_options(const Course&, const Build&, const Limits&,
                                             const GradeOptions&, int emulator_threads = 1);
/// The same on this device.
[[nodiscard]] SessionOptions on(const GpuInfo&, SessionOptions);

}  // namespace cugrade
