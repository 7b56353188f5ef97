// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What threads do to memory: bounds, races, counts.
#include <algorithm>
#include <cstring>

#include "lab/simulator/sim_engine.hpp"

namespace upsweep::lab::simulator {

namespace {

constexpr int garbage = 0xcd;        // what shared memory holds before it is written
constexpr unsigned array_bits = 40;  // of an address within its array

view present(const lane& me, std::uint32_t floor) {
  const block_run& b = *me.home;
  return {b.now,
          floor,
          b.barrier_time,
          b.index,
          static_cast<std::uint16_t>(me.index),
          static_cast<std::uint16_t>(me.step),
          b.known.get(),
          me.observed.get()};
}

}  // namespace

std::uint32_t engine::add_array(std::string name, std::uint64_t size, bool initialised,
                                bool output) {
  arrays_.emplace_back();
  arrays_.back().name = std::move(name), arrays_.back().size = size;
  arrays_.back().output = output;
  arrays_.back().touched.reset(size, initialised, initialised && !output);  // an input
  return static_cast<std::uint32_t>(arrays_.size() - 1);
}

std::uint32_t engine::add_words(std::string name, std::uint64_t size) {
  arrays_.emplace_back();
  arrays_.back().name = std::move(name), arrays_.back().size = size;
  arrays_.back().is_words = true;
  arrays_.back().releases.resize(size);
  return static_cast<std::uint32_t>(arrays_.size() - 1);
}

std::byte* engine::shared_array(lane& me, std::uint32_t places, std::uint32_t element,
                                std::uint32_t& id) {
  block_run& b = *me.home;
  id = me.arrays_asked++;
  if (id < b.arrays_used) return b.memory.data() + b.arrays[id].offset;
  const std::uint64_t offset = (b.memory_used + 15u) / 16u * 16u;
  const std::uint64_t end = offset + std::uint64_t{places} * element;
  const std::uint32_t asked = form_.shared_bytes;
  if (end > how_.shared_limit || end > asked) {
    add(fault::shared_limit, id,
        who(me) + " asks for shared array " + std::to_string(id) + ", which ends at byte " +
            std::to_string(end) + "; " +
            (end > how_.shared_limit ? "the device has " + std::to_string(how_.shared_limit)
                                     : "the launch asked for " + std::to_string(asked)));
    give_up(me);
  }
  if (b.arrays.size() == id) b.arrays.emplace_back();
  shared_memory_array& a = b.arrays[id];
  a.offset = static_cast<std::uint32_t>(offset), a.places = places, a.element = element;
  a.touched.reset(places, false);
  b.memory_used = static_cast<std::uint32_t>(end);
  b.arrays_used = id + 1;
  now().shared_bytes = std::max(now().shared_bytes, b.memory_used);
  std::memset(b.memory.data() + offset, garbage, end - offset);
  return b.memory.data() + offset;
}

void engine::count(lane& me, const lane_access& what) {
  constexpr std::size_t most_open = std::size_t{1} << 16;  // so that memory stays small
  warp_run& w = me.home->warps[me.index / warp_lanes];
  w.open.add(me.index % warp_lanes, what);
  if (w.open.all().size() == most_open) close_accesses(w);
}

bool engine::touch(lane& me, const touched_place& what) {
  maybe_pause(me);
  spend(me, what.site);
  if (what.first + what.count > what.size || what.first + what.count < what.first) {
    add(fault::out_of_bounds, std::uint64_t{what.site} << 32 | me.step,
        who(me) + ": " + where(what.site, me.step) + ": " + place_name(me, what, what.first) +
            " is out of bounds: there are " + std::to_string(what.size));
    return false;
  }
  block_run& b = *me.home;
  const bool in_shared = is_shared(what.kind);
  const bool writes = what.kind == access::shared_store || what.kind == access::global_store;
  shadow& touched = in_shared ? b.arrays[what.array].touched : arrays_[what.array].touched;
  const view v = present(me, floor_);
  const auto place = [&](std::uint64_t i) {
    return what.place == nullptr ? i : what.place(static_cast<std::uint32_t>(i));
  };
  for (std::uint64_t i = what.first; i < what.first + what.count; ++i) {
    const std::uint64_t at = place(i);
    const auto s = static_cast<std::uint16_t>(what.site);
    if (!writes && !touched.written(at))
      add(fault::uninitialised_read, std::uint64_t{what.site} << 32 | me.step,
          who(me) + ": " + where(what.site, me.step) + ": " + place_name(me, what, i) +
              " is read and nobody has written it");
    const stamp* const other = writes ? touched.write(at, v, s) : touched.read(at, v, s);
    if (other != nullptr)
      report_race(me, what, i, *other, writes, touched.racing_access_was_a_write());
  }
  // Arrays in global memory lie far from each other.
  const std::uint64_t base =
      in_shared ? b.arrays[what.array].offset : std::uint64_t{what.array} << array_bits;
  count(me,
        {me.step, what.site, what.kind, what.bytes * static_cast<std::uint32_t>(what.count),
         what.count > 1 ? 16 : what.alignment, base + place(what.first) * what.bytes, me.active});
  return true;
}

bool engine::before_word(lane& me, access kind, const words& at, std::uint64_t i,
                         std::uint32_t site) {
  maybe_pause(me);
  spend(me, site);
  if (i >= at.size) {
    add(fault::out_of_bounds, std::uint64_t{site} << 32 | me.step,
        who(me) + ": " + where(site, me.step) + ": word " + std::to_string(i) + " of " +
            arrays_[at.id].name + " is out of bounds: there are " + std::to_string(at.size));
    return false;
  }
  constexpr std::uint32_t bytes = sizeof(std::uint32_t);
  count(me, {me.step, site, kind, bytes, bytes, (std::uint64_t{at.id} << array_bits) + i * bytes,
             me.active});
  if (kind == access::add) ++news_, ++progress_;
  return true;
}

void engine::published(lane& me, const words& at, std::uint64_t i) {
  block_run& b = *me.home;
  const shared_knowledge own = known_of({b.index, me.index, b.barrier_time, b.now});
  arrays_[at.id].releases[i] = united(united(own, b.known), me.observed);
  b.now = ++clock_;
  ++news_, ++progress_;
}

// Looking again without news is waiting.
void engine::look(lane& me, const words& at, std::uint64_t i, std::uint32_t site) {
  const bool again = me.word == i && me.word_array == at.id && me.word_value == at.data[i] &&
                     me.word_news == news_;
  if (again) {
    me.home->looking.push_back(static_cast<std::uint16_t>(me.index));
    sleep(me, waits::word, site);
  }
}

std::uint32_t engine::observed(lane& me, const words& at, std::uint64_t i) {
  const std::uint32_t value = at.data[i];
  me.word = i, me.word_array = at.id, me.word_value = value, me.word_news = news_;
  me.observed = united(me.observed, arrays_[at.id].releases[i]);
  return value;
}

}  // namespace upsweep::lab::simulator
