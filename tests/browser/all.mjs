// All checks of pages, three programs at a time, each with a browser of its own: two cores are busy then, for browsers often wait for the next frame.
import {spawn} from 'node:child_process';

const pages = (...names) => names.map(name => `pages/${name}`);
const jobs = [
  ['explorer.mjs', ...pages('search')],
  ['explorer.mjs', ...pages('deepseek-v3', 'own')],
  ['explorer.mjs', ...pages('llama-3-70b-against')],
  ['documents.mjs', ...pages('deepseek-v3', 'mixtral-8x7b-serve', 'llama-3-70b-against', 'own', 'search')],
  ['explorer.mjs', ...pages('t5-base', 'mixtral-8x7b-serve')],
  ['keyboard.mjs', ...pages('deepseek-v3')],
  ['commands.mjs', ...pages('deepseek-v3', 'mixtral-8x7b-serve', 'llama-3-70b-against', 'own', 'search')],
  ['paper.mjs', ...pages('deepseek-v3')],
  ['sizes.mjs', ...pages('deepseek-v3', 'jamba-v0.1')],
  ['many.mjs', ...pages('many')],
  ['policy.mjs', 'pages/mixtral-8x7b-serve.html'],
  ['walk.mjs', 'pages'],
];

const begin = performance.now();
const run = job => new Promise(done => {
  const started = performance.now();
  const program = spawn(process.execPath, job, {stdio: ['ignore', 'pipe', 'pipe']});
  let output = '';
  program.stdout.on('data', text => output += text);
  program.stderr.on('data', text => output += text);
  program.on('close', status => {
    console.log(`${status === 0 ? 'passed' : 'FAILED'} ${job.join(' ')}, ${((performance.now() - started) / 1000).toFixed(1)} s\n${output.trim().replace(/^/gm, '  ')}`);
    done(status === 0);
  });
});

const waiting = [...jobs];
const passed = [];
async function work() {
  while (waiting.length > 0) passed.push(await run(waiting.shift()));
}
await Promise.all([work(), work(), work()]);
console.log(`${((performance.now() - begin) / 1000).toFixed(1)} s for all`);
if (!passed.every(Boolean)) process.exitCode = 1;
