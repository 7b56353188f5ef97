# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The canonical order in NumPy, written from docs/order.md alone: an oracle that shares no code
with the library. S(j, b) is the balanced sum of an aligned block; the prefix P(k) folds the blocks
of the set bits of k, the largest first."""

import numpy as np

OPERATORS = {
    "sum": np.add,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def prefix_by_definition(x, k, op, init=None):
    """P(k) by recursion, one operation at a time: slow, and as the definition reads."""

    def block_sum(level, index):
        if level == 0:
            return x[index]
        return op(block_sum(level - 1, 2 * index), block_sum(level - 1, 2 * index + 1))

    total, done = init, 0
    for level in reversed(range(k.bit_length())):
        if k >> level & 1:
            part = block_sum(level, done >> level)
            total = part if total is None else op(total, part)
            done += 1 << level
    return total


def prefixes(x, op, init=None):
    """P(1) ... P(n) along axis 0, all columns at once."""
    with np.errstate(all="ignore"):
        levels = [x]
        while len(levels[-1]) > 1:
            low = levels[-1]
            pairs = len(low) // 2
            levels.append(op(low[0 : 2 * pairs : 2], low[1 : 2 * pairs : 2]))
        k = np.arange(1, len(x) + 1)
        total = np.zeros_like(x)
        started = np.zeros(len(x), bool)
        if init is not None:
            total[...] = init
            started[...] = True
        for level in reversed(range(len(levels))):
            has = (k >> level & 1) == 1
            part = levels[level][(k[has] >> level) - 1]
            going = started[has]
            folded = part.copy()
            folded[going] = op(total[has][going], part[going])
            total[has] = folded
            started |= has
        return total


def scan(x, op="sum", axis=0, exclusive=False, total=False, init=None, reverse=False, empty=0):
    """The scan of an array whose dtype is the accumulator's."""
    lines = np.moveaxis(np.asarray(x), axis, 0)
    if reverse:
        lines = lines[::-1]
    y = prefixes(np.ascontiguousarray(lines), OPERATORS[op], init)
    if exclusive:
        first = np.full((1,) + y.shape[1:], empty if init is None else init, y.dtype)
        y = np.concatenate([first, y])
        if not total:
            y = y[:-1]
    if reverse:
        y = y[::-1]
    return np.moveaxis(y, 0, axis)


def bfloat16_bits(x):
    """float32 to bfloat16, to nearest, ties to even."""
    bits = np.asarray(x, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(x), 0x7FC0, rounded).astype(np.uint16)


def bfloat16_values(bits):
    return (np.asarray(bits, np.uint16).astype(np.uint32) << 16).view(np.float32)
