// A browser, and pages in it that note whatever a page of a run must not do.
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

export const launch = () => chromium.launch({executablePath: process.env.BROWSER ?? '/usr/bin/chromium', args: ['--no-sandbox']});

/** Drawn twice more: whatever was begun before is on the screen then. */
export const settled = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Opens FILE at an address, and waits until it is drawn and all its lists are read. `page.problems` has what went wrong until now. */
export async function opened(context, file, hash = '') {
  const page = await context.newPage();
  const url = pathToFileURL(file).href;
  page.problems = [];
  page.file = url;
  page.on('console', message => page.problems.push(`console: ${message.text()}`));
  page.on('pageerror', error => page.problems.push(`error: ${error.stack ?? error}`));
  page.on('dialog', dialog => {
    page.problems.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', request => {
    const wanted = request.url();
    if (wanted.replace(/#.*/s, '') !== url && !wanted.startsWith('data:')) page.problems.push(`request: ${wanted}`);
  });
  await page.goto(url + hash);
  await page.waitForSelector('body[data-complete]', {timeout: 30000});
  await settled(page);
  return page;
}

/** Another place of the same page. */
export async function visit(page, hash) {
  await page.evaluate(wanted => new Promise(done => {
    if (location.hash === wanted) return done();
    addEventListener('hashchange', done, {once: true});
    location.hash = wanted;
  }), hash);
  await settled(page);
}

/** The addresses of all tabs. */
export const tabsOf = page => page.$$eval('[role=tab]', tabs => tabs.map(tab => tab.getAttribute('href').replace(/\?.*/s, '')));

/** Ends the program: with status 1 if there are problems, which are listed. */
export function finished(problems, summary) {
  if (problems.length === 0) return console.log(summary);
  for (const problem of problems) console.error(problem);
  process.exitCode = 1;
}
