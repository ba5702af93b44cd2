#include "emulator/observe/races.hpp"

#include "emulator/observe/race_detector.hpp"

namespace cugrade::emulator {

Races::Races(Findings& findings) : detector_(std::make_unique<races::Detector>(findings)) {}
Races::~Races() = default;
void Races::launch_started(const Launch& l) { detector_->launch_started(l); }
void Races::launch_ended(const Launch&) {}
void Races::block_started(const Block& b) { detector_->block_started(b); }
void Races::block_ended(const Block& b) { detector_->block_ended(b); }
void Races::accessed(const Warp& w, const Ins* i, const Access& a) { detector_->accessed(w, i, a); }
void Races::fenced(const Warp& w, const Ins*, std::uint32_t mask, Scope s) {
    detector_->fenced(w, mask, s);
}
void Races::arrived(const Warp& w, const Ins*, std::uint32_t mask, std::uint32_t barrier) {
    detector_->arrived(w, mask, barrier);
}
void Races::released(const Block& b, std::uint32_t barrier) { detector_->released(b, barrier); }
void Races::warp_synchronised(const Warp& w, const Ins*, std::uint32_t mask) {
    detector_->warp_synchronised(w, mask);
}

}  // namespace cugrade::emulator
