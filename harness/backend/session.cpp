#include "backend/session.hpp"

namespace cugrade {

Status Session::count(Counting) { return Error{.message = "only the emulated GPU counts"}; }
Result<emulator::DeviceCounts> Session::counts() { return count(Counting::plain).error(); }
Status Session::check(Checking) { return Error{.message = "only the emulated GPU has checkers"}; }
Result<emulator::FindingList> Session::findings() { return check().error(); }
Result<std::vector<emulator::Intervention>> Session::possible_interventions() {
    return Error{.message = "only the emulated GPU can change what a program does"};
}
bool Session::change(std::span<const emulator::Intervention>, std::uint64_t) { return false; }

}  // namespace cugrade
