// Provenance in the JSON of sweeps and rooflines.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/provenance.hpp"

namespace cugrade::report {

/// Appends the members "backend" to "started", and "basis": "modelled" or "measured". "driver" is
/// left out where it is unknown.
void add_provenance(nlohmann::ordered_json& object, const Provenance&);

}  // namespace cugrade::report
