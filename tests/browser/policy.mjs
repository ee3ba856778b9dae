// policy.mjs PAGE.html: the page lets nothing in from outside, and runs nothing but its program. Without its policy all of that would come.
import {createServer} from 'node:http';
import {readFileSync, writeFileSync} from 'node:fs';
import {finished, launch, opened} from './browser.mjs';

/** What somebody could put into a page; each asks for an address of its own. */
async function tried(host) {
  const added = (name, fields) => new Promise(done => {
    const element = Object.assign(document.createElement(name), fields);
    element.onload = element.onerror = done;
    document.body.append(element);
    setTimeout(done, 500);
  });
  await fetch(`${host}/fetch`, {mode: 'no-cors'}).catch(() => {});
  await Promise.all([
    added('img', {src: `${host}/image`}),
    added('script', {src: `${host}/script`}),
    added('link', {rel: 'stylesheet', href: `${host}/style`}),
    added('iframe', {src: `${host}/frame`}),
    added('video', {src: `${host}/video`}),
  ]);
  navigator.sendBeacon(`${host}/beacon`);
  document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = "a script"'}));
  document.body.append(Object.assign(document.createElement('div'), {innerHTML: '<img src="data:," onerror="window.ran = \'a handler\'">'}));
  await added('script', {src: 'data:text/javascript,window.ran="a script of data"'});
  try {
    window.ran = new Function('return "a text"')();
  } catch { /* as it should be */ }
  await new Promise(done => setTimeout(done, 300));
  return window.ran ?? '';
}

async function outcome(context, file) {
  const asked = new Set();
  const server = createServer((request, response) => {
    asked.add(request.url);
    response.writeHead(200, {'access-control-allow-origin': '*'}).end();
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  const page = await opened(context, file);
  const ran = await page.evaluate(tried, `http://127.0.0.1:${server.address().port}`);
  await page.close();
  server.close();
  server.closeAllConnections();
  return {asked: [...asked].sort(), ran};
}

const file = process.argv[2];
const browser = await launch();
const context = await browser.newContext();
const kept = await outcome(context, file);
const bare = file.replace(/\.html$/, '-bare.html');
writeFileSync(bare, readFileSync(file, 'utf8').replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, ''));
const without = await outcome(context, bare);
await browser.close();
const problems = kept.asked.map(path => `the page asked for ${path}`);
if (kept.ran !== '') problems.push(`${kept.ran} ran`);
if (without.asked.length < 7 || without.ran === '') problems.push(`without a policy, only ${without.asked.join(' ')} came: this test would find nothing`);
finished(problems, `nothing came in; without a policy ${without.asked.length} would`);
