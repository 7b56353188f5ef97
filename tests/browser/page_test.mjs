// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// usage: page_test.mjs CHROMIUM MODULES FOLDER [--update]    Started by browser_test.py.
// FOLDER has report.html and the files that it was made of. One browser for all tests.
import { createRequire } from 'node:module';

import { chromiumPath, modules, open, tests } from './page_harness.mjs';
import './page_reading.mjs';
import './page_everywhere.mjs';

const { chromium } = createRequire(`${modules}/package.json`)('playwright-core');
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
