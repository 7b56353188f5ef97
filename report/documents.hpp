// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that a report is made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/bench_data.hpp"
#include "report/fields.hpp"
#include "report/lab_data.hpp"

namespace upsweep::report {

struct documents {
  std::vector<bench_file> benches;
  std::vector<lab_run> runs;
  std::vector<lab_model> models;
  std::vector<lab_banks> banks;
  std::vector<lab_trace> traces;
  std::vector<lab_check> checks;

  struct added {
    std::string path, program, name;  // the name is that in the documents
  };
  std::vector<added> files;          // as they were added
  std::vector<nlohmann::json> seen;  // what each of them holds

  // Files whose JSON is that of another one, however it is written; that one alone is shown.
  struct copy {
    std::string path, of;
  };
  std::vector<copy> copies;

  // Adds what the text of a file holds, or that it is a copy. It is told by its field "program".
  // Throws bad_input for what is no JSON, is of another program, lacks a field or is too large; all
  // is then as it was.
  void add(const std::string& file, std::string_view text);

  // Calls the documents by the names of their files without the folders, for captions, except where
  // two files would have one name. When all are added.
  void shorten_names();
};

// Which program has written a document. Throws bad_input when it does not say so.
std::string program_of(const field& document);

}  // namespace upsweep::report
