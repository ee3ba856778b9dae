// commands.mjs PAGE…: the command that PAGE.html says a run comes from can be copied into a shell, and does something.
import {spawnSync} from 'node:child_process';
import {finished, launch, opened, visit} from './browser.mjs';
import {readDocument} from './documents_read.mjs';

const problems = [];
const browser = await launch();
const context = await browser.newContext();
let count = 0;
for (const path of process.argv.slice(2)) {
  const page = await opened(context, `${path}.html`);
  const {runs, title} = readDocument(`${path}.json`);
  if (await page.title() !== title) problems.push(`${path}: the title is ${await page.title()}, not ${title}`);
  for (const run of runs.keys()) {
    await visit(page, `#numbers?run=${run}`);
    const command = await page.$eval('.command code', ({textContent}) => textContent);
    const {status, stderr} = spawnSync('sh', ['-c', `opledger() { "$OPLEDGER" "$@"; }\n${command}`], {encoding: 'utf8'});
    // 1: the run is not feasible, which is an answer.
    if (!command.startsWith('opledger ') || status === null || status > 1) problems.push(`${path}, run ${run + 1}: ${command}\n  ${stderr}`);
    ++count;
  }
  await page.close();
}
await browser.close();
finished(problems, `${count} commands did something`);
