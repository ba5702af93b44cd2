// A barrier, a barrier of the warp, or a fence, where the source has none.
//
// After a line with an access: behind its last instruction in the same straight line of code. All
// threads have to come by a barrier, and below a branch not all do; the compiler may even have no
// place where they meet again, because without a barrier it needs none. So a barrier is inserted as
// a meeting (state/warp.hpp), which does not wait for those that cannot come. For the barrier of a
// warp, the places where the paths of a branch meet again are offered, too, from each branch around
// the line outwards. A barrier of the source can become a meeting as well.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "emulator/interventions/accesses.hpp"
#include "emulator/interventions/code.hpp"
#include "emulator/interventions/code_change.hpp"
#include "emulator/interventions/flow.hpp"
#include "emulator/interventions/instruction_change.hpp"
#include "emulator/interventions/rewriter.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;

enum Insertion : std::int64_t { before_line = -1, after_line = 0 };  ///< from 1 on: where paths meet

struct Form {
    InterventionKind kind;
    std::string instruction;
    std::string_view name;
};

/// Where one can be inserted, and how that reads.
struct Spot {
    std::uint32_t instruction = 0;
    std::int64_t value = 0;
    Place place;
    std::string text;
};

bool same_line(const Instruction& a, const Instruction& b) {
    return a.source.file == b.source.file && a.source.line == b.source.line;
}

class Spots {
public:
    Spots(const ptx::Module& module, const Function& f, bool only_stores)
        : module_(module),
          function_(f),
          accesses_(module, f),
          only_stores_(only_stores),
          successors_(successors_of(f)),
          first_(first_of_lines(f, successors_)) {}

    std::vector<Spot> at_lines(std::string_view name) {
        std::vector<Spot> all;
        for (std::uint32_t n = 0; n < function_.instructions.size(); ++n) {
            if (!is_wanted(n) || is_followed(n)) continue;
            const auto place = line_of(function_.instructions[n]);
            if (!place) continue;
            all.push_back({last_of_line(n), after_line, *place,
                           fmt::format("{} after line {}", name, place->line)});
            if (!only_stores_ && !is_preceded(n) && touches_shared(first_of_line(n), n))
                all.push_back({first_of_line(n), before_line, *place,
                               fmt::format("{} before line {}", name, place->line)});
        }
        return all;
    }

    std::vector<Spot> at_meetings(std::string_view name) {
        std::map<std::uint32_t, Region> by_meeting;
        const std::vector<std::uint32_t> meetings = meetings_of(successors_);
        for (std::uint32_t n = 0; n < successors_.size(); ++n) {
            if (successors_[n].size() < 2 || leaves_at_once(meetings[n])) continue;
            Region region = region_of(successors_, n, meetings[n]);
            if (std::ranges::none_of(region.inside, [&](auto i) { return is_wanted(i); })) continue;
            Region& widest = by_meeting[region.meeting];
            // A loop that may have no round has a branch before it, too.
            region.is_loop = region.is_loop || widest.is_loop;
            widest.is_loop = region.is_loop;
            if (region.inside.size() > widest.inside.size()) widest = std::move(region);
        }
        std::vector<Region> regions;
        for (auto& [meeting, region] : by_meeting) regions.push_back(std::move(region));
        std::ranges::stable_sort(regions, {}, [](const Region& r) { return r.inside.size(); });
        std::vector<Spot> all;
        std::vector<const Region*> listed;
        for (const Region& region : regions) {
            const auto place = last_line_of(region);
            if (!place || goes_on(region.meeting, *place)) continue;
            // Branches that are not inside of each other are one branch of a loop that was
            // unrolled.
            std::int64_t outwards = 1;
            for (std::size_t n = 0; n < all.size(); ++n)
                if (all[n].place == *place && contains(region, *listed[n]))
                    outwards = std::max(outwards, all[n].value + 1);
            listed.push_back(&region);
            all.push_back({region.meeting, outwards, *place,
                           fmt::format("{} after the {} that ends in line {}", name,
                                       region.is_loop ? "loop" : "branch", place->line)});
        }
        return all;
    }

private:
    [[nodiscard]] bool is_wanted(std::uint32_t n) const {
        const Instruction& i = function_.instructions[n];
        return accesses_.is_common(i) && (!only_stores_ || access_of(i)->stores);
    }

    /// Is there another access of the line behind the place where the paths meet? Then that is no
    /// place behind the line: `s[t] = i < n ? in[i] : 0`.
    [[nodiscard]] bool goes_on(std::uint32_t meeting, const Place& line) const {
        for (std::uint32_t n = meeting; n < function_.instructions.size(); ++n) {
            const auto here = line_of(function_.instructions[n]);
            if (!here || !here->same_line(line)) return false;
            if (is_wanted(n)) return true;
        }
        return false;
    }

    [[nodiscard]] bool touches_shared(std::uint32_t first, std::uint32_t last) const {
        return std::any_of(function_.instructions.begin() + first,
                           function_.instructions.begin() + last + 1,
                           [&](const Instruction& i) { return accesses_.is_shared(i); });
    }

    static bool contains(const Region& outer, const Region& inner) {
        return std::ranges::binary_search(outer.inside, inner.branch);
    }

    /// The place without its column: an edit inserts a line.
    [[nodiscard]] std::optional<Place> line_of(const Instruction& i) const {
        auto place = own_place(module_, i);
        if (place) place->column = 0;
        return place;
    }

    /// Is there another access of the same line behind it, so that it still belongs to the same
    /// execution of the line? A loop that is unrolled repeats its line, which mostly ends with a
    /// store.
    [[nodiscard]] bool is_followed(std::uint32_t n) const {
        if (access_of(function_.instructions[n])->stores) return false;
        // `s[t] = i < n ? in[i] : 0` parts the threads between the load and the store.
        for (std::uint32_t k = n + 1; k < function_.instructions.size(); ++k) {
            if (!same_line(function_.instructions[k], function_.instructions[n])) break;
            if (is_wanted(k)) return true;
        }
        return false;
    }

