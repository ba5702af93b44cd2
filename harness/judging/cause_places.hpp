// The line to edit, and causes that the source and the compiler's warnings tell.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/outcome.hpp"
#include "core/spec.hpp"
#include "judging/hypotheses.hpp"
#include "judging/source_code.hpp"

namespace cugrade {

/// What to do, where a pattern of wrong elements alone suggests the cause.
[[nodiscard]] std::string_view advice_for(std::string_view id);

/// A task and its submission's source.
class CodeOfTask {
public:
    CodeOfTask(const TaskSpec& task, std::span<const SourceFile> source);

    /// Moves the cause from where the execution shows it to where it is edited: to the computation
    /// of the number of blocks, to the declaration of the sum, behind the statement that something
    /// goes after. Stays where it is if the source does not tell.
    void place(Cause&) const;
    /// Moves a cause that shows only where there is nothing to do to where the task's function leaves.
    void place_at_early_return(Cause&) const;

    /// Can the task's function come by the line? Yes if that is not known.
    [[nodiscard]] bool reaches(const SourceLocation&) const;
    /// Whether the task's function, or what it calls and launches, calls one of these.
    [[nodiscard]] bool calls_any(std::initializer_list<std::string_view> functions) const;
    /// What the compiler has warned of, in functions of the task.
    [[nodiscard]] std::vector<Cause> warned_of(std::string_view compiler_output) const;
    /// What the way in which the cases differ suggests, together with the source. Likely.
    [[nodiscard]] std::optional<Cause> by_cases(const TaskOutcome&, const Symptoms&) const;
    /// What the patterns of wrong elements suggest. Likely.
    [[nodiscard]] std::optional<Cause> by_pattern(const Symptoms&) const;
    /// Whether all cases up to some size are right, and all larger ones fail.
    [[nodiscard]] bool fails_from_a_size_on(const Symptoms& e) const {
        return sizes_that_fail(e).has_value();
    }
    /// A variable that begins as 0 and is only multiplied or and-ed.
    [[nodiscard]] std::optional<Cause> zero_that_stays() const;
    /// What the source alone suggests where results differ between schedules. Likely.
    [[nodiscard]] std::optional<Cause> by_text(const Symptoms&) const;
    /// An element that is kept in a variable nobody uses, and read again after it was overwritten.
    [[nodiscard]] std::optional<Cause> unused_copy() const;

private:
    [[nodiscard]] bool takes_locks() const;
    [[nodiscard]] std::optional<Cause> read_after_release() const;
    [[nodiscard]] std::optional<Cause> read_before_taking() const;
    [[nodiscard]] std::optional<Cause> looked_at_first() const;
    [[nodiscard]] std::optional<Cause> swap_not_repeated() const;
    [[nodiscard]] std::optional<Cause> launched_at_once() const;
    using Lines = std::vector<int>;
    [[nodiscard]] const SourceCode* code_at(const SourceLocation&) const;
    [[nodiscard]] Lines uses(const SourceCode&, Role, SourceCode::Use,
                             std::string_view argument = {}) const;
    [[nodiscard]] Lines only_plane_index(const SourceCode&) const;
    [[nodiscard]] Lines reads_of_copy(const SourceCode&, std::string_view argument) const;
    [[nodiscard]] std::optional<Cause> tail(const Symptoms&, const TaskOutcome&) const;
    [[nodiscard]] std::optional<Cause> halving(const Symptoms&) const;
    [[nodiscard]] std::optional<Cause> unrolled_rest(const Symptoms&) const;
    [[nodiscard]] std::optional<Cause> whole_number(const Symptoms&) const;
    [[nodiscard]] std::optional<Cause> policy(const Symptoms&, const TaskOutcome&) const;
    [[nodiscard]] SourceLocation narrow_shared_sum() const;
    [[nodiscard]] SourceLocation float_sum() const;
    [[nodiscard]] SourceLocation rounded_down() const;
    [[nodiscard]] int device_variable(const SourceCode&) const;
    [[nodiscard]] int ticket_never_reset(const SourceCode&) const;
    [[nodiscard]] std::optional<std::pair<std::string, double>> sizes_that_fail(
        const Symptoms&) const;
    [[nodiscard]] double first_failing(const Symptoms&, const std::string& size) const;
    void place_policy(std::string_view name, double value, Cause&) const;
    [[nodiscard]] bool place_at_specialisation(double value, Cause&) const;
    void place_at_choice(Cause&) const;
    void place_missing_check(const SourceCode&, Cause&) const;
    void place_kept_state(Cause&) const;
    void place_child(Cause&) const;
    void place_unset_output(Cause&) const;
    [[nodiscard]] int only_line_counting_down(const SourceCode&) const;
    void place_order(Cause&) const;
    void place_result(Cause&) const;
    void place_halo(const SourceCode&, Cause&) const;

    const TaskSpec& task_;
    std::vector<SourceCode> code_;
};

}  // namespace cugrade
