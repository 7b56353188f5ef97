// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What holds everywhere: on a phone, in dark, in print, without a script, for readers of screens.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { contrast, distance, fromHex, likeness, looked, sights, toHex } from './page_checks.mjs';
import { address, figureOf, open, readJson, test, update } from './page_harness.mjs';

const looksFile = fileURLToPath(new URL('looks.json', import.meta.url));

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

test('no text of a picture is cut', async (_, browser) => {
  for (const width of [1200, 360]) {
    const page = await open(browser, { viewport: { width, height: 700 } });
    const cut = () => page.locator('.picture > svg').evaluateAll((all) => all.flatMap((svg) =>
      [...svg.querySelectorAll('text:not([transform])')].filter((text) => {
        const box = text.getBBox();
        return box.x < -1 || box.x + box.width > svg.viewBox.baseVal.width + 1;
      }).map((text) => text.textContent)));
    assert.deepEqual(await cut(), [], `at ${width} px`);
    await page.locator('svg.heat text').last().evaluate((text) => text.setAttribute('x', -9));
    assert.equal((await cut()).length, 1, 'the check sees what is cut');
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
  // A number is on one line, and a word too.
  const broken = () => page.locator('td, th').evaluateAll((all) => all.flatMap((cell) => {
    if (!cell.firstChild || cell.className.includes('long')) return [];
    return [...cell.textContent.matchAll(/[^ -]+/g)].filter((word) => {
      const range = document.createRange();
      range.setStart(cell.firstChild, word.index);
      range.setEnd(cell.firstChild, word.index + word[0].length);
      return new Set([...range.getClientRects()].map((line) => line.top)).size > 1;
    }).map((word) => word[0]);
  }));
  assert.deepEqual(await broken(), []);
  await page.addStyleTag({ content: 'td { max-width: 2px; overflow-wrap: anywhere; }' });
  assert.ok((await broken()).length > 100, 'the check sees what is broken');
  await page.locator('style').last().evaluate((style) => style.remove());
  for (const kept of ['h2', 'section > p', 'figcaption'])
    assert.equal(await page.locator(kept).first().evaluate((e) => getComputedStyle(e).breakAfter),
                 'avoid', kept);
  assert.equal(await figure.evaluate((e) => getComputedStyle(e).breakInside), 'avoid');
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

const pictures = ['Bandwidth, inclusive sum of f32 on cpu', 'error of the inclusive sum', 'Roofline of h9',
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
