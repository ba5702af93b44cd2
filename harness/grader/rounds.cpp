#include "grader/rounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include <fmt/format.h>
#include <sys/random.h>

#include "core/clock.hpp"
#include "grader/in_parallel.hpp"
#include "grader/memory_roof.hpp"
#include "grader/sampling.hpp"
#include "oracles.hpp"

namespace cugrade {
namespace {

constexpr int empty_rounds = 3;  // to begin with: each round with calls is followed by one
/// A round without a call may take so much longer than the baseline's after the submission's end
/// (as long as that is not known: the submission's, than the baseline's): 1 % of a round with
/// calls.
constexpr double empty_slack_us = 50;
/// It takes a quarter of a millisecond. Who is slower so often, and twice as often as the baseline,
/// is so by itself.
constexpr double longest_empty_s = 0.1;
constexpr int most_slow_empties = 5;
/// Small kernels run before the clock starts for a random time from this on, so much more at most.
constexpr double shortest_wait_us = 100, more_wait_us = 500;
/// Of the buffer that bandwidth is measured on, and that caches are flushed with.
constexpr std::uint64_t largest_scratch = std::uint64_t{1} << 30;

double us_since(Clock::time_point start) { return 1e6 * seconds_since(start); }

}  // namespace

std::uint64_t secret_bits() {
    std::uint64_t out = 0;
    if (::getrandom(&out, sizeof out, 0) != sizeof out)
        throw HarnessFault("the operating system gives no random bits");
    return out;
}

Error failure_of_ours(const char* who, const TimingRun& run, const std::string& why) {
    return Error{.message = fmt::format("the {} of {}/{} fails on its timed case: {}", who,
                                        run.task->assignment->id, run.task->task->name, why),
                 .remedy = "run `cugrade doctor`"};
}

Rounds::Rounds(const TimingRun& run)
    : run_(run), task_(*run.task->task), data_(run.timed_case->data) {
    const TaskOracle* oracle = reference::find_oracle(run.task->assignment->id, task_.name);
    verified_ = oracle != nullptr && oracle->verify != nullptr;
    for (const TableColumn& layout : table_columns(task_, data_)) {
        Column column{layout};
        if (column.rows > 0 && column.table == tables_.size())
            tables_.push_back({.rows = column.rows, .maps = {}});
        const auto& expected = run.timed_case->expected;
        const auto answer = std::ranges::find(expected, column.spec->name, &Expected::argument);
        if (answer != expected.end()) {
            column.unique = true;
            // Both differ from the right answer by as much as that.
            for (const double bound : answer->bound)
                column.bound = std::max(column.bound, 2 * bound);
        }
        columns_.push_back(std::move(column));
    }
}

Rounds::~Rounds() {
    end_all();  // importers go before exporters
}

std::vector<Rounds::Runner*> Rounds::runners() {
    std::vector<Runner*> out;
    for (Runner& runner : runners_)
        if (runner.connection) out.push_back(&runner);
    return out;
}

std::uint64_t Rounds::bytes_per_set() const {
    std::uint64_t out = 0;
    for (const Column& column : columns_) {
        const std::uint64_t stride = device::Blocks::of(column.data->bytes.size(), 1).stride;
        // The submission has inputs of its own, and each runner that is there its outputs.
        out += (column.spec->role == Role::input || verified_ ? 2 : 3) * stride;
    }
    return out;
}

std::uint64_t Rounds::bytes_per_call() const {
    std::uint64_t out = 0;
    for (const Column& column : columns_) out += column.data->bytes.size();
    return out;
}

std::uint64_t Rounds::moved_per_call() const {
    std::uint64_t out = 0;
    for (const Column& column : columns_)
        if (std::ranges::find(task_.moves, column.spec->name) != task_.moves.end())
            out += column.data->bytes.size();
    return out;
}

Status Rounds::open_runner(Runner& runner, const SessionOptions& options) {
    runner.options = &options;
    auto connection = RunnerConnection::start(options, {});
    if (!connection) return connection.error();
    runner.connection = std::move(*connection);
    return Done{};
}

Status Rounds::open() {
    const GpuInfo& gpu = run_.submission.device;
    CUGRADE_TRY(cudaSetDevice(gpu.index));
    std::size_t free = 0, all = 0;
    CUGRADE_TRY(cudaMemGetInfo(&free, &all));
    free_before_ = free;
    monitor_id_ = "GPU-" + gpu.id;
    for (const std::size_t dash : {12, 17, 22, 27}) monitor_id_.insert(dash, "-");
    CUGRADE_TRY_STATUS(open_runner(runners_[baseline], run_.baseline));
    CUGRADE_TRY_STATUS(open_runner(runners_[submission], run_.submission));
    if (has_reference())
        CUGRADE_TRY_STATUS(
            open_runner(runners_[reference], run_.reference ? *run_.reference : run_.baseline));
    for (Column& column : columns_) {
        if (column.spec->role == Role::output) continue;
        auto base = DeviceMemory::of(column.data->bytes.size());
        if (!base) return base.error();
        column.base = std::move(*base);
        CUGRADE_TRY(cudaMemcpy(column.base.get(), column.data->bytes.data(),
                               column.data->bytes.size(), cudaMemcpyHostToDevice));
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
    CUGRADE_TRY(cudaDeviceSynchronize());
    for (Runner* runner : runners()) {
        auto defined = runner->connection->has_function(task_);  // waits for it to have started
        if (!defined) return defined.error();
    }
    return Done{};
}

Result<double> Rounds::bandwidth() {
    CUGRADE_TRY(device::poison(scratch_.get(), scratch_bytes_, 1));
    return read_bandwidth(scratch_.get(), scratch_bytes_, words_.get<std::uint32_t>());
}

Result<CallOutcome> Rounds::attach_runner(Runner& runner) {
    std::vector<const ExportedMemory*> exported;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const Column& column = columns_[c];
        exported.push_back(column.spec->role != Role::input ? &runner.buffers[c]
                           : is_submission(runner)          ? &column.given
                                                            : &column.inputs);
    }
    // The baseline, which is the first, has just done the same.
    auto attachment = attach(*runner.connection, exported, is_submission(runner));
    if (!attachment) return attachment.error();
    runner.addresses = std::move(attachment->addresses);
    return attachment->outcome;
}

Result<CallOutcome> Rounds::resize(const Plan& plan) {
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
    CUGRADE_TRY(cudaMemGetInfo(&free, &all));
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

std::vector<std::uint64_t> Rounds::arguments(const Runner& runner) const {
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

Result<RunnerConnection::Answer> Rounds::call(Runner& runner, std::uint32_t calls,
                                              const RunnerConnection::BeforeGo& before_go) {
    return runner.connection->timed_calls(task_.name, arguments(runner), calls,
                                          runner.options->limits.wall_s, before_go);
}

Result<CallOutcome> Rounds::charged(Who who, CallOutcome outcome, const std::string& when) const {
    if (who == submission || outcome.verdict == Verdict::accepted) return outcome;
    return failure_of_ours(who == reference && run_.reference ? "solution" : "baseline", run_,
                           when + outcome.message + outcome.said);
}

Result<CallOutcome> Rounds::time_empty(Who who) {
    Runner& runner = runners_[who];
    runner.connection->keep_processor_awake();
    // As a round with calls: the caches are cold, and the GPU has to change from the grader's
    // context to the runner's.
    CUGRADE_TRY_STATUS(flush_caches());
    CUGRADE_TRY(cudaDeviceSynchronize());
    double not_used = 0;
    auto answer = call(runner, 0, [&] { return small_kernels(not_used); });
    if (!answer) return answer.error();
    auto outcome = charged(who, outcome_of(*answer));
    if (!outcome || outcome->verdict != Verdict::accepted) return outcome;
    CUGRADE_TRY_STATUS(runner.connection->pause());
    if (answer->wall_s > longest_empty_s) {
        slow_empty_s_ += answer->wall_s;
        ++runner.slow_empties;
        const int mine = runners_[submission].slow_empties;
        if (mine >= most_slow_empties && mine > 2 * runners_[baseline].slow_empties)
            return CallOutcome{
                .verdict = Verdict::time_limit,
                .message = fmt::format("{} times the submission's process took over {:g} s to "
                                       "answer although none of its functions was called",
                                       mine, longest_empty_s),
                .location = {}};
    }
    const bool alone = !runners_[submission].connection;
    (alone ? empty_alone_us_ : runner.empty_us).push_back(1e6 * answer->wall_s);
    return outcome;
}

Result<CallOutcome> Rounds::calibrate() {
    for (Runner* runner : runners()) {
        CUGRADE_TRY_STATUS(runner->connection->pause());
        runner->empty_us.clear();
    }
    for (int i = 0; i < empty_rounds; ++i)
        for (const Runner* runner : runners()) {
            auto outcome = time_empty(who_is(*runner));
            if (!outcome || outcome->verdict != Verdict::accepted) return outcome;
        }
    return CallOutcome{};
}

/// `what`: of the times of rounds without a call. Little is gained by making them take long, by
/// work that is left on the GPU or by answering late: two honest processes differ by as much as
/// this.
template <class F>
double Rounds::of_empties(Who who, F&& what) const {
    const double own = what(runners_[who].empty_us);
    if (who != submission) return own;
    return std::min(own, what(runners_[baseline].empty_us) + empty_slack_us);
}

double Rounds::empty_us(Who who) const {
    if (empty_alone_us_.empty()) return of_empties(who, median);
    return std::min(median(runners_[who].empty_us), median(empty_alone_us_) + empty_slack_us);
}

double Rounds::audit_us(Who who, const Timed& timed) const {
    return std::max(timed.wall_us - empty_us(who), 0.001);
}

double Rounds::most_us(Who who, const Timed& timed) const {
    return std::max(timed.wall_us - of_empties(who, std::ranges::min), 0.001);
}

Status Rounds::fill_inputs(ExportedMemory Column::*copy) {
    for (const Column& column : columns_) {
        if (column.spec->role != Role::input) continue;
        void* const to = (column.*copy).get();
        CUGRADE_TRY(device::make_column(
            to, column.blocks, column.base.get(),
            tables_.empty() ? nullptr : tables_[column.table].maps.get<device::TableMap>(),
            column.rows, column.row_bytes));
        CUGRADE_TRY(device::fill_guards(to, column.blocks, guard_seed_));
    }
    return Done{};
}

Result<double> Rounds::make() {
    round_ = secret_bits();
    guard_seed_ = secret_bits();
    for (std::size_t t = 0; t < tables_.size(); ++t) {
        std::vector<device::TableMap> maps;
        for (std::uint32_t set = 0; set < 2 * sets_; ++set)
            maps.push_back(
                device::table_map(device::table_seed(round_, set % sets_, t), tables_[t].rows));
        CUGRADE_TRY(cudaMemcpy(tables_[t].maps.get(), maps.data(),
                               maps.size() * sizeof(device::TableMap), cudaMemcpyHostToDevice));
    }
    EventPair events;
    CUGRADE_TRY(cudaDeviceSynchronize());
    CUGRADE_TRY_STATUS(events.begin());
    CUGRADE_TRY_STATUS(fill_inputs(&Column::inputs));
    return events.end_us();
}

Result<double> Rounds::prepare(Runner& runner) {
    runner.poison = secret_bits();
    if (runner.calls < sets_) runner.first = (runner.first + runner.calls) % sets_;
    for (std::size_t c = 0; c < columns_.size(); ++c)
        if (columns_[c].spec->role != Role::input)
            CUGRADE_TRY(device::poison(runner.buffers[c].get(), runner.blocks(columns_[c]).total(),
                                       runner.poison));
    CUGRADE_TRY(cudaDeviceSynchronize());
    // From here on the runner's data is there, and all of this is timed.
    EventPair events;
    CUGRADE_TRY_STATUS(events.begin());
    if (is_submission(runner)) CUGRADE_TRY_STATUS(fill_inputs(&Column::given));
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const Column& column = columns_[c];
        if (column.spec->role != Role::inout || column.rows == 0) continue;
        CUGRADE_TRY(
            device::make_column(runner.buffers[c].get(), runner.blocks(column), column.base.get(),
                                tables_[column.table].maps.get<device::TableMap>() + runner.first,
                                column.rows, column.row_bytes));
    }
    CUGRADE_TRY_STATUS(flush_caches());  // last, so that nothing of the sets is in them
    return events.end_us();
}

Status Rounds::flush_caches() {
    CUGRADE_TRY(device::poison(scratch_.get(), std::min(scratch_bytes_, 2 * cache_bytes()), 1));
    return Done{};
}

Status Rounds::small_kernel(double& us) {
    const auto start = Clock::now();
    CUGRADE_TRY(device::poison(words_.get(), sizeof(std::uint64_t), 0));
    cudaError_t state = cudaErrorNotReady;
    while ((state = cudaStreamQuery(nullptr)) == cudaErrorNotReady)
        if (us_since(start) > 5000) break;  // it is to be stopped all the same
    us = us_since(start);
    if (state != cudaErrorNotReady) CUGRADE_TRY(state);
    return Done{};
}

/// Other work that runs meanwhile makes one of them wait for it, and for two changes of context.
Status Rounds::small_kernels(double& longest_us) {
    const auto start = Clock::now();
    const double duration_us =
        shortest_wait_us + static_cast<double>(secret_bits() % 1024) / 1024 * more_wait_us;
    longest_us = 0;
    while (us_since(start) < duration_us) {
        double us = 0;
        CUGRADE_TRY_STATUS(small_kernel(us));
        longest_us = std::max(longest_us, us);
    }
    return Done{};
}

Status Rounds::answer() {
    if (!has_reference()) return Done{};
    Runner& runner = runners_[reference];
    const auto prepared = prepare(runner);
    if (!prepared) return prepared.error();
    auto answer = call(runner, runner.calls);
    if (!answer) return answer.error();
    auto outcome = charged(reference, outcome_of(*answer));
    if (!outcome) return outcome.error();
    CUGRADE_TRY_STATUS(runner.connection->pause());
    outcome = check(runner, false);
    if (!outcome) return outcome.error();
    return Done{};
}

Result<Rounds::Before> Rounds::prepare_alone() {
    runners_[baseline].connection->keep_processor_awake();  // as another's is before its round
    const auto give_us = prepare(runners_[submission]);
    if (!give_us) return give_us.error();
    Before out{.give_us = *give_us};
    CUGRADE_TRY_STATUS(small_kernels(out.ready_us));
    return out;
}

Result<Rounds::Timed> Rounds::time(Who who) {
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
        CUGRADE_TRY_STATUS(small_kernel(out.settle_us));
        CUGRADE_TRY_STATUS(runner.connection->pause());
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

bool Rounds::moved(Who who) {
    return runners_[who].connection && runners_[who].connection->moved();
}

Status Rounds::find_changes(std::vector<std::uint64_t>& changes) {
    std::ranges::fill(changes, none);
    const std::size_t bytes = changes.size() * sizeof changes[0];
    auto* const on_device = words_.get<std::uint64_t>();
    CUGRADE_TRY(cudaMemcpy(on_device, changes.data(), bytes, cudaMemcpyHostToDevice));
    for (std::size_t c = 0; c < columns_.size(); ++c)
        if (columns_[c].spec->role == Role::input)
            CUGRADE_TRY(device::first_difference(columns_[c].given.get(), columns_[c].inputs.get(),
                                                 columns_[c].blocks.total(), on_device + c));
    CUGRADE_TRY(cudaMemcpy(changes.data(), on_device, bytes, cudaMemcpyDeviceToHost));
    return Done{};
}

Result<CallOutcome> Rounds::check(Runner& runner, bool against_reference) {
    CallOutcome out;
    // Outputs before all else: nothing shall have the time to be finished.
    std::vector<Found> found(columns_.size());
    auto* const on_device = words_.get<Found>();
    CUGRADE_TRY(
        cudaMemcpy(on_device, found.data(), found.size() * sizeof(Found), cudaMemcpyHostToDevice));
    for (std::size_t c = 0; against_reference && c < columns_.size(); ++c) {
        const Column& column = columns_[c];
        if (!column.unique) continue;
        CUGRADE_TRY(device::compare(column.data->dtype, runner.buffers[c].get(),
                                    runner.blocks(column), runners_[reference].buffers[c].get(),
                                    column.blocks, runner.first, runner.calls, column.bound,
                                    runner.poison, &on_device[c].difference));
    }
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const Column& column = columns_[c];
        if (column.spec->role != Role::input)
            CUGRADE_TRY(device::check_guards(runner.buffers[c].get(), runner.blocks(column),
                                             runner.poison, &on_device[c].guard));
    }
    CUGRADE_TRY(
        cudaMemcpy(found.data(), on_device, found.size() * sizeof(Found), cudaMemcpyDeviceToHost));
    std::vector<std::uint64_t> changes(columns_.size(), none);
    if (is_submission(runner)) {
        if (auto status = find_changes(changes); !status) return status.error();
        if (changes != std::vector(columns_.size(), none)) {
            // Unless it is a program of ours that has changed its own.
            auto against_new = changes;
            CUGRADE_TRY_STATUS(fill_inputs(&Column::inputs));
            if (auto status = find_changes(against_new); !status) return status.error();
            if (against_new == std::vector(columns_.size(), none))
                return failure_of_ours("baseline or solution", run_, "it changes its inputs");
        }
    }
    std::uint64_t wrong = 0, unwritten = 0, elements = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const Column& column = columns_[c];
        if (found[c].guard != none ||
            (changes[c] != none && !column.blocks.in_contents(changes[c]))) {
            out.verdict = Verdict::out_of_bounds;
            out.message = fmt::format("a kernel wrote outside of `{}` ({} bytes)",
                                      column.spec->name, column.blocks.bytes);
            return charged(who_is(runner), std::move(out));
        }
        if (changes[c] != none) {
            out.verdict = Verdict::wrong_answer;
            out.message = fmt::format("the input `{}` was changed; it is const", column.spec->name);
            return out;
        }
        if (column.unique) {
            wrong += found[c].difference.wrong;
            unwritten += found[c].difference.unwritten;
            elements += column.data->size() * runner.calls;
        }
    }
    if (wrong > 0) {
        out.verdict =
            (wrong - unwritten) * 64 <= wrong ? Verdict::unwritten_output : Verdict::wrong_answer;
        out.message = fmt::format("{} of {} elements are wrong, on other data than the case's",
                                  wrong, elements);
    }
    return charged(who_is(runner), std::move(out));
}

TimedSet Rounds::name_set(const Runner& runner, std::uint32_t call) const {
    return {.round = round_,
            .set = set_of(runner, call),
            .call = call,
            .poison = runner.poison,
            .outputs = {}};
}

const std::byte* Rounds::output_of(const Runner& runner, std::size_t column,
                                   std::uint32_t call) const {
    return runner.buffers[column].get<std::byte>() + columns_[column].blocks.offset(call);
}

template <class F>
Result<Outputs> Rounds::read_outputs(F&& at) const {
    Outputs out;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const Column& column = columns_[c];
        if (column.spec->role == Role::input) continue;
        Array array(column.data->dtype, column.data->shape);
        CUGRADE_TRY(
            cudaMemcpy(array.bytes.data(), at(c), array.bytes.size(), cudaMemcpyDeviceToHost));
        out.emplace(column.spec->name, std::move(array));
    }
    return out;
}