    /// Is there an access of the same line in front of its straight line of code? Then that begins
    /// in the middle of the line.
    [[nodiscard]] bool is_preceded(std::uint32_t n) const {
        for (std::uint32_t k = first_of_line(n); k-- > 0;) {
            if (!same_line(function_.instructions[k], function_.instructions[n])) break;
            if (is_wanted(k)) return true;
        }
        return false;
    }

    [[nodiscard]] std::uint32_t last_of_line(std::uint32_t n) const {
        const Instruction& of = function_.instructions[n];
        if (access_of(of)->stores) return n;
        while (n + 1 < function_.instructions.size() && !first_[n + 1] &&
               same_line(function_.instructions[n + 1], of) &&
               !leaves(function_.instructions[n + 1]))
            ++n;
        return n;
    }
    [[nodiscard]] std::uint32_t first_of_line(std::uint32_t n) const {
        const Instruction& of = function_.instructions[n];
        while (!first_[n] && same_line(function_.instructions[n - 1], of) &&
               !(is_wanted(n - 1) && access_of(function_.instructions[n - 1])->stores))
            --n;
        return n;
    }

    [[nodiscard]] bool leaves_at_once(std::uint32_t n) const {
        while (n < function_.instructions.size() && function_.instructions[n].opcode == "bra" &&
               function_.instructions[n].guard < 0 && successors_[n][0] > n)
            n = successors_[n][0];
        return n >= function_.instructions.size() ||
               ptx::is_any_of(function_.instructions[n].opcode, {"ret", "exit"});
    }

    /// The last line of the file in which the branch is. What was inlined from elsewhere counts as
    /// the line of the call.
    [[nodiscard]] std::optional<Place> last_line_of(const Region& region) const {
        const Instruction& branch = function_.instructions[region.branch];
        auto place = line_of(branch);
        if (!place) return place;
        const bool is_inlined = branch.inlined_at.file >= 0;
        for (const std::uint32_t n : region.inside) {
            const Instruction& i = function_.instructions[n];
            const ptx::SourceLine& line =
                !is_inlined && i.inlined_at.file >= 0 ? i.inlined_at : i.source;
            if (line.file == branch.source.file) place->line = std::max(place->line, line.line);
        }
        return place;
    }

    const ptx::Module& module_;
    const Function& function_;
    const Accesses accesses_;
    const bool only_stores_;
    const std::vector<std::vector<std::uint32_t>> successors_;
    const std::vector<bool> first_;
};

class Synchronisation final : public CodeChange {
public:
    explicit Synchronisation(Form form) : form_(std::move(form)) {}
    InterventionKind kind() const override { return form_.kind; }

    std::vector<Intervention> list(const ptx::Module& module) const override {
        const bool is_fence = form_.kind == InterventionKind::fence;
        std::vector<Intervention> all;
        for (const Function& f : module.functions) {
            if (f.is_declaration || f.instructions.size() > most_instructions) continue;
            Spots spots(module, f, is_fence);
            const auto add = [&](const Spot& spot) {
                all.push_back({.kind = kind(),
                               .function = std::string(f.name),
                               .instruction = spot.instruction,
                               .value = spot.value,
                               .place = spot.place,
                               .text = spot.text});
            };
            for (const Spot& spot : spots.at_lines(form_.name)) add(spot);
            if (is_fence) continue;
            for (const Spot& spot : spots.at_meetings(form_.name)) add(spot);
        }
        return all;
    }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        Rewriter rewriter(module, f);
        std::vector<ptx::Operand> operands;
        if (form_.kind == InterventionKind::barrier) operands = {Rewriter::immediate(0)};
        if (form_.kind == InterventionKind::warp_barrier)
            operands = {Rewriter::immediate(0xFFFFFFFF)};
        std::vector made{
            rewriter.make(form_.instruction, operands, f.instructions[one.instruction])};
        made.front().is_meeting = form_.kind == InterventionKind::barrier;
        if (one.value == after_line)
            rewriter.insert_after(one.instruction, made);
        else
            rewriter.insert_before(one.instruction, made);
    }

private:
    Form form_;
};

/// A barrier of the source becomes a meeting, too: as if those who go another way came by.
class Meeting final : public InstructionChange {
public:
    InterventionKind kind() const override { return InterventionKind::meeting; }

    void apply(ptx::Module& module, const Intervention& one) const override {
        body_of(module, one.function)->instructions[one.instruction].is_meeting = true;
    }

protected:
    bool takes_inlined() const override { return true; }

    std::vector<Choice> choices(const Function& f, std::uint32_t n) const override {
        if (!is_block_barrier(f, f.instructions[n])) return {};
        return {{0, "a barrier that waits for nobody who stays away", n}};
    }
};

}  // namespace

std::unique_ptr<CodeChange> make_barrier_change() {
    return std::make_unique<Synchronisation>(
        Form{InterventionKind::barrier, "bar.sync", "a barrier"});
}
std::unique_ptr<CodeChange> make_warp_barrier_change() {
    return std::make_unique<Synchronisation>(
        Form{InterventionKind::warp_barrier, "bar.warp.sync", "a `__syncwarp()`"});
}
std::unique_ptr<CodeChange> make_meeting_change() { return std::make_unique<Meeting>(); }
std::unique_ptr<CodeChange> make_fence_change() {
    return std::make_unique<Synchronisation>(
        Form{InterventionKind::fence, "membar.gl", "a `__threadfence()`"});
}

}  // namespace cugrade::emulator
