// A GPU that is not there, for time_rounds(): what is done takes as long as a test says, by a clock
// that only this moves. All times are microseconds of one call unless they say otherwise.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "timing/rounds.hpp"

class FakeRounds final : public cugrade::Rounds {
public:
    /// What a test may change; a round is told by its number since the last resize(), from 0 on.
    struct Machine {
        Facts gpu{.has_reference = true,
                  .bytes_per_set = 3 << 20,
                  .bytes_per_call = 2 << 20,
                  .moved_per_call = 2 << 20,
                  .room = std::uint64_t{3} << 30,
                  .most_sets = 256,
                  .cache_bytes = 1 << 20,
                  .device = "a GPU that is not there"};
        double bytes_per_us = 1e9;
        double baseline_us = 1000;
        std::function<double(int round)> submission_us = [](int) { return 100.0; };
        double claim_share = 0.99;
        double empty_us = 200;      ///< of the baseline and the reference
        double probe_empty_us = 0;  ///< by how much they are longer before the first resize()
        double submission_empty_us = 200;  ///< the same of the submission
        double make_us = 1000, give_us = 2000, ready_us = 20, settle_us = 180;
        /// What the submission's remains add to these while it is there.
        double make_more_us = 0, give_more_us = 0, ready_more_us = 0, settle_more_us = 0;
        /// By how much the baseline is slowed down while the submission is there.
        double baseline_slowdown = 1;
        /// How much longer all requests without calls take while the submission is there.
        double empty_more_us = 0;
        std::uint64_t seed = 7;  ///< of random_bits()
        double one_off_s = 0;    ///< the submission's first round of all takes so much longer
        double other_s = 0;      ///< what making inputs takes beside the GPU's own time
        /// `ask`: 0 before the round of either, 1 and 2 after them.
        std::function<bool(int round, int ask)> is_throttled = [](int, int) { return false; };
        std::function<bool(int round)> submission_moves = [](int) { return false; };
        std::function<bool(int round)> baseline_moves = [](int) { return false; };
        /// Of the submission's round; nothing where it is right.
        std::function<std::optional<cugrade::CallOutcome>(int round)> ends =
            [](int) -> std::optional<cugrade::CallOutcome> { return std::nullopt; };
    };

    explicit FakeRounds(Machine of) : machine(std::move(of)), random_(machine.seed) {}

    Machine machine;
    std::string fails_in;  ///< the step in which the harness itself fails, as `log` calls it

    // What was asked of it.
    std::vector<Plan> plans;
    std::vector<std::string> log;  ///< "make", "baseline", "submission", "keep", ..., in order
    std::vector<std::uint32_t> kept;
    std::vector<Who> emptied;
    int submission_rounds = 0;  ///< of all
    double began_s = 0, submission_ended_s = 0, alone_ended_s = 0;

    [[nodiscard]] Facts facts() const override { return machine.gpu; }
    cugrade::Result<double> begin() override {
        if (auto status = step("begin"); !status) return status.error();
        began_s = now_;
        return machine.bytes_per_us;
    }
    cugrade::Result<cugrade::CallOutcome> resize(const Plan& plan) override {
        if (auto status = step("resize"); !status) return status.error();
        plans.push_back(plan);
        calls_[baseline] = plan.of_baseline;
        calls_[submission] = plan.of_submission;
        calls_[reference] = plan.sets;
        round_ = -1;
        has_kept_ = false;
        return cugrade::CallOutcome{};
    }
    cugrade::Status stop_runners() override {
        if (auto status = step("stop"); !status) return status.error();
        return cugrade::Done{};
    }
    cugrade::Result<double> make() override {
        if (auto status = step("make"); !status) return status.error();
        ++round_;
        asked_ = 0;
        now_ += machine.other_s;
        return passes(machine.make_us + (ended_ ? 0 : machine.make_more_us));
    }
    cugrade::Status answer() override {
        if (auto status = step("answer"); !status) return status.error();
        if (machine.gpu.has_reference) passes(50.0 * calls_[reference]);
        return cugrade::Done{};
    }
    cugrade::Result<Timed> time(Who who) override {
        if (auto status = step(who == baseline ? "baseline" : "submission"); !status)
            return status.error();
        const bool mine = who == submission;
        if (mine)
            if (auto end = machine.ends(round_)) return Timed{.outcome = std::move(*end)};
        Timed out;
        out.before = {.give_us = machine.give_us + (mine ? machine.give_more_us : 0),
                      .ready_us = machine.ready_us + (mine ? machine.ready_more_us : 0)};
        const double slowdown = ended_ ? 1 : machine.baseline_slowdown;
        const double calls_us =
            calls_[who] * (mine ? machine.submission_us(round_) : slowdown * machine.baseline_us);
        out.wall_us = calls_us + (mine ? machine.submission_empty_us : machine.empty_us);
        if (mine && submission_rounds++ == 0) out.wall_us += 1e6 * machine.one_off_s;
        out.claim_us = machine.claim_share * calls_us;
        out.settle_us = machine.settle_us + (mine ? machine.settle_more_us : 0);
        passes(out.before.give_us + out.before.ready_us + out.wall_us + out.settle_us);
        return out;
    }
    cugrade::Result<Empty> time_empty(Who who) override {
        if (auto status = step("empty"); !status) return status.error();
        const double us = (who == submission ? machine.submission_empty_us : machine.empty_us) +
                          (plans.empty() ? machine.probe_empty_us : 0) +
                          (ended_ ? 0 : machine.empty_more_us);
        emptied.push_back(who);
        passes(us);
        return Empty{.outcome = {}, .wall_s = us / 1e6};
    }
    cugrade::Result<Before> prepare_alone() override {
        if (auto status = step("alone"); !status) return status.error();
        passes(machine.give_us + machine.ready_us);
        alone_ended_s = now_;
        return Before{.give_us = machine.give_us, .ready_us = machine.ready_us};
    }
    bool moved(Who who) override {
        return (who == baseline ? machine.baseline_moves : machine.submission_moves)(round_);
    }
    cugrade::Status keep(std::uint32_t call) override {
        if (auto status = step("keep"); !status) return status.error();
        kept.push_back(call);
        has_kept_ = true;
        return cugrade::Done{};
    }
    [[nodiscard]] bool has_kept() const override { return has_kept_; }
    void end_submission() override {
        log.emplace_back("end");
        ended_ = true;
        submission_ended_s = now_;
    }
    [[nodiscard]] std::uint32_t calls(Who who) const override { return calls_[who]; }
    [[nodiscard]] std::optional<std::string> throttled() const override {
        if (!machine.is_throttled(round_, asked_++)) return std::nullopt;
        return "it is hot";
    }
    [[nodiscard]] double now_s() const override { return now_; }
    std::uint64_t random_bits() override { return random_(); }

    [[nodiscard]] double sampled_s() const { return submission_ended_s - began_s; }

private:
    cugrade::Status step(const std::string& name) {
        log.push_back(name);
        if (name == fails_in) return cugrade::Error{.message = name + " fails"};
        return cugrade::Done{};
    }
    double passes(double us) {
        now_ += us / 1e6;
        return us;
    }

    double now_ = 12345;
    int round_ = -1;
    mutable int asked_ = 0;
    bool ended_ = false, has_kept_ = false;
    std::uint32_t calls_[3] = {1, 1, 1};
    std::mt19937_64 random_;
};
