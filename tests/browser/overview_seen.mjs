// The overview of a run: its bars add up, and its hints lead somewhere.
import {settled, visit} from './browser.mjs';

const rounding = 1e-9;

/** The bars of a drawing, and the number to which they add up. */
const sums = page => page.evaluate(() => {
  const number = element => Number(element?.querySelector('[data-value]')?.dataset.value ?? NaN);
  const waterfalls = [...document.querySelectorAll('table.waterfall')].map(table => ({
    name: table.ariaLabel, parts: [...table.querySelectorAll('tbody tr:not(.group)')].map(number), total: number(table.querySelector('tfoot')),
    sizes: [...table.querySelectorAll('tbody .track > div')].map(bar => bar.getBoundingClientRect().width),
    whole: table.querySelector('tfoot .track > div').getBoundingClientRect().width,
  }));
  const fills = [...document.querySelectorAll('.legend.shares')].map(list => ({
    name: 'bar', parts: [...list.querySelectorAll('li:has(svg)')].map(number), total: number(list.querySelector('.total')), sizes: [], whole: 0,
  }));
  return [...waterfalls, ...fills];
});

/** Roofs hold every point of a roofline. */
export function pointsAboveRoofs({report: {tables}, views}) {
  const drawing = views.flatMap(({drawings}) => drawings).find(({draw}) => draw === 'roofline');
  if (!drawing) return [];
  const largest = ({table, columns}, rows = () => true) => Math.max(...tables[table].filter(rows).flatMap(row => columns.map(column => row[column] ?? 0)));
  const {ceilings, slopes, by, table, series} = drawing;
  return tables[table].flatMap(row => Object.entries(series).filter(([, [intensity, rate]]) => {
    const roof = Math.min(largest(ceilings, one => row[ceilings.by] === undefined || one[ceilings.by] === row[ceilings.by]), largest(slopes) * row[intensity]);
    return row[rate] > roof * (1 + rounding);
  }).map(([phase]) => `${row[by]} lies above its roof in ${phase}`));
}

/** What is wrong with the overview; the page is one of a run that has views with hints. */
export async function overviewProblems(page, {runs: [run]}) {
  const problems = [];
  await visit(page, '#overview');
  const all = await sums(page);
  if (all.length < 2) problems.push(`only ${all.length} sums are drawn`);
  for (const {name, parts, total, sizes, whole} of all) {
    const sum = parts.reduce((a, b) => a + b, 0);
    if (!(Math.abs(sum - total) <= rounding * total)) problems.push(`${name}: ${parts.join(' + ')} is ${sum}, not ${total}`);
    const drawn = sizes.reduce((a, b) => a + b, 0);
    if (Math.abs(drawn - whole) > sizes.length) problems.push(`${name}: bars of ${drawn} px, the total has ${whole} px`);
  }
  const links = await page.$$eval('.hints a', found => found.map(link => link.getAttribute('href')));
  if (links.length !== run.hints.length) problems.push(`${links.length} links of ${run.hints.length} hints`);
  for (const link of links) {
    await visit(page, link);
    await settled(page);
    const view = await page.$eval('[role=tab][aria-selected=true]', tab => tab.id.slice('tab-'.length));
    if (view !== link.slice(1).split(/[/?]/)[0]) problems.push(`${link} leads to ${view}`);
    const item = decodeURIComponent(link.slice(1).split('?')[0].split('/')[1] ?? '');
    const shown = await page.evaluate(() => [...document.querySelectorAll('.panel h3, .metric.open dt, .chosen')].map(element => element.textContent).join());
    if (item !== '' && view === 'graph' && !shown.includes(item)) problems.push(`${link} does not show ${item}`);
    if (item !== '' && view === 'roofline' && await page.locator('circle.chosen').count() === 0) problems.push(`${link} marks no point`);
  }
  return problems;
}
