// paper.mjs PAGE: PAGE.html (with a graph, memory and numbers) on paper.
import {finished, launch, opened, settled, visit} from './browser.mjs';
import {readDocument} from './documents_read.mjs';

const path = process.argv[2];
const {runs: [run]} = readDocument(`${path}.json`);
const problems = [];
const controls = '[role=tablist], .tools button, .search, .command button, .close, .permalink, button.more, select';

const pagesOf = pdf => (pdf.toString('latin1').match(/\/Type\s*\/Page\b/g) ?? []).length;

/** What is on the page while it is printed. */
async function printed(page) {
  await page.emulateMedia({media: 'print'});
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await settled(page);
  const found = await page.evaluate(which => {
    const seen = element => element.checkVisibility({checkVisibilityCSS: true}) && element.getBoundingClientRect().height > 0;
    const place = selector => document.querySelector(selector)?.getBoundingClientRect();
    return {
      controls: [...document.querySelectorAll(which)].filter(seen).map(({outerHTML}) => outerHTML.slice(0, 120)),
      numbers: [...document.querySelectorAll('[data-at]')].filter(seen).map(({dataset}) => dataset.at),
      text: document.body.innerText,
      graph: place('.graph')?.bottom, panel: place('.panel')?.top,
      scrolled: [...document.querySelectorAll('.scroll')].filter(element => seen(element) && element.scrollHeight > element.clientHeight + 1).map(({ariaLabel}) => ariaLabel),
      folded: document.querySelectorAll('#page details:not([open])').length,
    };
  }, controls);
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  await page.emulateMedia({media: 'screen'});
  return found;
}

/** The paths of all metrics that a view draws. */
const metricsOf = view => run.views.find(({name}) => name === view).drawings.filter(({draw}) => draw === 'numbers')
  .flatMap(({report}) => run.sections[report]).flatMap(({metrics}) => metrics).map(id => `runs.0.report.${id}`);

/** Those of the numbers of a table: columns and rows that the view draws. */
const cellsOf = table => run.report.tables[table].flatMap((row, i) => Object.entries(row).filter(([, value]) => typeof value === 'number').map(([column]) => `runs.0.report.tables.${table}.${i}.${column}`));

const wanted = {
  '#graph/decoder.moe.gate?open=*': [],
  '#memory': cellsOf('parts'),
  '#numbers': metricsOf('numbers').filter(path => typeof run.report[path.split('.').at(-1)] === 'number'),
};

const browser = await launch();
const page = await opened(await browser.newContext({viewport: {width: 1400, height: 900}}), `${path}.html`);
const counts = [];
for (const [hash, paths] of Object.entries(wanted)) {
  await visit(page, hash);
  const {controls: left, numbers, text, graph, panel, scrolled, folded} = await printed(page);
  const expect = (holds, what) => {
    if (!holds) problems.push(`${hash}: ${what}`);
  };
  const missing = [...paths, ...run.headline.map(({metric}) => `runs.0.report.${metric}`)].filter(at => !numbers.includes(at));
  expect(missing.length === 0, `paper lacks ${missing.length} numbers: ${missing.slice(0, 3)}`);
  expect(left.length === 0, `controls are printed: ${left.slice(0, 3)}`);
  expect(scrolled.length === 0, `not all is printed of ${scrolled}`);
  expect(folded === 0, `${folded} folded parts are not printed`);
  if (graph !== undefined) expect(panel >= graph - 1, `the panel, at ${panel}, is not below the graph, which ends at ${graph}`);
  if (hash.startsWith('#graph')) expect(text.includes('decoder.moe.gate'), 'the chosen operator is not printed');
  const pdf = await page.pdf({format: 'A4'});
  counts.push(`${hash.split(/[/?]/)[0]} ${pagesOf(pdf)} pages`);
  expect(pagesOf(pdf) > 0 && pagesOf(pdf) < 60, `${pagesOf(pdf)} pages`);
  expect(await page.$('.tabs') !== null && page.problems.length === 0, page.problems.join('\n'));
}
await browser.close();
finished(problems, counts.join(', '));
