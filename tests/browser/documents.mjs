// documents.mjs PAGE…: what PAGE.json says is what the other commands say. Needs no browser.
import {execFileSync} from 'node:child_process';
import {isDeepStrictEqual} from 'node:util';
import {finished} from './browser.mjs';
import {readDocument} from './documents_read.mjs';

const reports = ['eval --layers', 'memory', 'memory --at peak', 'memory --over time', 'comm', 'params', 'flops'];
const training = new Set(['memory --at peak', 'memory --over time']);  // only where a step keeps tensors

/** What a command writes; the words are quoted for a shell, as the document has them. */
function answer(words, {more = '', none = false} = {}) {
  try {
    const text = execFileSync('sh', ['-c', `"$OPLEDGER" ${words} --format json ${more}`], {maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe']});
    return JSON.parse(text);
  } catch (error) {
    if (error.status === 1 && error.stdout.length > 0) return JSON.parse(error.stdout);  // a run that does not fit
    if (none) return null;
    throw new Error(`opledger ${words}: ${error.stderr ?? error}`);
  }
}

/** Where two values differ first. */
function difference(a, b, at = '') {
  if (isDeepStrictEqual(a, b)) return null;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return `${at}: ${JSON.stringify(a)}, not ${JSON.stringify(b)}`;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = difference(a[key], b[key], at === '' ? key : `${at}.${key}`);
    if (found) return found;
  }
  return `${at}: another order of keys`;
}

const problems = [];
const counts = {metrics: 0, tables: 0, explained: 0, works: 0};
function same(what, ours, theirs) {
  const found = difference(ours, theirs);
  if (found) problems.push(`${what}: the page says ${found}`);
}

/** Metrics by their names, and tables that both have. */
function compareReport(what, page, report) {
  for (const [id, name] of Object.entries(report.metrics ?? {})) {
    if (!Object.hasOwn(page, name)) problems.push(`${what}: the page lacks ${name}`);
    else same(`${what}, ${name}`, page[name], report[id]);
    ++counts.metrics;
  }
  const known = Object.keys(report.tables).filter(table => Object.hasOwn(page.tables, table));
  for (const table of known) same(`${what}, table ${table}`, page.tables[table], report.tables[table]);
  counts.tables += known.length;
}

/** Starts that are not told are the ends of the works before. */
function worksOf({stages}) {
  return stages.flatMap(({work, start, end}, stage) => work.map((name, i) => ({stage, work: name, start: start[i] ?? (i === 0 ? 0 : end[i - 1]), end: end[i]})));
}

function compareTimeline(name, {command, timeline}) {
  const played = answer(`timeline ${command}`, {none: timeline === null});
  if (played === null || timeline === null) return same(`${name}: timeline`, timeline, played);
  const theirs = played.tables.works.map(({stage, work, start, end}) => ({stage, work, start, end}));
  const ours = worksOf(timeline);
  const sorted = works => works.sort((a, b) => a.stage - b.stage || a.start - b.start || a.end - b.end || (a.work < b.work ? -1 : 1));
  same(`${name}: timeline`, sorted(ours), sorted(theirs));
  same(`${name}: end of the timeline`, timeline.end, played.step_as_played);
  counts.works += ours.length;
}

function compareExplanations(name, {command, report, explanations: {metrics, opened}}) {
  const all = Object.entries(metrics);
  for (const [id, place] of command.includes(' own_') ? all.slice(0, 5) : all) {  // beyond its own, its metrics are the standard ones
    const ours = opened[place];
    same(`${name}: ${id} explained`, ours.value, report[id]);
    const told = answer(`explain ${command} ${ours.name}`, {more: '--depth 1'});
    same(`${name}: explain ${ours.name}`, ours.value, told.names[0]?.value);
    ++counts.explained;
  }
}

/** Runs of a search have an execution that the search writes. */
function compareFound(name, {command, report}) {
  execFileSync('sh', ['-c', `"$OPLEDGER" ${command}`], {stdio: ['ignore', 'ignore', 'pipe']});
  compareReport(`${name}: eval`, report, answer(`eval ${report.model} ${command.split(' ').at(-1)} ${report.system}`));
}

function compareAsked(name, {command: words, ...rest}) {
  const run = {...rest, command: words.replace(/^eval /, '')};
  for (const report of reports) {
    const [command, ...options] = report.split(' ');
    const told = answer(`${command} ${run.command} ${options.join(' ')}`, {none: training.has(report) && run.timeline === null});
    if (told) compareReport(`${name}: ${report}`, run.report, told);
  }
  same(`${name}: graph`, run.graph, answer(`graph ${run.command}`));
  compareTimeline(name, run);
  compareExplanations(name, run);
}

function compare(name) {
  const {runs, differences, space} = readDocument(`${name}.json`);
  if (space) runs.forEach(run => compareFound(name, run));
  else if (differences) same(`${name}: diff`, differences.tables, answer(`diff ${runs[0].command.replace(/^eval /, '')} --against tp=4`).tables);
  else compareAsked(name, runs[0]);
}

for (const name of process.argv.slice(2)) {
  try {
    compare(name);
  } catch (error) {
    problems.push(`${name}: ${error.message}`);
  }
}
if (counts.metrics < 80 || counts.tables < 30 || counts.explained < 60) problems.push(`too little was compared: ${JSON.stringify(counts)}`);
finished(problems, Object.entries(counts).map(([what, count]) => `${count} ${what}`).join(', '));
