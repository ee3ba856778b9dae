// keyboard.mjs PAGE: all of PAGE.html (of a training run with experts) without a mouse, and every address of the way in a fresh page.
import {finished, launch, opened, settled, tabsOf} from './browser.mjs';
import {checks, focused, hashOf, press, shows, tabTo} from './by_keys.mjs';
import {readDocument} from './documents_read.mjs';
import {copiesTables, picturesAsTables, sortsTables} from './tables_by_keys.mjs';

const path = process.argv[2];
const document = readDocument(`${path}.json`);
const {graph} = document.runs[0];
const {expect, problems} = checks();
const reached = new Map();  // what was shown at each address

async function reach(page) {
  reached.set(await page.evaluate(() => location.hash), await shows(page));
}

const isBox = ({classes}) => classes.includes('box');
const boxNow = async page => (await focused(page)).id.replace(/^box-/, '');

async function tabsByArrows(page) {
  await tabTo(page, 'the tabs', ({role}) => role === 'tab', 15);
  const ids = (await tabsOf(page)).map(hash => `tab-${hash.slice(1)}`);
  for (const [key, place] of [...ids.slice(1).map((_, i) => ['ArrowRight', i + 1]), ['ArrowRight', 0], ['ArrowLeft', ids.length - 1], ['Home', 0], ['End', ids.length - 1], ['Home', 0]]) {
    await press(page, key);
    const selected = await page.$eval('[role=tab][aria-selected=true]', ({id}) => id);
    expect((await focused(page)).id === ids[place] && selected === ids[place], `${key} among tabs leads to ${selected}, not ${ids[place]}`);
    await reach(page);
  }
}

/** Whether something in one box is read by something in the other. */
function feeds(from, to) {
  const inside = (name, box) => name === box || name.startsWith(`${box}.`);
  const made = new Set(graph.nodes.filter(({name}) => inside(name, from)).flatMap(({outputs}) => outputs));
  return graph.nodes.some(({name, inputs}) => inside(name, to) && inputs.some(({tensor}) => made.has(tensor)));
}

async function graphByArrows(page) {
  await press(page, 'ArrowRight');  // from the overview to the graph
  await tabTo(page, 'a box of the graph', isBox, 12);
  const way = [await boxNow(page)];
  const isDeep = box => /decoder\.(moe\.gate|attention\.core)$/.test(box);  // whichever of both blocks is open at first, the heavier one
  while (!isDeep(way.at(-1)) && way.length < 15) {
    await press(page, 'ArrowDown');
    way.push(await boxNow(page));
  }
  expect(isDeep(way.at(-1)), `ArrowDown leads along ${way.join(', ')}`);
  const inLayer = way.filter(box => box.startsWith('decoder.'));
  inLayer.slice(1).forEach((box, i) => expect(feeds(inLayer[i], box), `ArrowDown leads from ${inLayer[i]} to ${box}, which does not read it`));
  expect(inLayer.length >= 5, `ArrowDown leads through ${inLayer.length} boxes of a layer`);
  await press(page, 'ArrowUp');
  expect(feeds(await boxNow(page), inLayer.at(-1)), 'ArrowUp does not lead to what is read');
  await press(page, 'Home', 'ArrowDown');
  for (let steps = 0; steps < 15 && (await focused(page)).open !== 'false'; ++steps) await press(page, 'ArrowDown');  // to a closed block
}

async function blocksByEnter(page) {
  const block = await boxNow(page);
  const before = await shows(page);
  await press(page, 'Enter');
  await reach(page);
  const open = await shows(page);
  expect((await focused(page)).open === 'true' && open !== before, `Enter does not open ${block}`);
  await press(page, 'ArrowDown');
  const node = await boxNow(page);
  expect(node.startsWith(`${block}.`), `ArrowDown from the open ${block} leads to ${node}`);
  await press(page, 'Enter');
  await reach(page);
  const chosen = await shows(page);
  expect(await page.$eval('.panel h3', ({textContent}) => textContent) === node, `Enter does not show ${node} in the panel`);
  for (const [step, wanted] of [['goBack', open], ['goBack', before], ['goForward', open], ['goForward', chosen]]) {
    await page[step]();
    await settled(page);
    expect(await shows(page) === wanted, `${step} does not restore what was shown`);
  }
  await page.locator(`[id="box-${node}"]`).focus();
}

async function explanationsByEnter(page) {
  await tabTo(page, 'a time in the panel', ({classes, text}) => classes.includes('number') && text.startsWith('time'), 20);
  await press(page, 'Enter');
  expect(/[?&]name=\d+/.test(await hashOf(page)), 'Enter at a number does not explain it');
  await reach(page);
  for (let depth = 0; depth < 4; ++depth) {
    await tabTo(page, 'a part of an explanation', ({classes, open}) => classes.includes('part') && open === 'false');
    await press(page, 'Enter');
    expect((await focused(page)).open === 'true', 'Enter does not open a part of an explanation');
  }
  const places = await page.$$eval('.explanation .file', all => all.map(({textContent, title}) => [textContent, title]));
  expect(places.length >= 3 && places.every(([text, title]) => /\.yaml:\d+$/.test(text) && title.endsWith(text)), `explanations lead to the places ${JSON.stringify(places)}`);
  await press(page, 'Escape');
  expect(isBox(await focused(page)) && !await page.$('.panel .close'), 'Escape does not close the panel and lead back to the graph');
  const block = await boxNow(page);
  await press(page, 'Escape');
  expect(block.startsWith(`${await boxNow(page)}.`), `Escape leads from ${block} to ${await boxNow(page)}`);
  await reach(page);
}

async function searchByKeys(page) {
  await page.locator('[role=tab][aria-selected=true]').focus();
  await tabTo(page, 'the search', ({type}) => type === 'search', 10);
  await page.keyboard.type('*.gate');
  await settled(page);
  const gates = graph.nodes.map(({name}) => name).filter(name => name.endsWith('.gate'));
  const told = await page.$eval('.search output', ({textContent}) => textContent);
  expect(gates.length > 1 && told === `${gates.length} found`, `*.gate: ${told}, not ${gates.length}`);
  for (const gate of gates) {
    await press(page, 'Enter');
    expect(await page.$eval('.panel h3', ({textContent}) => textContent) === gate, `Enter in the search does not lead to ${gate}`);
    await reach(page);
  }
  await press(page, 'Escape');
  expect(await page.$eval('.search input', ({value}) => value) === '', 'Escape does not end the search');
}

/** Links are for others: who opens one sees the same. */
async function linksShare(context) {
  const page = await opened(context, `${path}.html`);
  for (const [hash, shown] of reached) {
    await page.goto('about:blank');
    await page.goto(page.file + hash);
    await page.waitForSelector('body[data-ready]');
    await settled(page);
    expect(await shows(page) === shown, `the link ${decodeURIComponent(hash)} shows\n${await shows(page)}\nnot\n${shown}`);
  }
}

const browser = await launch();
const context = await browser.newContext({viewport: {width: 1400, height: 900}});
const page = await opened(context, `${path}.html`);
for (const part of [tabsByArrows, graphByArrows, blocksByEnter, explanationsByEnter, searchByKeys, picturesAsTables, sortsTables, copiesTables]) {
  await part(page, {document, expect, context, path}).catch(error => problems.push(`${part.name}: ${error.message}`));
}
problems.push(...page.problems);
await linksShare(context);
await browser.close();
finished(problems, `${reached.size} addresses reached`);
