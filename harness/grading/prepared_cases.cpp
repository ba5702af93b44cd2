#include "grading/prepared_cases.hpp"

#include <exception>
#include <utility>

namespace cugrade {
namespace {

/// Until it is to stop, or there is no memory for a case.
void prepare(CaseStore& store, const std::vector<CaseSpec>& cases, const std::stop_token& stop) {
    for (const CaseSpec& spec : cases)
        if (stop.stop_requested() || (!spec.needs_gpu && !store.prepare(spec))) return;
}

}  // namespace

PreparedCases::PreparedCases(const std::vector<std::unique_ptr<CaseStore>>& stores, bool models,
                             std::function<void()> then)
    : thread_([&stores, models, then = std::move(then)](const std::stop_token& stop) {
          try {
              for (const auto& store : stores) prepare(*store, store->task().cases, stop);
              for (const auto& store : stores)
                  if (models) prepare(*store, store->task().model, stop);
          } catch (const std::exception&) {
              // The phase that asks for the case meets the same, and tells of it.
          }
          then();
      }) {}

void PreparedCases::stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
}

}  // namespace cugrade
