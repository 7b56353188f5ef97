// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of the page have in common. The words of the command line are those of
// page_test.mjs.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

export const [chromiumPath, modules, folder, update] = process.argv.slice(2);
export const address = pathToFileURL(`${folder}/report.html`).href;
export const readJson = (name) => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'));

// Tests get a page that all share, and the browser to open others.
export const tests = [];
export const test = (name, body) => tests.push({ name, body });

// A page of its own, with what went wrong in it and what it asked for.
export const open = async (browser, options = {}) => {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options });
  page.setDefaultTimeout(10000);
  page.faults = [];
  page.asked = [];
  page.on('pageerror', (error) => page.faults.push(error.message));
  page.on('console', (message) => message.type() === 'error' && page.faults.push(message.text()));
  page.on('request', (request) => page.asked.push(request.url()));
  await page.goto(address);
  return page;
};

export const figureOf = (page, title) => page.locator('figure').filter(
  { has: page.locator('svg > title', { hasText: title }) }).first();
export const readout = (figure) => figure.locator('output').innerText();
