// speedscope.mjs TRACE: opens a trace in speedscope, offline in a headless browser, and compares what that exports with the trace.
// Exit status 1, with what is wrong, if something is missing or different.
import {readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gunzipSync} from 'node:zlib';
import {chromium} from 'playwright-core';

const folder = process.env.BROWSER_MODULES ?? join(dirname(fileURLToPath(import.meta.url)), 'node_modules');
const trace = process.argv[2];
const bytes = readFileSync(trace);
const {traceEvents: events} = JSON.parse(trace.endsWith('.gz') ? gunzipSync(bytes) : bytes);

/** Works alone, or works with what is inside them. */
const deepest = events.some(e => e.args?.layer !== undefined) ? 2 : 1;

/** Slices by track, in the order of their beginnings: [name, microseconds, microseconds]. */
function slicesOfTrace() {
  const tracks = new Map();
  for (const e of events.filter(e => e.ph === 'X')) {
    const key = `${e.pid}:${e.tid}`;
    if (!tracks.has(key)) tracks.set(key, []);
    tracks.get(key).push([e.name, e.ts, e.ts + e.dur]);
  }
  return [...tracks.values()].map(sorted);
}

function slicesOfExport({profiles, shared: {frames}}) {
  return profiles.map(profile => {
    const out = [], open = [];
    for (const e of profile.events) {
      if (e.type === 'O') open.push([frames[e.frame].name.replace(/ \{.*/, ''), e.at]);  // arguments stand behind the name
      else out.push([...open.pop(), e.at]);
      if (open.length > deepest) throw new Error(`${profile.name}: a slice inside another one at ${e.at}`);
    }
    if (open.length > 0) throw new Error(`${profile.name}: a slice that does not end`);
    return sorted(out.map(([name, start, end]) => [name, start, end]));
  });
}

const sorted = slices => slices.sort((a, b) => a[1] - b[1] || b[2] - a[2]);
/** Relative to the first slice of a track, since a viewer may begin there. */
const shown = tracks => tracks.map(slices => slices.map(([name, start, end]) => `${name} ${(start - slices[0][1]).toFixed(2)} ${(end - start).toFixed(2)}`).join('\n')).sort();

/** Of a track the lines from the first one on that another does not have there. */
function different(track, other) {
  const lines = track.split('\n'), others = other.split('\n');
  const first = lines.findIndex((line, i) => line !== others[i]);
  return lines.slice(Math.max(0, first), first + 5).join('\n');
}

const browser = await chromium.launch({executablePath: process.env.BROWSER ?? '/usr/bin/chromium', args: ['--no-sandbox', '--allow-file-access-from-files']});
let problem = '';
try {
  const page = await browser.newPage({acceptDownloads: true});
  const errors = [];
  page.on('pageerror', e => errors.push(String(e)));
  await page.goto(`file://${join(folder, 'speedscope/dist/release/index.html')}`);
  await (await page.waitForSelector('input[type=file]', {state: 'attached'})).setInputFiles(trace);
  await page.waitForSelector('canvas', {timeout: 60000});
  const download = page.waitForEvent('download', {timeout: 60000});
  await page.keyboard.press('Control+s');
  const exported = JSON.parse(readFileSync(await (await download).path()));
  const expected = shown(slicesOfTrace()), found = shown(slicesOfExport(exported));
  const wrong = expected.findIndex((track, i) => track !== found[i]);
  if (errors.length > 0) problem = errors.join('\n');
  else if (expected.length !== found.length) problem = `${found.length} tracks, not ${expected.length}`;
  else if (wrong >= 0) problem = `a track has\n${different(found[wrong], expected[wrong])}\nnot\n${different(expected[wrong], found[wrong])}`;
  else console.log(`${expected.length} tracks agree`);
} catch (error) {
  problem = String(error.stack ?? error);
} finally {
  await browser.close();
}
if (problem !== '') {
  console.error(problem);
  process.exit(1);
}
