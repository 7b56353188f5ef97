// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/stream_task.hpp"

#include "cli/array_writer.hpp"
#include "cli/element_stream.hpp"
#include "cli/job_setup.hpp"
#include "cli/memory_region.hpp"
#include "cli/overflow_check.hpp"
#include "cli/progress.hpp"
#include "cli/sequence_scan.hpp"
#include "cli/write_behind.hpp"

namespace cli {
namespace {

// From the front to the end, a piece of elements at a time.
class streamed_run {
 public:
  streamed_run(const scan_request& request, element_stream& in, array_writer& out, dtype out_type)
      : request_(request),
        in_(in),
        out_(out),
        job_(job_of_sequence(request, in.item, out_type)),
        sequence_(open_sequence(job_)),
        elements_(memory_region::allocate(piece_elements * item_size(in.item.type))),
        results_(piece_elements * item_size(out_type),
                 [this](const std::byte* data, std::uint64_t n) { out_.write(data, n); }) {
    if (request.checked && overflow_check::applies_to(out_type))
      overflow_.emplace(request, job_, [](std::uint64_t index) { return std::to_string(index); });
  }

  void run() {
    array_shape shape{job_.out_type, {in_.count.value_or(0)}};
    if (request_.total) ++shape.extents[0];
    if (request_.reduce) shape.extents.clear();
    std::size_t n = in_.read(elements_.data(), piece_elements);  // may fail: nothing is written yet
    out_.begin(shape);
    for (; n != 0; n = read(n)) take(n);
    if (request_.reduce || request_.total) {
      if (overflow_) overflow_->finish();
      sequence_->total(results_.buffer());
      results_.submit(1);
    }
    results_.finish();
    out_.commit();
  }

  std::uint64_t elements() const { return done_; }

 private:
  // The next piece behind one of n elements: none if that was not a whole one.
  std::size_t read(std::size_t n) {
    return n == piece_elements ? in_.read(elements_.data(), piece_elements) : 0;
  }

  void take(std::size_t n) {
    scan_job piece = job_;
    piece.in.data = elements_.data();
    check_fit(request_, piece.in, n, done_, job_.out_type);
    if (overflow_) overflow_->feed(piece.in, 0, 1, n);
    piece.out = results_.buffer();
    piece.shape.extents[0] = n;
    sequence_->run(piece);
    if (!request_.reduce) results_.submit(n);
    done_ += n;
  }

  const scan_request& request_;
  element_stream& in_;
  array_writer& out_;
  scan_job job_;
  std::unique_ptr<sequence_scan> sequence_;
  memory_region elements_;
  write_behind results_;
  std::optional<overflow_check> overflow_;
  std::uint64_t done_ = 0;
};

}  // namespace

bool is_streamed(const scan_request& request, file_format format, bool mappable) {
  const bool text = format == file_format::text;
  const bool along_axis = request.axis && !(text && (*request.axis == 0 || *request.axis == -1));
  if (request.reverse || request.verify || along_axis) return false;
  if (request.device.what == device_choice::kind::cuda) return false;
  // A header that tells the length has to be gone back to when the input does not.
  if (format != file_format::npy && out_format_of(request, format) == file_format::npy &&
      !is_output_file(request.output))
    return false;
  return text || !mappable;
}

std::optional<input_array> run_stream_task(const scan_request& request, file_format format,
                                           run_stats& stats) {
  input_stream input(request.input);
  // What a text consists of takes a reading of its own.
  const bool twice = format == file_format::text && !request.reading.type;
  progress shown(!request.quiet, request.reduce ? "reduce" : "scan",
                 (twice ? 2 : 1) * input.size());
  input.on_read = [&](std::uint64_t bytes) { shown.advance(bytes); };
  auto opened = open_elements(input, format, request.reading);
  if (auto* const whole = std::get_if<input_array>(&opened)) return std::move(*whole);
  element_stream& in = *std::get<std::unique_ptr<element_stream>>(opened);
  const dtype out_type = out_type_of(request, in.item.type);
  check_operator(request, in.item.type, out_type);
  const file_format out_format = out_format_of(request, format);
  check_output_dtype(request.output, out_format, out_type);
  array_writer out(request.output, out_format, out_type);
  streamed_run run(request, in, out, out_type);
  run.run();
  stats.in = in.item.type, stats.out = out_type;
  stats.in_format = format, stats.out_format = out_format;
  stats.elements = run.elements(), stats.results = out.count();
  stats.bytes_in = input.position(), stats.bytes_out = out.bytes();
  stats.streamed = true;
  return std::nullopt;
}

}  // namespace cli
