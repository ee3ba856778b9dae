// many.mjs PAGE: a page of a model with very many segments stays small: the graph folds neighbors, the roofline draws common marks,
// and nodes without details say where these are. A view reads only the data that it needs before it is drawn.
import {readFileSync} from 'node:fs';
import {finished, launch, opened, settled, visit} from './browser.mjs';
import {documentOf} from './documents_read.mjs';

const [path] = process.argv.slice(2);
const mostElements = 5000;
const mostRead = {'': 0.2, '#graph': 0.6, '#roofline': 0.3};  // Share of the document that is read before a view is drawn.
const {graph, explanations, report} = documentOf(readFileSync(`${path}.html`, 'utf8')).runs[0];
const problems = [];
const expect = (holds, problem) => holds || problems.push(problem);
const brief = explanations.nodes.filter(node => node.brief);
expect(graph.segments.length > 250, `only ${graph.segments.length} segments`);
expect(brief.length > 0 && brief.length < explanations.nodes.length, `${brief.length} of ${explanations.nodes.length} nodes are brief`);

const browser = await launch();
const page = await opened(await browser.newContext({viewport: {width: 1400, height: 900}}), `${path}.html`);
const told = [`ready after ${await page.evaluate(() => Math.round(performance.now()))} ms`];
const count = async what => {
  await settled(page);
  const elements = await page.evaluate(() => document.querySelectorAll('*').length);
  told.push(`${what}: ${elements} elements`);
  expect(elements <= mostElements, `${what} has ${elements} elements, more than ${mostElements}`);
};
await count('overview');
for (const [hash, most] of Object.entries(mostRead)) {
  const fresh = await opened(await browser.newContext(), `${path}.html`, hash);
  const {ready, complete} = await fresh.evaluate(() => ({...document.body.dataset}));
  told.push(`${hash || 'first view'}: ${ready} of ${complete} characters read before it is drawn`);
  expect(Number(ready) > 0 && ready <= most * complete, `${hash || 'first view'}: ${ready} of ${complete} characters read before it is drawn`);
  const waiting = await fresh.$$eval('main [role=status]', found => found.map(({textContent}) => textContent));
  problems.push(...waiting.map(text => `${hash}: ${text}`), ...fresh.problems);
  await fresh.close();
}
await visit(page, '#graph');
await count('graph');
await visit(page, '#roofline');
await count('roofline');
const marks = await page.$$eval('.chart a', links => links.map(link => link.getAttribute('aria-label')));
const points = Object.keys(report.tables.roofline[0]).filter(column => column.endsWith('_rate'))
  .flatMap(column => report.tables.roofline.filter(row => row[column] > 0)).length;
const merged = marks.reduce((sum, label) => sum + 1 + Number(/ and (\d+) more,/.exec(label)?.[1] ?? 0), 0);
expect(marks.length > 10 && merged === points, `${marks.length} marks are ${merged} points, not ${points}`);

await visit(page, `#graph/${brief.at(-1).name}`);
await count('graph with a node');
const panel = await page.textContent('.graph-view');
expect(panel.includes('Its details are not on this page'), `nothing says where the details of ${brief.at(-1).name} are`);
problems.push(...page.problems);
await browser.close();
finished(problems, told.join('\n'));
