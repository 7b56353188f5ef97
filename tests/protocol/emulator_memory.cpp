// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words in device memory that become visible late, barriers that count bytes, and bulk copies.
#include <cstring>

#include "emulator.hpp"
#include "emulator_parts.hpp"

namespace emulator {

namespace {

barrier& find_barrier(std::uint64_t number) {
  if (number >= here->barriers.size()) fail("a barrier is used that was not made");
  return here->barriers[number];
}

}  // namespace

// Every thread's storage has the same shape.
void* in_block(void* mine, unsigned block) {
  for (const processor& p : here->all->processors)
    if (p.busy && p.block == block)
      return static_cast<char*>(p.memory) +
             (static_cast<char*>(mine) - static_cast<char*>(here->memory));
  fail("a block's memory is reached for that is not resident");
}

void device::state::store(std::size_t i) {
  late[i].to[0] = late[i].word[0], late[i].to[1] = late[i].word[1];
  late[i] = late.back();  // nothing that moves memory by a call: ThreadSanitizer would see it
  late.pop_back();
  ++stored;
}

void device::state::store_due() {
  for (std::size_t i = late.size(); i-- > 0;)
    if (late[i].due <= turns) store(i);
}

// Words of one address stay in order; nothing else does.
void store_word(void* to, const std::uint64_t* word) {
  processor& p = *here;
  device::state& all = *p.all;
  p.point();
  auto* const at = static_cast<std::uint64_t*>(to);
  for (std::size_t i = all.late.size(); i-- > 0;)
    if (all.late[i].to == at && all.late[i].from == &p) all.store(i);
  if (all.late.size() == all.late.capacity()) all.store(0);
  all.late.push_back({at, {word[0], word[1]}, 0, &p});
  if (all.random.percent(all.how->late_percent))
    all.late.back().due = all.turns + all.random.below(all.how->late_turns + 1);
  else
    all.store(all.late.size() - 1);
  p.point();
}

void load_word(const void* from, std::uint64_t* word) {
  processor& p = *here;
  p.pollers.push(p.current);
  p.sleep("a word");
  p.current->waits = nullptr;
  const auto* at = static_cast<const std::uint64_t*>(from);
  for (const late_word& l : p.all->late)
    if (l.to == at && l.from == &p) at = l.word;
  word[0] = at[0], word[1] = at[1];
}

void fence() {
  processor& p = *here;
  for (std::size_t i = p.all->late.size(); i-- > 0;)
    if (p.all->late[i].from == &p) p.all->store(i);
  p.point();
}

void before_atomic() { here->point(); }
void after_atomic() {
  here->last_atomic = ++here->all->atomics;
  here->point();
}

std::uint64_t make_barrier(unsigned arrivals) {
  here->barriers.emplace_back();
  here->barriers.back().expected = here->barriers.back().pending = arrivals;
  return here->barriers.size() - 1;
}

void processor::complete(barrier& b) {
  active();
  if (b.pending != 0 || b.bytes != 0) return;
  b.pending = b.expected;
  ++b.phase;
  wake_all(b.waiting);
}

void arrive(std::uint64_t number, unsigned bytes) {
  processor& p = *here;
  barrier& b = find_barrier(number);
  if (b.pending == 0) fail("a barrier gets more arrivals than it was made for");
  release(&b.token[b.phase & 1]);
  b.bytes += bytes;
  --b.pending;
  p.complete(b);
  p.yield();
}

void wait(std::uint64_t number, unsigned parity) {
  processor& p = *here;
  barrier& b = find_barrier(number);
  while ((b.phase & 1) == parity) {
    b.waiting.push(p.current);
    p.sleep("an mbarrier");
  }
  acquire(&b.token[parity]);
}

void copy_later(void* to, const void* from, unsigned bytes, std::uint64_t number) {
  processor& p = *here;
  const unsigned engine = p.next_engine++ % static_cast<unsigned>(std::size(p.engines));
  release(&p.engines[engine].token);
  p.copies.push_back({to, from, bytes, engine, &find_barrier(number)});
  p.yield();
}

// As the engine, so that ThreadSanitizer sees the copy (memcpy is known to it) as nobody else's.
void processor::finish_copy(unsigned i) {
  const bulk_copy c = copies[i];
  copies[i] = copies.back();
  copies.pop_back();
  void* const me = identity::current();
  identity::become(engines[c.engine].who);
  acquire(&engines[c.engine].token);
  c.from != nullptr ? std::memcpy(c.to, c.from, c.bytes) : std::memset(c.to, 0, c.bytes);
  release(&c.done->token[c.done->phase & 1]);
  identity::become(me);
  c.done->bytes -= c.bytes;
  complete(*c.done);
}

void store_later(void* to, const void* from, unsigned bytes) {
  lane* const who = here->current;
  here->stores.push_back({to, from, bytes, who, who->store_groups});
}

void commit_stores() { ++here->current->store_groups; }

void finish_stores(unsigned newest) {
  processor& p = *here;
  lane* const who = p.current;
  for (std::size_t i = 0; i < p.stores.size();) {
    const bulk_store s = p.stores[i];
    if (s.who != who || s.group + newest >= who->store_groups) {
      ++i;
      continue;
    }
    std::memcpy(s.to, s.from, s.bytes);
    p.stores[i] = p.stores.back();
    p.stores.pop_back();
  }
  p.yield();
}

}  // namespace emulator
