#include "timing/gpu_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <sys/random.h>

#include "backend/gpu/attachment.hpp"
#include "core/clock.hpp"
#include "gpu/memory_roof.hpp"

namespace cugrade {
namespace {

/// Before the clock starts, small kernels run for `shortest_wait_us` plus a random time of at most
/// `more_wait_us`.
constexpr double shortest_wait_us = 100, more_wait_us = 500;
/// Size of the buffer that measures bandwidth and flushes caches.
constexpr std::uint64_t largest_scratch = std::uint64_t{1} << 30;

double us_since(Clock::time_point start) { return 1e6 * seconds_since(start); }

/// Bits from the operating system.
std::uint64_t secret_bits() {
    std::uint64_t out = 0;
    if (::getrandom(&out, sizeof out, 0) != sizeof out)
        throw HarnessFault("the operating system gives no random bits");
    return out;
}

}  // namespace

GpuRounds::GpuRounds(const TimingRun& run)
    : run_(run), task_(*run.task->task), data_(run.timed_case->data) {
    verified_ = run.timed_case->verified;
    for (const TableColumn& layout : table_columns(task_, data_)) {
        Column column{layout};
        if (column.rows > 0 && column.table == tables_.size())
            tables_.push_back({.rows = column.rows, .maps = {}});
        const auto& expected = run.timed_case->expected;
        const auto answer = std::ranges::find(expected, column.spec->name, &Expected::argument);
        if (answer != expected.end()) {
            column.unique = true;
            // The submission and the reference may each differ from the right answer by the bound.
            for (const double bound : answer->bound)
                column.bound = std::max(column.bound, 2 * bound);
        }
        columns_.push_back(std::move(column));
    }
}

GpuRounds::~GpuRounds() {
    end_all();  // importers go before exporters
}

std::vector<GpuRounds::Runner*> GpuRounds::runners() {
    std::vector<Runner*> out;
    for (Runner& runner : runners_)
        if (runner.connection) out.push_back(&runner);
    return out;
}

std::uint64_t GpuRounds::bytes_per_set() const {
    std::uint64_t out = 0;
    for (const Column& column : columns_) {
        const std::uint64_t stride = device::Blocks::of(column.data->bytes.size(), 1).stride;
        // The submission has inputs of its own, and each open runner has outputs of its own.
        out += (column.spec->role == Role::input || verified_ ? 2 : 3) * stride;
    }
    return out;
}

Rounds::Facts GpuRounds::facts() const {
    Facts out{.has_reference = has_reference(),
              .bytes_per_set = bytes_per_set(),
              .bytes_per_call = 0,
              .moved_per_call = 0,
              .room = free_before_ / 3,
              .most_sets = protocol::max_sets,
              .cache_bytes = cache_bytes(),
              .device = run_.submission.device.name};
    for (const Column& column : columns_) {
        const std::uint64_t bytes = column.data->bytes.size();
        out.bytes_per_call += bytes;
        if (std::ranges::find(task_.moves, column.spec->name) != task_.moves.end())
            out.moved_per_call += bytes;
    }
    return out;
}

Status GpuRounds::open_runner(Runner& runner, const SessionOptions& options) {
    runner.options = &options;
    auto connection = RunnerConnection::start(options, {});
    if (!connection) return connection.error();
    runner.connection = std::move(*connection);
    runner.connection->charge(options.budget);
    return Done{};
}

Status GpuRounds::open() {
    const GpuInfo& gpu = run_.submission.device;
    if (auto status = CUGRADE_CUDA(cudaSetDevice(gpu.index)); !status) return status.error();
    std::size_t free = 0, all = 0;
    if (auto status = CUGRADE_CUDA(cudaMemGetInfo(&free, &all)); !status) return status.error();
    free_before_ = free;
    monitor_id_ = "GPU-" + gpu.id;
    for (const std::size_t dash : {12, 17, 22, 27}) monitor_id_.insert(dash, "-");
    if (auto status = open_runner(runners_[baseline], run_.baseline); !status)
        return status.error();
    if (auto status = open_runner(runners_[submission], run_.submission); !status)
        return status.error();
    if (has_reference())
        if (auto status =
                open_runner(runners_[reference], run_.reference ? *run_.reference : run_.baseline);
            !status)
            return status.error();
    for (Column& column : columns_) {
        if (column.spec->role == Role::output) continue;
        auto base = DeviceMemory::of(column.data->bytes.size());
        if (!base) return base.error();
        column.base = std::move(*base);
        if (auto status =
                CUGRADE_CUDA(cudaMemcpy(column.base.get(), column.data->bytes.data(),
                                        column.data->bytes.size(), cudaMemcpyHostToDevice));
            !status)
            return status.error();
    }
    scratch_bytes_ =
        std::max(std::min<std::uint64_t>(largest_scratch, free_before_ / 8), 4 * cache_bytes());
    scratch_bytes_ = (scratch_bytes_ + read_unit - 1) / read_unit * read_unit;
    auto scratch = DeviceMemory::of(scratch_bytes_);
    if (!scratch) return scratch.error();
    scratch_ = std::move(*scratch);
    auto words = DeviceMemory::of(sizeof(Found) * std::max<std::size_t>(columns_.size(), 1));
    if (!words) return words.error();
    words_ = std::move(*words);
    if (auto status = CUGRADE_CUDA(cudaDeviceSynchronize()); !status) return status.error();
    for (Runner* runner : runners()) {
        auto defined = runner->connection->has_function(task_);  // waits until the work has started
        if (!defined) return defined.error();
    }
    return Done{};
}

Result<double> GpuRounds::begin() {
    monitor_.emplace(monitor_id_);
    if (auto status = CUGRADE_CUDA(device::poison(scratch_.get(), scratch_bytes_, 1)); !status)
        return status.error();
    return read_bandwidth(scratch_.get(), scratch_bytes_, words_.get<std::uint32_t>());
}

Result<CallOutcome> GpuRounds::attach_runner(Runner& runner) {
    std::vector<const ExportedMemory*> exported;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const Column& column = columns_[c];
        exported.push_back(column.spec->role != Role::input ? &runner.buffers[c]
                           : is_submission(runner)          ? &column.given
                                                            : &column.inputs);
    }
    // The baseline is the first runner, and has just done the same.
    auto attachment = attach(*runner.connection, exported, is_submission(runner));
    if (!attachment) return attachment.error();
    runner.addresses = std::move(attachment->addresses);
    return attachment->outcome;
}

