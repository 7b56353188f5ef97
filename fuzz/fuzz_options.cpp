// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lines of the input are the words of a command line. It is parsed, but no subcommand runs;
// then each word is read as a type, a device, sizes and a shape. Nothing but a failure may come of
// it.
#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "cli/bench_plan.hpp"
#include "cli/command_line.hpp"
#include "cli/device_choice.hpp"
#include "cli/dtype.hpp"
#include "cli/failure.hpp"
#include "fuzz/fuzz_check.hpp"

namespace {

template <class Parse>
bool is_accepted(const Parse& parse) {
  try {
    parse();
    return true;
  } catch (const cli::failure& failure) {
    fuzz::demand(*failure.what() != '\0', "a failure without a message");
    fuzz::demand(failure.status == cli::exit_status::usage, "a failure that is not about usage");
    return false;
  }
}

// Thrown where a subcommand would run: its options have been read and checked.
struct parsed {};

void parse_line(const std::vector<std::string>& words) {
  std::vector<const char*> argv{"upsweep"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  const auto app = cli::make_command_line();
  for (CLI::App* sub : app->get_subcommands([](const CLI::App*) { return true; }))
    sub->parse_complete_callback([] { throw parsed(); });
  const auto argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  try {
    cli::parse_command_line(*app, argc, argv.data());
  } catch (const parsed&) {
  }
}

void parse_word(const std::string& word) {
  if (const auto type = cli::parse_dtype(word))
    fuzz::demand(!cli::name_of(type->type).empty(), "a type without a name");
  is_accepted([&] { cli::parse_device(word); });
  is_accepted([&] {
    const std::vector<std::size_t> sizes = cli::bench::sizes_of(word);
    fuzz::demand(!sizes.empty() && sizes.size() <= 64 * word.size(), "strange sizes");
  });
  is_accepted([&] { cli::bench::shape_of(word, 1); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::cout.setstate(std::ios::failbit);  // a help that is asked for is not printed
  std::string_view text = fuzz::text_of(data, size);
  std::vector<std::string> words;
  while (!text.empty() && words.size() < 100)
    words.emplace_back(std::string(fuzz::take_line(text)).c_str());  // up to a 0, as main gets it
  const bool accepted = is_accepted([&] { parse_line(words); });
  fuzz::demand(!accepted || !fuzz::is_fault_planted(), "planted: the line is accepted");
  for (const std::string& word : words) parse_word(word);
  return 0;
}
