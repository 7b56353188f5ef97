// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/device_choice.hpp"

#include <fmt/format.h>

#include <charconv>

#include "cli/failure.hpp"
#include "cli/printable.hpp"

namespace cli {

device_choice parse_device(std::string_view word) {
  using kind = device_choice::kind;
  if (word == "auto") return {kind::automatic};
  if (word == "cpu") return {kind::cpu};
  if (word == "cuda") return {kind::cuda};
  if (word.starts_with("cuda:")) {
    const char *first = word.data() + 5, *last = word.data() + word.size();
    device_choice choice{kind::cuda};
    const auto [end, error] = std::from_chars(first, last, choice.index);
    if (error == std::errc() && end == last) return choice;
  }
  throw usage_failure(fmt::format("--device: '{}' is none of auto, cpu, cuda, cuda:0, cuda:1 ...",
                                  printable(std::string(word))));
}

const device_description& device_of(const device_survey& found, const device_choice& asked) {
  const std::size_t count = found.devices.size();
  if (count == 0)
    throw run_time_failure(fmt::format("--device cuda: {}: {}", found.reason, found.remedy));
  if (asked.index >= count)
    throw usage_failure(
        fmt::format("--device cuda:{}: this machine has {} GPU{}: {}", asked.index, count,
                    count == 1 ? "" : "s",
                    count == 1 ? "cuda:0" : fmt::format("cuda:0 to cuda:{}", count - 1)));
  return found.devices[asked.index];
}

}  // namespace cli
