// All checkers as one observer, which `--check` turns on.
#pragma once

#include <optional>

#include "emulator/observe/before_volta.hpp"
#include "emulator/observe/findings.hpp"
#include "emulator/observe/initialised.hpp"
#include "emulator/observe/locked_data.hpp"
#include "emulator/observe/locks.hpp"
#include "emulator/observe/participants.hpp"
#include "emulator/observe/races.hpp"
#include "emulator/observe/undefined_values.hpp"
#include "emulator/observe/unread_stores.hpp"

namespace cugrade::emulator {

class Checkers final : public Observer {
public:
    /// Construct it before the program allocates memory: DefinedMemory takes older allocations for
    /// written. `for_wrong_results`: also what may be meant, but is a mistake where a result is wrong.
    explicit Checkers(Memory& memory, bool for_wrong_results = false)
        : memory_(memory),
          races_(findings_),
          undefined_(memory),
          initialised_(findings_, undefined_),
          before_volta_(findings_),
          participants_(findings_, undefined_),
          locks_(findings_) {
        if (!for_wrong_results) return;
        locked_data_.emplace(findings_, locks_);
        unread_stores_.emplace();
    }

    [[nodiscard]] const Findings& findings() const { return findings_; }
    void clear() { findings_.clear(); }
    /// Is told that the program copies device memory to the host. If a launch has covered only part
    /// of the output, it is found here at the latest.
    void copied_to_host(std::uint64_t address, std::uint64_t bytes);
    /// The same of a copy within the device's memory.
    void copied_on_device(std::uint64_t from, std::uint64_t bytes) {
        if (unread_stores_) unread_stores_->read(from, bytes);
    }
    /// Of a program that has ended: what it has stored for nobody.
    [[nodiscard]] std::vector<Finding> unread(const UnreadStores::OwnAllocation& own) const {
        return unread_stores_ ? unread_stores_->findings(own) : std::vector<Finding>();
    }

    void launch_started(const Launch& l) override {
        races_.launch_started(l);
        undefined_.launch_started(l);
        initialised_.launch_started(l);
        before_volta_.launch_started(l);
        participants_.launch_started(l);
        locks_.launch_started(l);
        if (locked_data_) locked_data_->launch_started(l);
        if (unread_stores_) unread_stores_->launch_started(l);
    }
    void launch_ended(const Launch& l) override;
    void block_started(const Block& b) override {
        races_.block_started(b);
        undefined_.block_started(b);
        before_volta_.block_started(b);
        participants_.block_started(b);
    }
    void block_ended(const Block& b) override { races_.block_ended(b); }
    void accessed(const Warp& w, const Ins* i, const Access& a) override {
        races_.accessed(w, i, a);
        undefined_.accessed(w, i, a);
        if (a.taking != Access::Taking::no) before_volta_.accessed(w, i, a);
        locks_.accessed(w, i, a);
        if (locked_data_) locked_data_->accessed(w, i, a);
        if (unread_stores_) unread_stores_->accessed(w, i, a);
    }
    void parted(const Warp& w, const Ins* i, std::uint32_t mask, std::uint32_t taken) override {
        before_volta_.parted(w, i, mask, taken);
        participants_.parted(w, i, mask, taken);
    }
    void yielded(const Warp& w, const Ins* i, std::uint32_t mask) override {
        before_volta_.yielded(w, i, mask);
    }
    void fenced(const Warp& w, const Ins* i, std::uint32_t mask, Scope s) override {
        races_.fenced(w, i, mask, s);
    }
    void arrived(const Warp& w, const Ins* i, std::uint32_t mask, std::uint32_t barrier) override {
        races_.arrived(w, i, mask, barrier);
        participants_.arrived(w, i, mask, barrier);
    }
    void released(const Block& b, std::uint32_t barrier) override { races_.released(b, barrier); }
    void warp_synchronised(const Warp& w, const Ins* i, std::uint32_t mask) override {
        races_.warp_synchronised(w, i, mask);
    }
    void ended(const Warp& w, const Ins* i, std::uint32_t mask) override {
        participants_.ended(w, i, mask);
    }
    void exchanged(const Warp& w, const Ins* i, std::uint32_t group,
                   std::uint32_t members) override {
        undefined_.exchanged(w, i, group);
        participants_.exchanged(w, i, group, members);
        locks_.exchanged(w, i, group, members);
    }
    void asked_in_vain(const Warp& w, const Ins* i, std::uint32_t mask,
                       const ShuffleSources& sources) override {
        participants_.asked_in_vain(w, i, mask, sources);
    }
    void executed(const Warp& w, const Ins* i, std::uint32_t mask) override {
        undefined_.executed(w, i, mask);
    }
    void passed(const Warp& w, const std::byte* to, const Area& to_area, const std::byte* from,
                const Area& from_area) override {
        undefined_.passed(w, to, to_area, from, from_area);
    }
    void cleared(const Warp& w, const std::byte* frame, const std::vector<Operand>& rows) override {
        undefined_.cleared(w, frame, rows);
    }
    void consumed(const Warp& w, const Ins* i, std::uint32_t lane, std::uint64_t address,
                  std::uint32_t bytes) override {
        undefined_.consumed(w, i, lane, address, bytes);
    }

private:
    Memory& memory_;
    Findings findings_;
    Races races_;
    UndefinedValues undefined_;
    Initialised initialised_;
    BeforeVolta before_volta_;
    Participants participants_;
    Locks locks_;
    std::optional<LockedData> locked_data_;
    std::optional<UnreadStores> unread_stores_;
};

}  // namespace cugrade::emulator
