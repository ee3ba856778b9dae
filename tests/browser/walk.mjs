// walk.mjs FOLDER: takes the walk of docs/explorer.md, on the pages in a folder. Every click must show what the walk says. With PICTURES=folder, the pictures of the documentation are
// drawn there.
import {join, resolve} from 'node:path';
import {chromium} from 'playwright-core';

const folder = resolve(process.argv[2]);
const browser = await chromium.launch({executablePath: process.env.BROWSER, args: ['--no-sandbox']});

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}

async function opened(name, address, size = {width: 1200, height: 760}) {
  const page = await browser.newPage({viewport: size, colorScheme: 'light', deviceScaleFactor: 1});
  page.on('console', message => fail(`${name}: ${message.text()}`));
  page.on('pageerror', error => fail(`${name}: ${error.stack}`));
  await page.goto(`file://${join(folder, name)}.html#${address}`);
  await page.waitForSelector('body[data-ready]');
  return page;
}

async function picture(page, name) {
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.activeElement?.blur());
  await page.waitForTimeout(200);
  if (process.env.PICTURES) await page.screenshot({path: join(process.env.PICTURES, `${name}.png`)});
}

async function says(page, ...texts) {
  for (const expected of texts) {
    await page.waitForFunction(text => document.body.innerText.includes(text), expected, {timeout: 5000})
      .catch(() => fail(`${page.url()}: there is no \`${expected}\``));
  }
}

const page = await opened('walk', '');
await says(page, 'step', '32.9 s');
await picture(page, 'explorer_start');

await page.locator('header').getByText('32.9 s').click();
await says(page, 'Time of one training step.', 'working_time + waiting_time', 'communication in layers', '8.03 s');
await page.locator('[data-at="runs.0.report.exposed_time"]').first().scrollIntoViewIfNeeded();
await picture(page, 'explorer_step');

await page.getByText('communication in layers', {exact: true}).first().click();
await says(page, 'schedule.yaml:');
await picture(page, 'explorer_communication_in_layers');

await page.getByRole('tab', {name: 'Communication'}).click();
await says(page, 'Communicators, on one rank in one step', 'infiniband');
const row = await page.locator('tr', {has: page.locator('[data-at="runs.0.report.tables.communicators.0.ranks"]')}).innerText();
if (!/^tp\s+16\s+8\s+infiniband/.test(row)) fail(`the communicators of tensor parallelism: ${row}`);
await picture(page, 'explorer_communication');

for (const [name, file, address, size] of [
  ['explorer_graph', 'deepseek-v3', 'graph/decoder.moe.gate', {width: 1400, height: 900}],
  ['explorer_memory', 'deepseek-v3', 'memory'], ['explorer_timeline', 'deepseek-v3', 'timeline'], ['explorer_roofline', 'deepseek-v3', 'roofline'],
  ['explorer_compare', 'walk-against', 'compare'], ['explorer_serving', 'mixtral-8x7b-serve', 'serving'], ['explorer_space', 'search', 'space', {width: 1200, height: 1000}],
]) {
  const other = await opened(file, address, size);
  await picture(other, name);
  await other.close();
}
await browser.close();