Result<CallOutcome> Rounds::verify(const Runner& runner) {
    const auto threads = static_cast<int>(std::thread::hardware_concurrency());
    std::vector<TimedSet> left(runner.calls);
    auto status = in_parallel(left.size(), threads, [&](std::size_t i) -> Status {
        CUGRADE_TRY(cudaSetDevice(run_.submission.device.index));  // a thread begins with the first
        const auto call = static_cast<std::uint32_t>(i);
        auto outputs = read_outputs([&](std::size_t c) { return output_of(runner, c, call); });
        if (!outputs) return outputs.error();
        left[i] = name_set(runner, call);
        left[i].outputs = std::move(*outputs);
        return Done{};
    });
    if (!status) return status.error();
    // When all are read, not before: no output shall have the time to be finished.
    std::vector<CallOutcome> judged(left.size());
    status = in_parallel(left.size(), threads, [&](std::size_t i) -> Status {
        auto one = judge_set(*run_.task->assignment, data_, left[i]);
        if (!one) return one.error();
        judged[i] = std::move(*one);
        return Done{};
    });
    if (!status) return status.error();
    CallOutcome out;
    for (CallOutcome& one : judged)
        if (worst(one.verdict, out.verdict) != out.verdict) out = std::move(one);
    return out;
}

Status Rounds::keep(std::uint32_t call) {
    kept_.resize(2);
    // The reference's calls have their sets' numbers.
    const std::uint32_t calls[] = {call, set_of(runners_[submission], call)};
    const Runner* const whose[] = {&runners_[submission], &runners_[reference]};
    for (std::size_t i = 0; i < kept_.size(); ++i) {
        kept_[i].set = name_set(*whose[i], calls[i]);
        kept_[i].outputs.resize(columns_.size());
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            if (columns_[c].spec->role == Role::input) continue;
            const std::size_t bytes = columns_[c].data->bytes.size();
            DeviceMemory& to = kept_[i].outputs[c];
            if (to.get() == nullptr) {
                auto memory = DeviceMemory::of(bytes);
                if (!memory) return memory.error();
                to = std::move(*memory);
            }
            CUGRADE_TRY(cudaMemcpy(to.get(), output_of(*whose[i], c, calls[i]), bytes,
                                   cudaMemcpyDeviceToDevice));
        }
    }
    CUGRADE_TRY(cudaDeviceSynchronize());
    return Done{};
}

Result<KeptSet> Rounds::read_kept() const {
    KeptSet out;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
        auto outputs = read_outputs([&](std::size_t c) { return kept_[i].outputs[c].get(); });
        if (!outputs) return outputs.error();
        TimedSet& set = i == 0 ? out.submission : out.reference;
        set = kept_[i].set;
        set.outputs = std::move(*outputs);
    }
    return out;
}

void Rounds::end_all() {
    for (Runner* runner : runners()) runner->connection->kill();  // none waits for another's end
    for (Runner& runner : runners_) runner.connection.reset();
}

void Rounds::end_submission() { runners_[submission].connection.reset(); }

}  // namespace cugrade
