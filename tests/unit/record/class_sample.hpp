// A class that was never graded, of any size: for the tests of its pages.
#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <vector>

#include "core/policy.hpp"
#include "record/class_view.hpp"

namespace cugrade::record {

/// The report of the student of this number, by its last digit: 2 suspicious, 3 a wrong answer,
/// 4 a data race in the first task, others right.
[[nodiscard]] Report sample_of(std::size_t number, std::size_t tasks);

class SampleClass {
public:
    /// Of every ten, one is not graded and one is missing.
    SampleClass(std::size_t students, std::size_t tasks);
    [[nodiscard]] const ClassView& view() const { return view_; }
    SampleClass(const SampleClass&) = delete;

private:
    void hand_in(Row&, std::size_t number, std::size_t tasks);
    std::deque<Report> reports_;
    GradingPolicy policy_;
    ClassView view_;
};

/// small/ and large/ (1,000 students), each an index.html, its pages and a leaderboard.html.
void write_sample_class(const std::filesystem::path& folder);

}  // namespace cugrade::record
