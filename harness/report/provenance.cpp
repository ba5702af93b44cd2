#include "report/provenance.hpp"

#include <nlohmann/json.hpp>

namespace cugrade::report {

void add_provenance(nlohmann::ordered_json& object, const Provenance& provenance) {
    object["backend"] = provenance.backend;
    object["basis"] = provenance.times_modelled ? "modelled" : "measured";
    object["device"] = provenance.device;
    if (!provenance.driver.empty()) object["driver"] = provenance.driver;
    object["toolkit"] = provenance.toolkit;
    object["cugrade_version"] = provenance.cugrade_version;
    object["started"] = provenance.started;
}

}  // namespace cugrade::report
