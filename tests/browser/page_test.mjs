// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// usage: page_test.mjs CHROMIUM MODULES FOLDER [--update]    Started by browser_test.py.
// FOLDER has report.html and the files that it was made of. One browser for all tests.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { contrast, distance, fromHex, likeness, looked, sights, toHex } from './page_checks.mjs';

const [chromiumPath, modules, folder, update] = process.argv.slice(2);
const { chromium } = createRequire(`${modules}/package.json`)('playwright-core');
const address = pathToFileURL(`${folder}/report.html`).href;
const looksFile = fileURLToPath(new URL('looks.json', import.meta.url));
const readJson = (name) => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'));

// Tests get a page that all share, and the browser to open others.
const tests = [];
const test = (name, body) => tests.push({ name, body });

// A page of its own, with what went wrong in it and what it asked for.
const open = async (browser, options = {}) => {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options });
  page.faults = [];
  page.asked = [];
  page.on('pageerror', (error) => page.faults.push(error.message));
  page.on('console', (message) => message.type() === 'error' && page.faults.push(message.text()));
  page.on('request', (request) => page.asked.push(request.url()));
  await page.goto(address);
  return page;
};

const figureOf = (page, title) => page.locator('figure').filter(
  { has: page.locator('svg > title', { hasText: title }) }).first();
const readout = (figure) => figure.locator('output').innerText();

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
  const figure = figureOf(page, 'inclusive sum of f32 on cpu');
  for (const r of flat().filter((one) => one.engine === 'upsweep-par')) {
    await figure.locator(`.curve[data-name="upsweep-par"] .mark[data-x="${r.n}"]`).hover();
    assert.ok((await readout(figure)).startsWith(rateText(r)), await readout(figure));
  }
});

