// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cli::bench {

// upsweep bench --baseline OLD.json NEW.json: prints what is slower or faster in the second run,
// and writes it as JSON where a file is named. files are both. Throws failure for a bad file, and
// with the status of a failed verification when an engine of upsweep is slower.
void compare_with_baseline(const std::vector<std::string>& files,
                           const std::optional<std::string>& json);

}  // namespace cli::bench
