#include "report/formats.hpp"

namespace cugrade::report {

std::string write_json(const Report& report, const Style&) {
    return to_tree(presentable(report)).dump(2) + "\n";
}

}  // namespace cugrade::report