test('marks are read by arrow keys', async (page) => {
  const figure = figureOf(page, 'inclusive sum of f32 on cpu');
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

test('marks stand where their numbers are', async (page) => {
  const marks = await page.locator('svg.plot .curve .mark').evaluateAll((all) => all.map((m) => {
    const box = m.getBBox();
    return { plot: m.closest('svg').querySelector('title').textContent, tag: m.tagName,
             x: box.x + box.width / 2, data: Number(m.dataset.x) };
  }));
  const plots = Map.groupBy ? Map.groupBy(marks, (m) => m.plot) : new Map();
  let checked = 0;
  for (const [plot, all] of plots) {
    const [low, high] = [all[0], all.at(-1)];
    if (all[0].tag !== 'path' || low.data === high.data) continue;
    for (const m of all) {
      const share = Math.log(m.data / low.data) / Math.log(high.data / low.data);
      assert.ok(Math.abs(low.x + share * (high.x - low.x) - m.x) < 2, plot);
    }
    ++checked;
  }
  assert.ok(!Map.groupBy || checked >= 4, `${checked} plots`);
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
  const figure = figureOf(page, 'inclusive sum of f32 on cpu');
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

// --- everywhere ---

const tooWide = (page) => page.evaluate(() =>
  document.documentElement.scrollWidth - document.documentElement.clientWidth);

test('a phone need not scroll sideways', async (_, browser) => {
  for (const width of [360, 320]) {
    const page = await open(browser, { viewport: { width, height: 700 }, isMobile: true,
                                       hasTouch: true });
    assert.equal(await tooWide(page), 0);
    const small = await page.locator('svg.plot text:not(.power):not(.note)').evaluateAll((all) =>
      Math.min(...all.map((t) => parseFloat(getComputedStyle(t).fontSize) * Math.hypot(t.getScreenCTM().a, t.getScreenCTM().b))));
    assert.ok(small >= 8.5, `${small} px`);
    await page.evaluate(() => document.body.insertAdjacentHTML(
      'beforeend', '<div style="width:500px">wide</div>'));
    assert.ok(await tooWide(page) > 0, 'the check sees what is too wide');
    await page.close();
  }
});

const palette = (page) => page.evaluate(() => {
  const style = getComputedStyle(document.documentElement);
  const named = (name) => style.getPropertyValue(`--${name}`).trim();
  return { ground: named('ground'), shown: getComputedStyle(document.body).backgroundColor,
           ink: named('ink'), quiet: named('quiet'), accent: named('accent'),
           alarm: named('alarm'), alarmGround: named('alarm-ground'), raised: named('raised'),
           curves: Array.from({ length: 8 }, (_, k) => named(`c${k}`)),
           heat: Array.from({ length: 7 }, (_, k) => named(`h${k}`)),
           pale: named('pale'), deep: named('deep') };
});

const paletteFaults = (p) => {
  const faults = [];
  const demand = (what, one, other, least) => {
    if (contrast(one, other) < least) faults.push(`${what}: ${contrast(one, other).toFixed(2)}`);
  };
  for (const name of ['ink', 'quiet', 'accent']) demand(name, p[name], p.ground, 4.5);
  demand('ink on raised', p.ink, p.raised, 4.5);
  demand('alarm', p.alarm, p.alarmGround, 4.5);
  demand('ink on alarm', p.ink, p.alarmGround, 4.5);
  p.curves.forEach((c, k) => demand(`curve ${k}`, c, p.ground, 3));
  p.heat.forEach((h, k) => k >= 2 && demand(`number on heat ${k}`, k < 4 ? p.pale : p.deep, h, 4.5));
  for (const [name, sight] of Object.entries(sights))
    p.curves.forEach((one, a) => p.curves.slice(0, a).forEach((other, b) => {
      if (distance(one, other, sight) < 6) faults.push(`curves ${b} and ${a} to ${name}`);
    }));
  return faults;
};

test('colours are told apart in light and in dark', async (_, browser) => {
  const seen = [];
  for (const colorScheme of ['light', 'dark']) {
    const page = await open(browser, { colorScheme }), p = await palette(page);
    assert.deepEqual(paletteFaults(p), [], colorScheme);
    assert.ok(contrast(p.ground, p.shown) < 1.01);
    seen.push(p.ground);
    assert.notDeepEqual(paletteFaults({ ...p, quiet: p.ground }), []);
    assert.notDeepEqual(paletteFaults({ ...p, curves: [...p.curves.slice(1), p.curves[1]] }), []);
    await page.close();
  }
  assert.ok(contrast(...seen) > 12);
  assert.ok(Math.abs(contrast('#ffffff', '#000000') - 21) < 0.01);
  assert.ok(distance('#b05000', '#708000', sights.deuteranopia) <
            distance('#b05000', '#708000', sights.all) / 2);
});

test('curves are told apart without colours', async (page) => {
  const alike = await page.locator('figure').evaluateAll((figures) => figures.flatMap((figure) => {
    const keys = [...figure.querySelectorAll('.legend li[data-curve]')].map((li) =>
      [...li.querySelectorAll('path')].map((p) => p.getAttribute('d') +
        (p.getAttribute('stroke-dasharray') ?? '')).join('|'));
    return keys.filter((key, k) => keys.indexOf(key) !== k);
  }));
  assert.deepEqual(alike, []);
});

test('print shows all of it on white', async (_, browser) => {
  const page = await open(browser, { colorScheme: 'dark' });
  const figure = figureOf(page, 'Data flow of blelloch');
  await figure.locator('input[type=range]').focus();
  await page.keyboard.press('Home');
  await page.emulateMedia({ media: 'print' });
  assert.ok(!await figure.locator('.stepper').isVisible());
  assert.equal(await figure.locator('.step').last().evaluate((s) => getComputedStyle(s).opacity), '1');
  const p = await palette(page);
  assert.deepEqual([contrast(p.shown, '#ffffff'), paletteFaults(p)], [1, []]);
  await page.setViewportSize({ width: 680, height: 900 });  // 180 mm
  const cut = () => page.locator('table, .picture > svg').evaluateAll((all) =>
    all.filter((e) => e.getBoundingClientRect().right > innerWidth).length);
  assert.equal(await cut(), 0);
  await page.locator('td').first().evaluate((cell) => { cell.style.minWidth = '700px'; });
  assert.ok(await cut() > 0, 'the check sees what is cut');
  await page.locator('td').first().evaluate((cell) => { cell.style.minWidth = ''; });
  assert.ok(await page.locator('table').first().isVisible());
  const pdf = await page.pdf({ format: 'A4' });
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
  assert.ok(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g).length > 2);
});

test('without a script all tables and pictures are there', async (_, browser) => {
  const page = await open(browser, { javaScriptEnabled: false });
  const trace = readJson('trace.json').launches[0];
  const figure = figureOf(page, 'Data flow of blelloch');
  assert.deepEqual(await figure.locator('tbody tr').last().locator('td').allInnerTexts()
    .then((cells) => cells.slice(3)), trace.steps.at(-1).array);
  assert.equal(await page.locator('table:visible').count(), await page.locator('table').count());
  assert.ok(await page.locator('table').count() > 10);
  assert.ok(await figure.locator('.node').first().isVisible());
  for (const control of ['.stepper', 'output', '.legend button', 'select'])
    assert.equal(await page.locator(`${control}:visible`).count(), 0, control);
});

test('nothing is loaded and nothing fails', async (_, browser) => {
  const page = await open(browser);
  assert.deepEqual([page.asked, page.faults], [[address], []]);
  await page.evaluate(() => { document.body.append(Object.assign(new Image(), { src: 'x.png' })); });
  await page.waitForTimeout(50);
  assert.ok(page.faults.length > 0, 'the policy refuses an image');
});

const nameless = (page) => page.evaluate(() => {
  const text = (ids) => (ids ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join('');
  const faults = [];
  for (const svg of document.querySelectorAll('svg:not([aria-hidden=true])'))
    if (svg.getAttribute('role') !== 'img' || !text(svg.getAttribute('aria-labelledby')))
      faults.push(`svg ${svg.outerHTML.slice(0, 80)}`);
  for (const control of document.querySelectorAll('button, input, select, summary, [role=region]'))
    if (!(control.getAttribute('aria-label') || control.labels?.length || control.textContent.trim()))
      faults.push(control.outerHTML.slice(0, 80));
  for (const table of document.querySelectorAll('table'))
    if (!table.caption?.textContent || !table.querySelector('th[scope=col]')) faults.push('table');
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  if (new Set(ids).size !== ids.length) faults.push('ids');
  const levels = [...document.querySelectorAll('h1, h2, h3')].map((h) => Number(h.tagName[1]));
  if (levels[0] !== 1 || levels.some((l, k) => k > 0 && l > levels[k - 1] + 1)) faults.push('headings');
  if (!document.documentElement.lang || !document.title) faults.push('language or title');
  return faults;
});

test('everything has a name', async (page) => {
  assert.deepEqual(await nameless(page), []);
  const taken = await page.locator('.picture > svg').first().evaluate((svg) => {
    const names = svg.getAttribute('aria-labelledby');
    svg.removeAttribute('aria-labelledby');
    return names;
  });
  assert.equal((await nameless(page)).length, 1);
  await page.locator('.picture > svg').first().evaluate(
    (svg, names) => svg.setAttribute('aria-labelledby', names), taken);
});

// --- looks ---

const pictures = ['inclusive sum of f32 on cpu', 'error of the inclusive sum', 'Roofline of h9',
                  'Banks, blelloch', 'Data flow of blelloch', 'Data races of'];

test('pictures look as they are meant to', async (_, browser) => {
  const page = await open(browser), scratch = await browser.newPage(), seen = {};
  for (const title of pictures)
    seen[title] = await looked(scratch, await figureOf(page, title).locator('.picture > svg').screenshot());
  if (update) {
    const hex = Object.fromEntries(Object.entries(seen).map(([name, cells]) => [name, toHex(cells)]));
    writeFileSync(looksFile, `${JSON.stringify(hex, null, 1)}\n`);
  }
  const meant = JSON.parse(readFileSync(looksFile, 'utf8'));
  assert.deepEqual(Object.keys(meant), pictures);
  for (const title of pictures) {
    const alike = (other) => likeness(seen[title], fromHex(meant[other]));
    assert.ok(alike(title) > 0.85, `${title}: ${alike(title).toFixed(2)}`);
    for (const other of pictures)  // the check sees another picture
      assert.ok(other === title || alike(other) < 0.75, `${title}, ${other}: ${alike(other).toFixed(2)}`);
  }
});

const browser = await chromium.launch({
  executablePath: chromiumPath, args: ['--no-sandbox', '--disable-gpu'],
});
const shared = await open(browser);
let failed = 0;
for (const { name, body } of tests) {
  try {
    await body(shared, browser);
    console.log(`ok: ${name}`);
  } catch (error) {
    ++failed;
    console.log(`FAILED: ${name}: ${error.message.split('\n').slice(0, 8).join(' ')}`);
  }
  for (const context of browser.contexts())
    if (context !== shared.context()) await context.close();
}
await browser.close();
process.exit(failed === 0 ? 0 : 1);
