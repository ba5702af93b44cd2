// What a cugrade has that was built without libarchive.
#include "handin/unpack.hpp"

namespace cugrade::handin {

bool can_unpack() { return false; }

Result<Unpacked> unpack(const std::filesystem::path&, const std::filesystem::path&, const Limits&) {
    return Error{.message = "this cugrade was built without libarchive, so it opens no archive",
                 .remedy = "unpack it into a folder of this name"};
}

}  // namespace cugrade::handin
