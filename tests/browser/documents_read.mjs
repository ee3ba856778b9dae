// Documents of pages, and what stands where in them.
import {readFileSync} from 'node:fs';
import {gunzipSync, gzipSync} from 'node:zlib';

export const readDocument = file => JSON.parse(readFileSync(file, 'utf8'));

const element = (html, id) => html.match(new RegExp(`<script type="([^"]*)" id="${id}">([^]*?)</script>`)) ?? ['', '', ''];
const lists = /\n<script type="application\/gzip" class="list" data-place="([^"]*)">([^]*?)<\/script>/g;
const unpacked = text => JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString());
const entities = {'&quot;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&'};

/** Returns the document of a page. A compressed document has its large lists in elements of their own. */
export function documentOf(html) {
  const [, type, text] = element(html, 'data');
  if (type !== 'application/gzip') return JSON.parse(text);
  const document = unpacked(text);
  for (const [, place, list] of html.matchAll(lists)) {
    const steps = JSON.parse(place.replace(/&\w+;/g, entity => entities[entity]));
    steps.slice(0, -1).reduce((at, step) => at[step], document)[steps.at(-1)] = unpacked(list);
  }
  return document;
}

/** The same page with other data, compressed. */
export function withDocument(html, document) {
  const [whole] = element(html, 'data');
  const packed = gzipSync(JSON.stringify(document)).toString('base64');
  return html.replace(lists, '').replace(whole, () => `<script type="application/gzip" id="data">${packed}</script>`);
}

/** What a path leads to: `runs.0.report.tables.stages.1.memory`. Keys may have dots in them, so all readings are tried. */
export function valueAt(value, path) {
  if (value === null || typeof value !== 'object') return undefined;
  if (Object.hasOwn(value, path)) return value[path];
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const key = path.slice(0, dot);
    const found = Object.hasOwn(value, key) ? valueAt(value[key], path.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Of numbers the number, of all else the text. */
export function agrees(expected, written) {
  if (typeof expected === 'number') return written !== '' && Number(written) === expected;
  return expected !== undefined && String(expected) === written;
}
