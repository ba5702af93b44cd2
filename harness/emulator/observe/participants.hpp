// Finds barriers and warp-level instructions that some lanes leave out, and uses of values that a
// shuffle has read from such lanes.
//
// Theory of operation. Hardware does not wait for lanes that have ended. If some lanes of a warp
// end before a barrier, or before a shuffle whose mask names them, the kernel finishes all the
// same. PTX requires whole warps at a barrier and all named lanes at a shuffle, so the kernel is
// wrong, though no device of today shows it. A warp that has ended as a whole misses no barrier.
// Votes and bar.warp.sync leave ended lanes out by definition, so their masks may name ended lanes.
// All warp-level instructions require that the mask names the lane that executes them.
//
// A shuffle may ask a lane that takes no part; most trees of shuffles do so in their tail. The
// value that it gets is undefined, and an error only where it is used: see UndefinedValues.
#pragma once

#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "emulator/observe/findings.hpp"
#include "emulator/observe/partings.hpp"
#include "emulator/observe/undefined_values.hpp"

namespace cugrade::emulator {

class Participants final : public UndefinedFinder {
public:
    Participants(Findings&, UndefinedValues&);

    // As Observer's.
    void launch_started(const Launch&);
    void block_started(const Block&);
    void parted(const Warp&, const Ins*, std::uint32_t mask, std::uint32_t taken);
    void arrived(const Warp&, const Ins*, std::uint32_t mask, std::uint32_t barrier);
    void ended(const Warp&, const Ins*, std::uint32_t mask);
    void exchanged(const Warp&, const Ins*, std::uint32_t group, std::uint32_t members);
    void asked_in_vain(const Warp&, const Ins*, std::uint32_t mask, const ShuffleSources&);

    bool is_mere_copy(const Warp&, const Ins*, const Access&, const UndefinedStore&) override;
    void used(const Warp&, const Ins*, std::uint32_t lane, UndefinedOrigin, ValueUse) override;

private:
    /// Why a lane that a shuffle asks takes no part.
    enum class Absence : std::uint8_t { no_thread, ended, elsewhere, unnamed };
    /// A lane's shuffle asks another lane, which takes no part.
    struct Question {
        const Ins* shuffle = nullptr;
        std::uint32_t reader = 0, source = 0;
        Absence why = Absence::no_thread;
        const Ins* left_at = nullptr;  ///< where the source went another way, if it did
        bool operator<(const Question& o) const {
            return std::tie(shuffle, reader, source, why, left_at) <
                   std::tie(o.shuffle, o.reader, o.source, o.why, o.left_at);
        }
    };

    void barrier_left_out(const Warp&, const Ins*, std::uint32_t waiting, std::uint32_t gone);
    void shuffle_left_out(const Warp&, const Ins*, std::uint32_t group, std::uint32_t members,
                          std::uint32_t gone);
    void not_named(const Warp&, const Ins*, std::uint32_t outsiders, std::uint32_t members);
    [[nodiscard]] std::string reason(const Question&) const;
    /// True if the same was reported before; then it is counted once more.
    bool is_known(FindingKind, const Ins*, const Ins*);
    void report(Finding, const Warp&, const Ins*, std::uint32_t lane, const Ins* second);

    Findings& findings_;
    Partings partings_;
    UndefinedValues& undefined_;
    const Launch* launch_ = nullptr;
    bool has_meetings_ = false;        ///< the program has barriers or shuffles
    std::vector<Question> questions_;  ///< by number of UndefinedOrigin, from 1
    std::map<Question, UndefinedOrigin> known_questions_;
    std::map<std::tuple<FindingKind, const Ins*, const Ins*>, std::size_t> reported_;
    /// By shuffle: the lanes that an earlier finding has reported as missing.
    std::map<const Ins*, std::uint32_t> left_out_;
};

}  // namespace cugrade::emulator
