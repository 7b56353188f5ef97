// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// usage: upsweep_describe DIRECTORY
// Writes the tool's manual pages and completions into the directory, which exists.
#include <cstdio>
#include <fstream>
#include <string>

#include "cli/info_command.hpp"
#include "packaging/completions.hpp"
#include "packaging/man_pages.hpp"

namespace {

bool write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) std::fprintf(stderr, "upsweep_describe: cannot write %s\n", path.c_str());
  return !file.fail();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace packaging;
  if (argc != 2) {
    std::fputs("usage: upsweep_describe DIRECTORY\n", stderr);
    return 2;
  }
  const std::string directory = std::string(argv[1]) + "/";
  const std::vector<command_entry> commands = describe_tool();
  bool good = write(directory + "upsweep.bash", bash_completion(commands)) &&
              write(directory + "_upsweep", zsh_completion(commands)) &&
              write(directory + "upsweep.fish", fish_completion(commands));
  for (const command_entry& command : commands)
    good = good && write(directory + page_name(commands, command) + ".1",
                         man_page(commands, command, cli::version()));
  return good ? 0 : 1;
}
