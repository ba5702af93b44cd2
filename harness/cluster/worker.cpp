#include "cluster/worker.hpp"

#include <mutex>
#include <optional>
#include <set>
#include <thread>

namespace cugrade::cluster {
namespace {

class Work {
public:
    Work(const Stage& stage, const Plan& plan, const Worker& me,
         const std::function<std::string(const PlanItem&)>& grade)
        : stage_(stage), plan_(plan), me_(me), grade_(grade) {}

    /// Goes over all submissions again until none was free: others may be freed behind it.
    void run() {
        try {
            for (bool claimed = true; claimed;) {
                claimed = false;
                const std::set<std::size_t> taken = stage_.taken();
                for (std::size_t i = 0; i < plan_.items.size() && !failed(); ++i)
                    if (!taken.contains(i)) claimed |= work(i);
            }
        } catch (const HarnessFault& fault) {
            fail(fault.error());
        } catch (const std::exception& error) {
            fail({.message = error.what()});
        }
    }

    [[nodiscard]] Status status() const {
        if (error_) return *error_;
        return Done{};
    }

private:
    /// Whether it was free.
    bool work(std::size_t i) {
        if (stage_.has_result(i) || stage_.is_claimed(i)) return false;
        const auto claimed = stage_.claim(i, me_);
        if (!claimed) throw HarnessFault(claimed.error());
        // It may have been freed by one who did not see its result yet.
        if (!*claimed || stage_.has_result(i)) return false;
        if (auto left = stage_.leave(i, grade_(plan_.items[i])); !left)
            throw HarnessFault(left.error());
        return true;
    }

    bool failed() {
        const std::lock_guard lock(mutex_);
        return error_.has_value();
    }
    void fail(Error error) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::move(error);
    }

    const Stage& stage_;
    const Plan& plan_;
    const Worker& me_;
    const std::function<std::string(const PlanItem&)>& grade_;
    std::mutex mutex_;
    std::optional<Error> error_;
};

}  // namespace

Status work_on(const Stage& stage, const Plan& plan, const Worker& me, int at_once,
               const std::function<std::string(const PlanItem&)>& grade) {
    for (const auto& [item, claim] : stage.open_claims())
        if (claim.worker.task == me.task && claim.worker.start < me.start) stage.free(item);
    Work work(stage, plan, me, grade);
    {
        std::vector<std::jthread> threads;
        for (int t = 1; t < at_once; ++t) threads.emplace_back([&work] { work.run(); });
        work.run();
    }
    return work.status();
}

}  // namespace cugrade::cluster
