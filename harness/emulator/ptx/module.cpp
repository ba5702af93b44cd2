#include "emulator/ptx/module.hpp"

namespace cugrade::ptx {

std::unique_ptr<Module> copy_of(std::shared_ptr<const Module> original) {
    auto out = std::make_unique<Module>();
    out->target = original->target;
    out->is_debug = original->is_debug;
    out->version_major = original->version_major;
    out->version_minor = original->version_minor;
    out->files = original->files;
    out->inlined_calls = original->inlined_calls;
    out->variables = original->variables;
    out->functions = original->functions;
    out->original = std::move(original);
    return out;
}

}  // namespace cugrade::ptx
