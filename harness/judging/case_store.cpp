#include "judging/case_store.hpp"

#include <algorithm>

#include <unistd.h>

#include "judging/task_runner.hpp"

namespace cugrade {
namespace {

constexpr std::uint64_t most_kept_bytes = std::uint64_t{1} << 30;
constexpr std::uint64_t share_of_memory = 8;
/// Bytes of a prepared case per byte of its arrays: answers, bounds and poison come on top.
constexpr std::uint64_t with_answers = 3;

std::uint64_t physical_bytes() {
    const auto pages = ::sysconf(_SC_PHYS_PAGES), page_bytes = ::sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0
               ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes)
               : 0;
}

}  // namespace

Result<const AnsweredCase*> MadeCase::answered() {
    if (!answered_) {
        auto expected = expected_answer(*assignment_, case_.data);
        if (!expected) return expected.error();
        auto verified = is_verified(*assignment_, *case_.data.task);
        if (!verified) return verified.error();
        case_.expected = std::move(*expected);
        case_.verified = *verified;
        answered_ = true;
    }
    return &case_;
}

Result<const Outputs*> MadeCase::poison() {
    if (!poison_) {
        auto poison = poison_for(*case_.data.task, case_.data);
        if (!poison) return poison.error();
        poison_ = std::move(*poison);
    }
    return &*poison_;
}

const std::string& MadeCase::sha256() {
    if (sha256_.empty()) sha256_ = hash_inputs(case_.data);
    return sha256_;
}

Status MadeCase::complete() {
    if (auto made = answered(); !made) return made.error();
    if (auto made = poison(); !made) return made.error();
    (void)sha256();
    return Done{};
}

bool CaseMemory::take(std::uint64_t bytes) {
    const auto wanted = static_cast<std::int64_t>(bytes);
    if (free_.fetch_sub(wanted) >= wanted) return true;
    free_ += wanted;
    return false;
}

CaseMemory& CaseMemory::of_process() {
    static CaseMemory memory(std::min(most_kept_bytes, physical_bytes() / share_of_memory));
    return memory;
}

CaseStore::CaseStore(const AssignmentSpec& assignment, const TaskSpec& task,
                     const GradeOptions& options, CaseMemory& memory)
    : assignment_(assignment), task_(task), options_(options), memory_(memory) {}

CaseStore::~CaseStore() {
    for (const auto& [spec, entry] : entries_) memory_.give_back(entry.taken);
}

/// Cases that need a GPU are neither checked nor counted, so only the timed one is needed again.
bool CaseStore::is_asked_again(const CaseSpec& spec) const {
    return !spec.needs_gpu || &spec == task_.timed_case();
}

Result<std::shared_ptr<MadeCase>> CaseStore::find(const CaseSpec& spec) {
    Entry& entry = entries_[&spec];
    if (entry.kept) return entry.kept;
    auto data = make_case(assignment_, task_, spec, options_);
    if (!data) return data.error();
    entry.bytes = total_bytes(*data);
    auto made = std::make_shared<MadeCase>(assignment_, std::move(*data));
    if (is_asked_again(spec) && memory_.take(with_answers * entry.bytes)) {
        entry.kept = made;
        entry.taken = with_answers * entry.bytes;
    }
    return made;
}

bool CaseStore::prepare(const CaseSpec& spec) {
    double bytes = 0;
    for (const ArgumentSpec& argument : task_.arguments)
        if (argument.role != Role::scalar)
            bytes += elements_of(argument, spec) * static_cast<double>(size_of(argument.dtype));
    const double wanted = with_answers * bytes;
    if (!is_asked_again(spec) || !(wanted < static_cast<double>(most_kept_bytes))) return false;
    // What is free may be taken by another grading before this one does: then the case is made
    // twice.
    const auto needed = static_cast<std::uint64_t>(wanted);
    if (!memory_.take(needed)) return false;
    memory_.give_back(needed);
    const auto made = find(spec);
    if (made) (void)(*made)->complete();
    return true;
}

std::optional<std::size_t> CaseStore::bytes_of(const CaseSpec& spec) const {
    const auto entry = entries_.find(&spec);
    if (entry == entries_.end()) return std::nullopt;
    return entry->second.bytes;
}

}  // namespace cugrade
