// sizes.mjs EXPERTS LAYERS: pages of usual size are small, and pages with many nodes are drawn: EXPERTS.html many times over, LAYERS.html all open.
// Milliseconds are told, not compared: machines differ. Only what would hang fails.
import {readFileSync, writeFileSync} from 'node:fs';
import {finished, launch, opened} from './browser.mjs';
import {documentOf, withDocument} from './documents_read.mjs';
import {overlaps} from './layout_seen.mjs';

const [experts, layers] = process.argv.slice(2);
const mostBytes = 300_000;
const mostSeconds = 10;
const copies = 34;

/** A document with the segments of its graph many times: each copy has names of its own. */
function multiplied(document) {
  const {graph, report: {tables}, layers: counts} = document.runs[0];
  const segments = graph.segments.map(({name}) => name);
  const own = new RegExp(`^(${segments.join('|')})(?=\\.|$)`);
  const copy = (value, k) => JSON.parse(JSON.stringify(value), (_, text) => typeof text === 'string' ? text.replace(own, `$1_${k}`) : text);
  const many = list => Array.from({length: copies}, (_, k) => copy(list, k)).flat();
  Object.assign(graph, {nodes: many(graph.nodes), tensors: many(graph.tensors), weights: many(graph.weights), segments: many(graph.segments), transfers: many(graph.transfers)});
  tables.shares = many(tables.shares);
  document.runs[0].layers = Object.fromEntries(Array.from({length: copies}, (_, k) => Object.entries(counts).map(([name, count]) => [`${name}_${k}`, count])).flat());
  return document;
}

const html = readFileSync(`${experts}.html`, 'utf8');
const large = multiplied(documentOf(html));
writeFileSync(`${experts}-many.html`, withDocument(html, large));
const problems = [];
const told = [`${Buffer.byteLength(html)} bytes`];
if (Buffer.byteLength(html) >= mostBytes) problems.push(`${experts}.html has ${Buffer.byteLength(html)} bytes`);
if (large.runs[0].graph.nodes.length < 2000) problems.push(`only ${large.runs[0].graph.nodes.length} nodes`);

const nodesOf = path => documentOf(readFileSync(`${path}.html`, 'utf8')).runs[0].graph.nodes.length;
const browser = await launch();
const context = await browser.newContext({viewport: {width: 1400, height: 900}});
for (const [path, hash, least] of [[experts, '', 0], [experts, '#graph', 10], [`${experts}-many`, '#graph?open=-', 4 * copies], [layers, '#graph', 10], [layers, '#graph?open=*', nodesOf(layers)]]) {
  const page = await opened(context, `${path}.html`, hash);
  const ready = await page.evaluate(() => Math.round(performance.now()));
  const {count, problems: pairs} = await overlaps(page);
  const what = `${path.split('/').at(-1)}${hash}`;
  told.push(`${what}: ready after ${ready} ms, ${count} boxes`);
  problems.push(...[...pairs.slice(0, 3), ...page.problems].map(problem => `${what}: ${problem}`));
  if (count < least) problems.push(`${what}: ${count} boxes, not ${least}`);
  if (ready > 1000 * mostSeconds) problems.push(`${what}: ready after ${ready} ms`);
  await page.close();
}
await browser.close();
finished(problems, told.join('\n'));
