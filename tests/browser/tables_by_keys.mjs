// Tables by keys: pictures as tables, sorted, copied.
import {opened, settled, tabsOf, visit} from './browser.mjs';
import {press, tabTo} from './by_keys.mjs';

/** Every picture has its numbers in a table. */
export async function picturesAsTables(page, {expect}) {
  let count = 0;
  for (const hash of await tabsOf(page)) {
    await visit(page, hash);
    const buttons = page.locator('.figure > .heading button', {hasText: 'As table'});
    for (let i = 0; i < await buttons.count(); ++i) {
      const rows = () => page.locator('.figure table.data tbody tr').count();
      const before = await rows();
      await buttons.nth(i).focus();
      await press(page, 'Enter');
      expect(await rows() > before, `${hash}: ${await buttons.nth(i).textContent()} shows no rows`);
      await press(page, 'Enter');
      expect(await rows() === before, `${hash}: the picture does not come back`);
      ++count;
    }
  }
  expect(count >= 5, `there are ${count} pictures`);
}

const columnOf = (page, index) => page.evaluate(at => [...document.querySelectorAll('table.data')[0].querySelectorAll('tbody tr')].map(row => {
  const cell = row.children[at];
  return Number(cell.querySelector('[data-value]')?.dataset.value ?? NaN);
}), index);

/** Enter sorts from the largest, then from the smallest, then brings the order back. */
export async function sortsTables(page, {expect}) {
  await visit(page, '#communication');
  await page.evaluate(() => document.querySelectorAll('table.data')[0].closest('.scroll').focus());
  await tabTo(page, 'a column of numbers', ({tag}) => tag === 'BUTTON', 5);
  for (let i = 0; i < 20 && !await page.evaluate(() => document.activeElement.closest('th')?.matches('.number')); ++i) await page.keyboard.press('Tab');
  const index = await page.evaluate(() => [...document.activeElement.closest('tr').children].indexOf(document.activeElement.closest('th')));
  const before = await columnOf(page, index);
  const falling = [...before].sort((a, b) => b - a);
  expect(before.length > 1 && before.every(Number.isFinite), `a column of numbers has ${before}`);
  for (const [order, sort] of [[falling, 'descending'], [[...falling].reverse(), 'ascending'], [before, 'none']]) {
    await press(page, 'Enter');
    expect(String(await columnOf(page, index)) === String(order), `sorted ${sort}: ${await columnOf(page, index)}`);
    expect(await page.evaluate(() => document.activeElement.closest('th').ariaSort) === sort, `the column does not say that it is ${sort}`);
  }
}

function parsed(csv) {
  return [...csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/gu)].reduce((rows, [, quoted, plain, end]) => {
    rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\n') rows.push([]);
    return rows;
  }, [[]]).slice(0, -1);
}

const flat = rows => rows.flatMap(row => [row, ...flat(row.rows ?? [])]);
const text = value => value === null || value === undefined ? '' : typeof value === 'boolean' ? (value ? 'yes' : 'no') : Array.isArray(value) ? value.join(', ') : String(value);

/** What a copy of a table should have: all rows, in base units, with units in the header. */
function wrongCopy(csv, rows, units) {
  const [header, ...lines] = parsed(csv);
  const names = header.map(name => name.replace(/ \[[^\]]*\]$/, ''));
  const wrong = header.find((name, i) => units(names[i]) !== '' && name !== `${names[i]} [${units(names[i])}]`);
  if (wrong !== undefined) return `its column ${wrong} should have ${units(wrong)}`;
  if (lines.length !== flat(rows).length) return `${lines.length} lines of ${flat(rows).length} rows`;
  const place = flat(rows).findIndex((row, i) => names.some((name, k) => text(row[name]) !== lines[i][k]));
  return place < 0 ? null : `line ${place + 1} is ${lines[place]}, not ${JSON.stringify(flat(rows)[place])}`;
}

async function copies(page, {document: {runs: [{report, titles}]}, expect}, clipboard) {
  let count = 0;
  for (const hash of ['#memory', '#communication']) {
    await visit(page, hash);
    const buttons = page.locator('.tools button', {hasText: 'Copy as CSV'});
    for (let i = 0; i < await buttons.count(); ++i) {
      const caption = (await buttons.nth(i).locator('.unseen').textContent()).slice(': '.length);
      const table = Object.keys(report.tables).find(name => titles[name] === caption);
      if (table === undefined) continue;
      await buttons.nth(i).focus();
      await press(page, 'Enter');
      await page.waitForTimeout(20);
      const unit = column => {
        const of = report.units[`${table}.${column}`] ?? '';
        return ['1', 'ratio', 'share'].includes(of) ? '' : of;
      };
      const wrong = wrongCopy(await clipboard(), report.tables[table], unit);
      expect(wrong === null, `${hash}: the copy of ${table}: ${wrong}`);
      ++count;
    }
  }
  expect(count >= 4, `${count} tables were copied`);
}

/** By the clipboard, and where a page may not write to it, by a selection. */
export async function copiesTables(page, {document, expect, context, path}) {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await copies(page, {document, expect}, () => page.evaluate(() => navigator.clipboard.readText()));
  await context.clearPermissions();
  const other = await opened(context, `${path}.html`);
  await other.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', {value: undefined});
    addEventListener('copy', () => { window.copied = String(document.activeElement.value); });
  });
  await settled(other);
  await copies(other, {document, expect}, () => other.evaluate(() => window.copied ?? ''));
  await other.close();
}
