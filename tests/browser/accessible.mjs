// What axe finds.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';

const program = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function findings(page, rules) {
  await page.evaluate(`globalThis.axe === undefined && (() => { ${program} })()`);
  return page.evaluate(async only => {
    const {violations} = await globalThis.axe.run(document, {resultTypes: ['violations'], preload: false, ...only && {runOnly: {type: 'rule', values: only}}});
    return violations.flatMap(({id, nodes}) => nodes.slice(0, 3).map(({html, failureSummary}) => `axe: ${id}: ${html.slice(0, 200)}: ${failureSummary.slice(0, 300)}`));
  }, rules);
}

/** Of what is alike a few are enough: axe takes a second for a thousand elements. */
const hideMany = 'tbody tr:nth-child(n + 9), .parts > li:nth-child(n + 7), svg g > a:nth-child(n + 25) { display: none !important; }';

const adopt = (page, text) => page.evaluate(style => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets = style === '' ? [] : [sheet];
}, text);

/** In light all rules; in dark those of colours, for nothing else differs. */
export async function inaccessible(page) {
  await adopt(page, hideMany);
  await page.emulateMedia({colorScheme: 'light'});
  const light = await findings(page, null);
  await page.emulateMedia({colorScheme: 'dark'});
  const dark = await findings(page, ['color-contrast']);
  await page.emulateMedia({colorScheme: 'light'});
  await adopt(page, '');
  return [...light.map(problem => `light: ${problem}`), ...dark.map(problem => `dark: ${problem}`)];
}
