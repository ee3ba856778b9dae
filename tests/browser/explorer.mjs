// explorer.mjs PAGE…: opens PAGE.html of each, visits all of it, and compares it with PAGE.json. Exit status 1, with what is wrong.
import {readFileSync} from 'node:fs';
import {basename} from 'node:path';
import {isDeepStrictEqual} from 'node:util';
import {finished, launch, opened, tabsOf, visit} from './browser.mjs';
import {documentOf, readDocument} from './documents_read.mjs';
import {inaccessible} from './accessible.mjs';
import {collidingTexts, cutTexts, overlaps, sideways} from './layout_seen.mjs';
import {wrongNumbers} from './numbers_seen.mjs';
import {hostileProblems} from './hostile.mjs';
import {overviewProblems, pointsAboveRoofs} from './overview_seen.mjs';
import {timelineProblems} from './timeline_seen.mjs';
import {asTables, unfold} from './unfolded.mjs';

const leastNumbers = 400;
const leastBoxes = 15;
const desk = {width: 1280, height: 900};
const phone = {width: 390, height: 844};
/** Of these all tabs are checked by axe, and all rows of tables are shown; of others some tabs, and the first fifty rows. */
const wholly = new Set(['deepseek-v3', 'llama-3-70b-against', 'mixtral-8x7b-serve', 'search']);

/** An operator whose texts are hostile. */
const more = {own: ['#graph/constructor.toString?run=0']};

const spread = list => [...new Set([list[0], list[list.length >> 1], list.at(-1)])].filter(item => item !== undefined);

/** Some nodes, metrics and explained names: three each of the first run, then one. */
function addressesOf({runs}) {
  return runs.flatMap(({graph, explanations: {metrics, nodes, opened}}, run) => {
    const some = list => run === 0 ? spread(list) : list.slice(list.length >> 1).slice(0, 1);
    const names = (graph?.nodes ?? []).map(({name}) => name), sending = nodes.filter(({transfers}) => transfers.length > 0).map(({name}) => name);
    return [
      ...[...new Set([...some(names), ...sending.slice(0, 1)])].map(name => `#graph/${encodeURIComponent(name)}?run=${run}`),
      ...some(Object.keys(metrics)).map(name => `#numbers/${encodeURIComponent(name)}?run=${run}`),
      ...some([...opened.keys()]).map(place => `#numbers?run=${run}&name=${place}`),
    ];
  });
}

/** Of every page these tabs are checked by axe. */
const always = new Set(['#overview', '#graph', '#numbers']);

/** Texts that are cut or lie on each other, and a page wider than its window. */
const unreadable = async page => [...await cutTexts(page), ...await collidingTexts(page), ...await sideways(page)];

async function checkPlace(page, document, hash, {seen, texts, accessible, all}) {
  const problems = [];
  await visit(page, hash);
  if (accessible) {
    await unfold(page, {all: false, rounds: 2});  // more rows of a table are not worth the seconds that axe takes for them
    problems.push(...await inaccessible(page));
  }
  problems.push(...await unreadable(page));
  await unfold(page, {all, rounds: all ? 3 : 2});
  problems.push(...await wrongNumbers(page, document, seen), ...await unreadable(page));
  texts.push(await allText(page));
  if (await asTables(page) > 0) {
    await unfold(page, {all, rounds: 1});
    problems.push(...await wrongNumbers(page, document, seen), ...await unreadable(page));
    texts.push(await allText(page));
  }
  return problems;
}

const allText = page => page.evaluate(() => [document.body.textContent,
  ...[...document.querySelectorAll('[title], [aria-label]')].flatMap(element => [element.getAttribute('title'), element.getAttribute('aria-label')])].join('\n'));

/** The table of messages fits into the window. */
async function wideMessages(page, {runs: [run]}) {
  if (!run?.report.tables.messages) return [];
  await visit(page, '#communication');
  const wide = await page.evaluate(caption => [...document.querySelectorAll('.scroll')].filter(({ariaLabel, scrollWidth, clientWidth}) =>
    ariaLabel === `${caption}, table` && scrollWidth > clientWidth).map(({scrollWidth, clientWidth}) => `${scrollWidth} of ${clientWidth} px`), run.titles.messages);
  return wide.map(size => `the table is too wide: ${size}`);
}

async function graphProblems(page) {
  const problems = [];
  for (const hash of ['#graph?open=-', '#graph', '#graph?open=*']) {
    await visit(page, hash);
    const {count, problems: pairs} = await overlaps(page);
    problems.push(...pairs, ...await unreadable(page));
    if (hash.endsWith('*') && count < leastBoxes) problems.push(`only ${count} boxes`);
  }
  return problems;
}

async function check(browser, path) {
  const name = basename(path);
  const context = await browser.newContext({viewport: desk});
  const file = `${path}.html`, document = readDocument(`${path}.json`);
  const problems = [], seen = new Set(), texts = [];
  const note = (where, found) => problems.push(...[...new Set(found)].slice(0, 5).map(problem => `${name} ${where}: ${problem}`));
  if (!isDeepStrictEqual(documentOf(readFileSync(file, 'utf8')), document)) note('data', ['differ from what --format json writes']);
  const page = await opened(context, file);
  if (document.runs[0]?.graph) note('graph', await graphProblems(page));
  const tabs = await tabsOf(page);
  for (const hash of [...tabs, ...addressesOf(document), ...more[name] ?? []]) {
    const accessible = tabs.includes(hash) && (wholly.has(name) || always.has(hash));
    note(hash, await checkPlace(page, document, hash, {seen, texts, accessible, all: wholly.has(name)}));
  }
  await page.setViewportSize(phone);
  for (const hash of tabs) {
    const accessible = wholly.has(name) || always.has(hash);
    note(`${hash} on a phone`, await checkPlace(page, document, hash, {seen, texts, accessible, all: false}));
  }
  await page.setViewportSize(desk);
  for (const run of document.runs) note('roofline', pointsAboveRoofs(run));
  if (document.runs[0]?.views.some(({name: view}) => view === 'overview')) {
    note('overview', await overviewProblems(page, document));
    if (!document.space && tabs[0] !== '#overview') note('tabs', [`the first tab is ${tabs[0]}`]);
  }
  if (document.runs[0]) note('timeline', await timelineProblems(page, document.runs[0]));
  note('messages', await wideMessages(page, document));
  if (seen.size < leastNumbers) note('numbers', [`only ${seen.size} numbers`]);
  if (name === 'own') note('texts', await hostileProblems(page, texts.join('\n')));
  note('page', page.problems);
  await context.close();
  return {problems, summary: `${name}: ${tabs.length} tabs, ${seen.size} numbers`};
}

const browser = await launch();
const results = [];
for (const path of process.argv.slice(2)) {
  const begin = performance.now();
  const result = await check(browser, path);
  results.push({...result, summary: `${result.summary}, ${((performance.now() - begin) / 1000).toFixed(1)} s`});
}
await browser.close();
finished(results.flatMap(({problems}) => problems), results.map(({summary}) => summary).join('\n'));
