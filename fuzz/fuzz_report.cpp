// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The input is a file for `upsweep report`. What is accepted makes a page whose tags are closed and
// whose text from the file is none of them; a bench that is accepted is not slower than itself.
#include <string>
#include <vector>

#include "fuzz/fuzz_check.hpp"
#include "report/bad_input.hpp"
#include "report/baseline.hpp"
#include "report/page.hpp"

namespace {

using upsweep::report::documents;

// Whether each tag of the pictures and tables is closed where it should be.
void check_tags(std::string_view page) {
  std::vector<std::string_view> open;
  std::size_t scripts = 0;
  for (std::size_t at = page.find('<'); at != page.npos; at = page.find('<', at + 1)) {
    const std::string_view rest = page.substr(at + 1);
    const bool ends = rest.starts_with('/');
    const std::size_t begin = ends ? 1 : 0;
    const std::string_view name = rest.substr(begin, rest.find_first_of(" >\n/", begin) - begin);
    const std::size_t end = rest.find('>');
    fuzz::demand(end != rest.npos, "a tag does not end");
    if (name == "script" || name == "style") {  // text of the page's own, which has no tags
      scripts += name == "script";
      at = page.find(name == "script" ? "</script>" : "</style>", at);
    } else if (ends) {
      fuzz::demand(!open.empty() && open.back() == name,
                   "closed, but not open: " + std::string(name));
      open.pop_back();
    } else if (rest[end - 1] != '/' && name != "meta" && name != "input" && name != "!DOCTYPE") {
      open.push_back(name);
    }
  }
  fuzz::demand(open.empty() && scripts == 1, "tags are open, or there are more scripts");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  documents all;
  try {
    all.add("x.json", fuzz::text_of(data, size));
    std::string page = upsweep::report::page_of(all);
    if (fuzz::is_fault_planted()) page.insert(page.find("</main>"), "</b>");
    check_tags(page);
    for (const auto& bench : all.benches) {
      const auto same = upsweep::report::compare(bench, bench);
      fuzz::demand(same.slower == 0 && same.faster == 0 && same.machines.empty() &&
                       same.pairs.size() == bench.results.size(),
                   "a bench differs from itself");
    }
  } catch (const upsweep::report::bad_input& failure) {
    fuzz::demand(std::string_view(failure.what()).starts_with("x.json: "),
                 "no name in the message");
  }
  return 0;
}