Result<CallOutcome> GpuRounds::resize(const Plan& plan) {
    const bool again = sets_ != 0;
    const std::uint32_t sets = sets_ = plan.sets;
    for (Runner* runner : runners()) {
        if (again) {
            auto let_go = attach(*runner->connection, {}, is_submission(*runner));
            if (!let_go) return let_go.error();
            if (let_go->outcome.verdict != Verdict::accepted)
                return charged(who_is(*runner), std::move(let_go->outcome));
        }
        runner->buffers.clear();
    }
    for (Column& column : columns_) column.inputs = {}, column.given = {};
    kept_.clear();
    std::size_t free = 0, all = 0;
    if (auto status = CUGRADE_CUDA(cudaMemGetInfo(&free, &all)); !status) return status.error();
    const std::uint64_t needed = sets * bytes_per_set();
    if (again && free < needed)
        return CallOutcome{
            .verdict = Verdict::memory_limit,
            .message = fmt::format("the submission leaves {} MiB of the GPU's memory free, and "
                                   "the arguments of its timed calls take {} MiB",
                                   free >> 20, needed >> 20),
            .location = {}};
    for (Table& table : tables_) {
        auto maps = DeviceMemory::of(2 * sets * sizeof(device::TableMap));
        if (!maps) return maps.error();
        table.maps = std::move(*maps);
    }
    for (Column& column : columns_) {
        column.blocks = device::Blocks::of(column.data->bytes.size(), sets);
        if (column.spec->role != Role::input) continue;
        for (ExportedMemory Column::*copy : {&Column::inputs, &Column::given}) {
            auto inputs = ExportedMemory::of(column.blocks.total(), run_.submission.device.index);
            if (!inputs) return inputs.error();
            column.*copy = std::move(*inputs);
        }
    }
    for (Runner* runner : runners()) {
        runner->calls = runner == &runners_[baseline]     ? plan.of_baseline
                        : runner == &runners_[submission] ? plan.of_submission
                                                          : sets;
        runner->first = 0;
        runner->buffers.resize(columns_.size());
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            if (columns_[c].spec->role == Role::input) continue;
            auto outputs = ExportedMemory::of(runner->blocks(columns_[c]).total(),
                                              run_.submission.device.index);
            if (!outputs) return outputs.error();
            runner->buffers[c] = std::move(*outputs);
        }
        auto attached = attach_runner(*runner);
        if (!attached) return attached.error();
        if (attached->verdict == Verdict::accepted) continue;
        return charged(
            who_is(*runner), *attached,
            fmt::format("when {} sets of {} bytes were imported: ", sets, bytes_per_set()));
    }
    return CallOutcome{};
}

