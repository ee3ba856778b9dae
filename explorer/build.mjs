// Build script: writes explorer.html, the page with placeholders for title and data, which the program fills.
import {createHash} from 'node:crypto';
import {readFileSync, readdirSync, statSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const libraries = ['@dagrejs/dagre', '@dagrejs/graphlib', 'preact'];

function filesBelow(folder) {
  return readdirSync(join(here, folder)).flatMap((name) => {
    const path = `${folder}/${name}`;
    return statSync(join(here, path)).isDirectory() ? filesBelow(path) : [path];
  });
}

// CMake computes the same checksum, so an outdated page is detected without Node.
function sumOfSources() {
  const own = ['build.mjs', 'package.json', 'package-lock.json', 'tsconfig.json'];
  const paths = [...filesBelow('src'), ...own].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const sum = (bytes) => createHash('sha256').update(bytes).digest('hex');
  return sum(paths.map((path) => `${sum(readFileSync(join(here, path)))}  ${path}\n`).join(''));
}

// The libraries have the MIT license: its text appears once, below the names of the owners.
function licences() {
  let terms = '';
  const owners = libraries.map((library) => {
    const folder = join(here, 'node_modules', library);
    const text = readFileSync(join(folder, 'LICENSE'), 'utf8');
    const {version} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (!text.includes('Permission is hereby granted')) throw new Error(`${library} is not under the MIT licence`);
    terms = text.slice(text.indexOf('Permission is hereby granted')).trim();
    return `${library} ${version}: ${text.match(/^Copyright.*$/m)[0]}`;
  });
  return `/*\n${owners.join('\n')}\n\n${terms}\n*/\n`;
}

async function bundle(entry, more = {}) {
  const result = await build({
    absWorkingDir: here, entryPoints: [entry], bundle: true, minify: true, write: false, charset: 'utf8',
    format: 'iife', target: 'es2022', legalComments: 'none', logLevel: 'warning', ...more,
  });
  return result.outputFiles[0].text.trim();
}

// Colors of a theme use `light-dark()`, which an older target would replace.
const style = await bundle('src/page.css', {target: 'chrome123'});
// The program contains the style, so that pages with much data compress both.
const dressed = `document.head.append(Object.assign(document.createElement('style'),{textContent:${JSON.stringify(style)}}));\n`;
const script = dressed + await bundle('src/page.tsx', {jsx: 'automatic', jsxImportSource: 'preact', define: {'process.env.NODE_ENV': '"production"'}})
  + '\n' + licences();
const loader = await bundle('src/loader.ts');
const allowed = [loader, script].map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ');
const policy = `default-src 'none'; script-src ${allowed}; `
  + `style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`;

const page = `<!-- explorer ${sumOfSources()} -->
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>@TITLE@</title>
<link rel="icon" href="data:,">
<body>
<div id="page"></div>
<noscript>This page needs JavaScript.</noscript>
<script type="@TYPE@" id="data">@DATA@</script>
<script type="text/plain" id="program">${script}</script>
<script>${loader}</script>
</html>
`;

for (const place of ['@TITLE@', '@TYPE@', '@DATA@']) {
  if (page.split(place).length !== 2) throw new Error(`${place} must stand in the page once`);
}
if (/<\/script|<!--/i.test(script)) throw new Error('the bundle would end its element');
writeFileSync(join(here, 'explorer.html'), page);
console.log(`explorer.html: ${Buffer.byteLength(page)} bytes (script ${Buffer.byteLength(script)}, style ${Buffer.byteLength(style)})`);
