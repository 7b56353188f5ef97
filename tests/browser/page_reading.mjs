// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the page tells: the slider, marks under the mouse and by keys, choosing what is shown.
import assert from 'node:assert/strict';

import { figureOf, readJson, readout, test } from './page_harness.mjs';

// --- the slider ---

const stepText = (step) => {
  const name = step.phase === '' ? 'before' : `${step.phase}${step.stride ? ` ${step.stride}` : ''}`;
  const active = step.phase === '' ? '' : `, ${step.active_threads} active`;
  return `${name}${active}: ${step.array.join(' ')}`;
};

test('the slider shows each step of the trace', async (page) => {
  const steps = readJson('trace.json').launches[0].steps;
  const figure = figureOf(page, 'Data flow of blelloch'), range = figure.locator('input[type=range]');
  assert.equal(await range.inputValue(), String(steps.length - 1));
  await range.focus();
  await page.keyboard.press('Home');
  for (const [k, step] of steps.entries()) {
    assert.ok((await readout(figure)).startsWith(stepText(step)), await readout(figure));
    assert.equal(await range.getAttribute('aria-valuetext'), stepText(step).split(/[,:]/)[0]);
    const row = await figure.locator('tbody tr.now td').allInnerTexts();
    assert.deepEqual(row.slice(3), step.array);
    assert.equal(await figure.locator('.step.future').count(), steps.length - 1 - k);
    await page.keyboard.press('ArrowRight');
  }
});

test('the slider is moved by clicks', async (page) => {
  const steps = readJson('trace.json').launches[0].steps;
  const figure = figureOf(page, 'Data flow of blelloch'), range = figure.locator('input[type=range]');
  const box = await range.boundingBox();
  await range.click({ position: { x: 2, y: box.height / 2 } });
  assert.equal(await readout(figure), stepText(steps[0]));
  await figure.getByRole('button', { name: 'One step on' }).click();
  assert.ok((await readout(figure)).startsWith(stepText(steps[1])));
  await range.click({ position: { x: box.width / 2, y: box.height / 2 } });
  const middle = Number(await range.inputValue());
  assert.ok(middle > 1 && middle < steps.length - 1);
  assert.ok((await readout(figure)).startsWith(stepText(steps[middle])));
  await figure.getByRole('button', { name: 'One step back' }).click();
  assert.ok((await readout(figure)).startsWith(stepText(steps[middle - 1])));
});

// --- values ---

const rateText = (r) => `${r.engine}, n = 2^${Math.log2(r.n)}: ${Number(r.gb_per_s.toPrecision(4))} GB/s`;
const flat = () => readJson('cpu.json').results.filter((r) => !r.shape);

test('marks are read by the mouse', async (page) => {
  const figure = figureOf(page, 'Bandwidth, inclusive sum of f32 on cpu');
  for (const r of flat().filter((one) => one.engine === 'upsweep-par')) {
    await figure.locator(`.curve[data-name="upsweep-par"] .mark[data-x="${r.n}"]`).hover();
    assert.ok((await readout(figure)).startsWith(rateText(r)), await readout(figure));
  }
});

test('marks are read by arrow keys', async (page) => {
  const figure = figureOf(page, 'Bandwidth, inclusive sum of f32 on cpu');
  const results = flat(), engines = [...new Set(results.map((r) => r.engine))];
  await page.mouse.move(0, 0);
  await page.reload();  // no mark is chosen
  await figure.locator('.picture > svg').focus();
  for (const r of results.filter((one) => one.engine === engines[0])) {
    await page.keyboard.press('ArrowRight');
    assert.ok((await readout(figure)).startsWith(rateText(r)), await readout(figure));
  }
  await page.keyboard.press('ArrowDown');
  assert.ok((await readout(figure)).startsWith(`${engines[1]}, n = 2^20`), await readout(figure));
  await page.keyboard.press('Home');
  assert.ok((await readout(figure)).startsWith(`${engines[1]}, n = 2^10`));
});

test('all pictures can be reached and read by keys', async (page) => {
  for (const svg of await page.locator('.picture > svg').all()) {
    assert.equal(await svg.getAttribute('tabindex'), '0');
    await svg.focus();
    await page.keyboard.press('ArrowRight');
    const text = await svg.evaluate((s) => s.closest('figure').querySelector('output').textContent);
    assert.ok(text.length > 5 && !text.startsWith('Arrow keys'), text);
  }
});

// Whether places are a straight map of the numbers, or of what a function makes of them.
const isStraight = (marks, number, place, of) => {
  const sorted = [...marks].sort((a, b) => a[number] - b[number]);
  const [low, high] = [sorted[0], sorted.at(-1)];
  return sorted.every((m) => {
    const share = (of(m[number]) - of(low[number])) / (of(high[number]) - of(low[number]));
    return Math.abs(low[place] + share * (high[place] - low[place]) - m[place]) < 3;  // a triangle is not in the middle of its box
  });
};

test('marks stand where their numbers are', async (page) => {
  const marks = await page.locator('svg.plot .curve path.mark').evaluateAll((all) => all.map((m) => {
    const box = m.getBBox();
    return { plot: m.closest('svg').querySelector('title').id, x: box.x + box.width / 2,
             y: box.y + box.height / 2, n: Number(m.dataset.x), value: Number(m.dataset.y) };
  }));
  const plots = new Map();
  for (const m of marks) plots.set(m.plot, [...(plots.get(m.plot) ?? []), m]);
  for (const [plot, all] of plots) {
    if (new Set(all.map((m) => m.n)).size > 1) assert.ok(isStraight(all, 'n', 'x', Math.log), plot);
    assert.ok([Math.log, (v) => v].some((of) => isStraight(all, 'value', 'y', of)), plot);
  }
  assert.ok(plots.size >= 6, `${plots.size} plots`);
});

test('heat has the colour of its degree', async (page) => {
  const cells = await page.locator('svg.heat .mark').evaluateAll((all) => all.map((m) =>
    [Number(m.dataset.y), getComputedStyle(m).fill]));
  const colours = new Map();
  for (const [degree, fill] of cells)
    assert.equal(colours.get(degree) ?? colours.set(degree, fill).get(degree), fill);
  assert.ok(colours.size >= 4);
  assert.equal(new Set(colours.values()).size, colours.size);
});

// --- choosing ---

test('the legend hides a curve, and arrow keys pass it over', async (page) => {
  const figure = figureOf(page, 'Bandwidth, inclusive sum of f32 on cpu');
  const curve = figure.locator('.curve').first(), button = figure.locator('.legend button').first();
  assert.ok(await curve.isVisible());
  await button.focus();
  await page.keyboard.press('Enter');
  assert.equal(await button.getAttribute('aria-pressed'), 'false');
  assert.ok(!await curve.isVisible());
  await figure.locator('.picture > svg').focus();
  await page.keyboard.press('ArrowRight');
  assert.ok(!(await readout(figure)).startsWith(await button.innerText()));
  await button.click();
  assert.ok(await curve.isVisible());
});

test('the filter leaves one figure of a section', async (page) => {
  const section = page.locator('#bandwidth');
  const all = await section.locator('figure').count(), select = section.locator('select');
  assert.ok(all >= 3);
  await select.selectOption({ index: 2 });
  assert.equal(await section.locator('figure:visible').count(), 1);
  await select.selectOption('');
  assert.equal(await section.locator('figure:visible').count(), all);
});