std::vector<std::uint64_t> GpuRounds::arguments(const Runner& runner) const {
    std::vector<std::uint64_t> values;
    for (std::uint32_t call = 0; call < runner.calls; ++call) {
        std::size_t c = 0;
        for (const ArgumentSpec& argument : task_.arguments) {
            if (argument.role == Role::scalar) {
                values.push_back(scalar_bits(argument.dtype, data_.param(argument.name)));
                continue;
            }
            const std::uint32_t block = argument.role == Role::input ? set_of(runner, call) : call;
            values.push_back(runner.addresses[c] + columns_[c].blocks.offset(block));
            ++c;
        }
    }
    return values;
}

Result<RunnerConnection::Answer> GpuRounds::call(Runner& runner, std::uint32_t calls,
                                                 const RunnerConnection::BeforeGo& before_go) {
    return runner.connection->timed_calls(task_.name, arguments(runner), calls,
                                          runner.options->limits.wall_s, before_go);
}

Result<CallOutcome> GpuRounds::charged(Who who, CallOutcome outcome,
                                       const std::string& when) const {
    if (who == submission || outcome.verdict == Verdict::accepted) return outcome;
    return failure_of_ours(who == reference && run_.reference ? "solution" : "baseline", run_,
                           when + outcome.message + outcome.said);
}

Result<Rounds::Empty> GpuRounds::time_empty(Who who) {
    Runner& runner = runners_[who];
    runner.connection->keep_processor_awake();
    // Same conditions as a round with calls: the caches are cold, and the GPU has to switch from
    // the grader's context to the runner's.
    if (auto status = flush_caches(); !status) return status.error();
    if (auto status = CUGRADE_CUDA(cudaDeviceSynchronize()); !status) return status.error();
    double not_used = 0;
    auto answer = call(runner, 0, [&] { return small_kernels(not_used); });
    if (!answer) return answer.error();
    auto outcome = charged(who, outcome_of(*answer));
    if (!outcome) return outcome.error();
    Empty out{.outcome = std::move(*outcome), .wall_s = answer->wall_s};
    if (out.outcome.verdict == Verdict::accepted)
        if (auto status = runner.connection->pause(); !status) return status.error();
    return out;
}

Status GpuRounds::stop_runners() {
    for (Runner* runner : runners())
        if (auto status = runner->connection->pause(); !status) return status.error();
    return Done{};
}

Status GpuRounds::fill_inputs(ExportedMemory Column::*copy) {
    for (const Column& column : columns_) {
        if (column.spec->role != Role::input) continue;
        void* const to = (column.*copy).get();
        if (auto status = CUGRADE_CUDA(device::make_column(
                to, column.blocks, column.base.get(),
                tables_.empty() ? nullptr : tables_[column.table].maps.get<device::TableMap>(),
                column.rows, column.row_bytes));
            !status)
            return status.error();
        if (auto status = CUGRADE_CUDA(device::fill_guards(to, column.blocks, guard_seed_));
            !status)
            return status.error();
    }
    return Done{};
}

Result<double> GpuRounds::make() {
    round_ = secret_bits();
    guard_seed_ = secret_bits();
    for (std::size_t t = 0; t < tables_.size(); ++t) {
        std::vector<device::TableMap> maps;
        for (std::uint32_t set = 0; set < 2 * sets_; ++set)
            maps.push_back(
                device::table_map(device::table_seed(round_, set % sets_, t), tables_[t].rows));
        if (auto status = CUGRADE_CUDA(cudaMemcpy(tables_[t].maps.get(), maps.data(),
                                                  maps.size() * sizeof(device::TableMap),
                                                  cudaMemcpyHostToDevice));
            !status)
            return status.error();
    }
    EventPair events;
    if (auto status = CUGRADE_CUDA(cudaDeviceSynchronize()); !status) return status.error();
    if (auto status = events.begin(); !status) return status.error();
    if (auto status = fill_inputs(&Column::inputs); !status) return status.error();
    return events.end_us();
}

Result<double> GpuRounds::prepare(Runner& runner) {
    runner.poison = secret_bits();
    if (runner.calls < sets_) runner.first = (runner.first + runner.calls) % sets_;
    for (std::size_t c = 0; c < columns_.size(); ++c)
        if (columns_[c].spec->role != Role::input)
            if (auto status = CUGRADE_CUDA(device::poison(
                    runner.buffers[c].get(), runner.blocks(columns_[c]).total(), runner.poison));
                !status)
                return status.error();
    if (auto status = CUGRADE_CUDA(cudaDeviceSynchronize()); !status) return status.error();
    // From here on the runner's data is in place, and every step is timed.
    EventPair events;
    if (auto status = events.begin(); !status) return status.error();
    if (is_submission(runner))
        if (auto status = fill_inputs(&Column::given); !status) return status.error();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const Column& column = columns_[c];
        if (column.spec->role != Role::inout || column.rows == 0) continue;
        if (auto status = CUGRADE_CUDA(device::make_column(
                runner.buffers[c].get(), runner.blocks(column), column.base.get(),
                tables_[column.table].maps.get<device::TableMap>() + runner.first, column.rows,
                column.row_bytes));
            !status)
            return status.error();
    }
    if (auto status = flush_caches(); !status)
        return status.error();  // last, so that the caches hold nothing of the sets
    return events.end_us();
}

