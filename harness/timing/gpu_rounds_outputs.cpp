// Checks the outputs that a round left in the GPU's memory: the second half of GpuRounds.
//
// A round is checked while its runner is stopped, all on the GPU: outputs are compared with the
// reference's, guard bands and the submission's inputs with their earlier contents. Outputs of
// tasks with many right answers are read back and judged on the CPU instead. keep() sets one call's
// outputs aside, for the oracle to judge when the GPU has been given back.
#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "core/in_parallel.hpp"
#include "timing/gpu_rounds.hpp"

namespace cugrade {

Status GpuRounds::find_changes(std::vector<std::uint64_t>& changes) {
    std::ranges::fill(changes, none);
    const std::size_t bytes = changes.size() * sizeof changes[0];
    auto* const on_device = words_.get<std::uint64_t>();
    if (auto status =
            CUGRADE_CUDA(cudaMemcpy(on_device, changes.data(), bytes, cudaMemcpyHostToDevice));
        !status)
        return status.error();
    for (std::size_t c = 0; c < columns_.size(); ++c)
        if (columns_[c].spec->role == Role::input)
            if (auto status = CUGRADE_CUDA(
                    device::first_difference(columns_[c].given.get(), columns_[c].inputs.get(),
                                             columns_[c].blocks.total(), on_device + c));
                !status)
                return status.error();
    if (auto status =
            CUGRADE_CUDA(cudaMemcpy(changes.data(), on_device, bytes, cudaMemcpyDeviceToHost));
        !status)
        return status.error();
    return Done{};
}

Result<CallOutcome> GpuRounds::check(Runner& runner, bool against_reference) {
    CallOutcome out;
    // Check outputs first, so that late work has no time to finish them.
    std::vector<Found> found(columns_.size());
    auto* const on_device = words_.get<Found>();
    if (auto status = CUGRADE_CUDA(cudaMemcpy(on_device, found.data(), found.size() * sizeof(Found),
                                              cudaMemcpyHostToDevice));
        !status)
        return status.error();
    for (std::size_t c = 0; against_reference && c < columns_.size(); ++c) {
        const Column& column = columns_[c];
        if (!column.unique) continue;
        if (auto status = CUGRADE_CUDA(device::compare(
                column.data->dtype, runner.buffers[c].get(), runner.blocks(column),
                runners_[reference].buffers[c].get(), column.blocks, runner.first, runner.calls,
                column.bound, runner.poison, &on_device[c].difference));
            !status)
            return status.error();
    }
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const Column& column = columns_[c];
        if (column.spec->role != Role::input)
            if (auto status = CUGRADE_CUDA(
                    device::check_guards(runner.buffers[c].get(), runner.blocks(column),
                                         runner.poison, &on_device[c].guard));
                !status)
                return status.error();
    }
    if (auto status = CUGRADE_CUDA(cudaMemcpy(found.data(), on_device, found.size() * sizeof(Found),
                                              cudaMemcpyDeviceToHost));
        !status)
        return status.error();
    std::vector<std::uint64_t> changes(columns_.size(), none);
    if (is_submission(runner)) {
        if (auto status = find_changes(changes); !status) return status.error();
        if (changes != std::vector(columns_.size(), none)) {
            // If new inputs show no difference, a program of ours has changed its own inputs.
            auto against_new = changes;
            if (auto status = fill_inputs(&Column::inputs); !status) return status.error();
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

TimedSet GpuRounds::name_set(const Runner& runner, std::uint32_t call) const {
    return {.round = round_,
            .set = set_of(runner, call),
            .call = call,
            .poison = runner.poison,
            .outputs = {}};
}

const std::byte* GpuRounds::output_of(const Runner& runner, std::size_t column,
                                      std::uint32_t call) const {
    return runner.buffers[column].get<std::byte>() + columns_[column].blocks.offset(call);
}

template <class F>
Result<Outputs> GpuRounds::read_outputs(F&& at) const {
    Outputs out;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const Column& column = columns_[c];
        if (column.spec->role == Role::input) continue;
        Array array(column.data->dtype, column.data->shape);
        if (auto status = CUGRADE_CUDA(
                cudaMemcpy(array.bytes.data(), at(c), array.bytes.size(), cudaMemcpyDeviceToHost));
            !status)
            return status.error();
        out.emplace(column.spec->name, std::move(array));
    }
    return out;
}

Result<CallOutcome> GpuRounds::verify(const Runner& runner) {
    const auto threads = static_cast<int>(std::thread::hardware_concurrency());
    std::vector<TimedSet> left(runner.calls);
    auto status = in_parallel(left.size(), threads, [&](std::size_t i) -> Status {
        if (auto chosen = CUGRADE_CUDA(cudaSetDevice(run_.submission.device.index)); !chosen)
            return chosen.error();  // a new thread starts with device 0
        const auto call = static_cast<std::uint32_t>(i);
        auto outputs = read_outputs([&](std::size_t c) { return output_of(runner, c, call); });
        if (!outputs) return outputs.error();
        left[i] = name_set(runner, call);
        left[i].outputs = std::move(*outputs);
        return Done{};
    });
    if (!status) return status.error();
    // Judge only after all outputs are read, so that late work has no time to finish any.
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

Status GpuRounds::keep(std::uint32_t call) {
    kept_.resize(2);
    // A call of the reference has the number of its set.
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
            if (auto status = CUGRADE_CUDA(cudaMemcpy(to.get(), output_of(*whose[i], c, calls[i]),
                                                      bytes, cudaMemcpyDeviceToDevice));
                !status)
                return status.error();
        }
    }
    if (auto status = CUGRADE_CUDA(cudaDeviceSynchronize()); !status) return status.error();
    return Done{};
}

Result<KeptSet> GpuRounds::read_kept() const {
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

}  // namespace cugrade
