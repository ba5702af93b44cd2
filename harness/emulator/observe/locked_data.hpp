// Finds uses of data outside of the lock that protects them.
//
// Theory of operation. A word that threads store while they hold one and the same lock is protected
// by it: the lockset of Eraser (Savage et al., TOCS 1997), of stores only. Two uses without that lock
// lose what others do in between: a thread reads the word before it takes the lock, others store, and
// it stores without having read again; and a thread that has stored reads the word when the lock is
// given back, and somebody else has stored since. That a word is volatile excuses neither, so the race
// detector, for which volatile may be meant, does not tell of them. Words that were read before any
// thread has stored them are not followed, nor is shared memory. Only asked for where a result is
// wrong: there are programs in which such a read is meant.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emulator/observe/findings.hpp"
#include "emulator/observe/locks.hpp"

namespace cugrade::emulator {

class LockedData {
public:
    LockedData(Findings& findings, const Locks& locks) : findings_(findings), locks_(locks) {}

    void launch_started(const Launch&);
    void accessed(const Warp&, const Ins*, const Access&);

private:
    struct Read {
        Locks::Thread thread = 0;
        const Ins* load = nullptr;
        bool is_overtaken = false;  ///< another thread has stored since
    };
    struct Word {
        std::vector<std::uint64_t> locks;  ///< held at all stores
        Locks::Thread storer = 0;          ///< the last one
        const Ins* store = nullptr;
        std::vector<Read> reads;           ///< without any of the locks, of threads that may store
        std::unordered_set<Locks::Thread> storers;
    };

    void stored(const Warp&, const Ins*, std::uint32_t lane, std::uint64_t address);
    void loaded(const Warp&, const Ins*, std::uint32_t lane, std::uint64_t address, Word&);
    void report(const Warp&, std::uint32_t lane, const Ins* load, const Word&, std::uint64_t address,
                bool was_before);

    Findings& findings_;
    const Locks& locks_;
    const Launch* launch_ = nullptr;
    std::unordered_map<std::uint64_t, Word> words_;
};

}  // namespace cugrade::emulator