Status GpuRounds::flush_caches() {
    if (auto status = CUGRADE_CUDA(
            device::poison(scratch_.get(), std::min(scratch_bytes_, 2 * cache_bytes()), 1));
        !status)
        return status.error();
    return Done{};
}

Status GpuRounds::small_kernel(double& us) {
    const auto start = Clock::now();
    if (auto status = CUGRADE_CUDA(device::poison(words_.get(), sizeof(std::uint64_t), 0)); !status)
        return status.error();
    cudaError_t state = cudaErrorNotReady;
    while ((state = cudaStreamQuery(nullptr)) == cudaErrorNotReady)
        if (us_since(start) > 5000) break;  // the runner must be stopped anyway
    us = us_since(start);
    if (state != cudaErrorNotReady)
        if (auto status = CUGRADE_CUDA(state); !status) return status.error();
    return Done{};
}

/// Other work on the GPU makes one of these kernels wait for it and for two context switches.
Status GpuRounds::small_kernels(double& longest_us) {
    const auto start = Clock::now();
    const double duration_us =
        shortest_wait_us + static_cast<double>(secret_bits() % 1024) / 1024 * more_wait_us;
    longest_us = 0;
    while (us_since(start) < duration_us) {
        double us = 0;
        if (auto status = small_kernel(us); !status) return status.error();
        longest_us = std::max(longest_us, us);
    }
    return Done{};
}

Status GpuRounds::answer() {
    if (!has_reference()) return Done{};
    Runner& runner = runners_[reference];
    const auto prepared = prepare(runner);
    if (!prepared) return prepared.error();
    auto answer = call(runner, runner.calls);
    if (!answer) return answer.error();
    auto outcome = charged(reference, outcome_of(*answer));
    if (!outcome) return outcome.error();
    if (auto status = runner.connection->pause(); !status) return status.error();
    outcome = check(runner, false);
    if (!outcome) return outcome.error();
    return Done{};
}

Result<Rounds::Before> GpuRounds::prepare_alone() {
    runners_[baseline].connection->keep_processor_awake();  // as before a round with calls
    const auto give_us = prepare(runners_[submission]);
    if (!give_us) return give_us.error();
    Before out{.give_us = *give_us};
    if (auto status = small_kernels(out.ready_us); !status) return status.error();
    return out;
}

Result<Rounds::Timed> GpuRounds::time(Who who) {
    Runner& runner = runners_[who];
    runner.connection->keep_processor_awake();
    const auto give_us = prepare(runner);
    if (!give_us) return give_us.error();
    Timed out;
    out.before.give_us = *give_us;
    auto answer = call(runner, runner.calls, [&] { return small_kernels(out.before.ready_us); });
    if (!answer) return answer.error();
    auto outcome = charged(who, outcome_of(*answer));
    if (!outcome) return outcome.error();
    out.outcome = std::move(*outcome);
    if (out.outcome.verdict == Verdict::accepted) {
        if (auto status = small_kernel(out.settle_us); !status) return status.error();
        if (auto status = runner.connection->pause(); !status) return status.error();
        if (answer->values.size() == 1)
            std::memcpy(&out.claim_us, answer->values.data(), sizeof out.claim_us);
        if (answer->values.size() != 1 || !std::isfinite(out.claim_us)) {
            out.outcome.verdict = Verdict::tampering;
            out.outcome.message = "the runner did not report the time of its calls";
        }
        out.wall_us = 1e6 * answer->wall_s;
    }
    if (out.outcome.verdict == Verdict::accepted) {
        auto checked = check(runner, has_reference());
        if (!checked) return checked.error();
        out.outcome = std::move(*checked);
    }
    if (out.outcome.verdict == Verdict::accepted && is_submission(runner) && verified_) {
        auto checked = verify(runner);
        if (!checked) return checked.error();
        out.outcome = std::move(*checked);
    }
    return out;
}

bool GpuRounds::moved(Who who) {
    return runners_[who].connection && runners_[who].connection->moved();
}

std::optional<std::string> GpuRounds::throttled() const { return monitor_->throttled(); }

double GpuRounds::now_s() const {
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

std::uint64_t GpuRounds::random_bits() { return secret_bits(); }

void GpuRounds::end_all() {
    for (Runner* runner : runners()) runner->connection->kill();  // none waits for another's end
    for (Runner& runner : runners_) runner.connection.reset();
}

void GpuRounds::end_submission() { runners_[submission].connection.reset(); }

}  // namespace cugrade
