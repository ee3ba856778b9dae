// The address of a view. Everything shown is encoded after `#`, so that a link reproduces it:
// `#graph/decoder.moe.gate?colour=kept`.

import {useEffect, useState} from 'preact/hooks';

export interface Address {
  view: string;  // Empty: the first view.
  item: string;  // Name of a node or a metric, for example.
  options: Map<string, string>;
}

interface Target {
  view: string;
  item?: string;
  options?: Iterable<[string, string]> | {[name: string]: string};
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Encodes only characters that an address does not allow, so that links stay readable.
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/%(2C|3A|40|24|3B|20)/g, code => (code === '%20' ? '%20' : decodeURIComponent(code)));
}

export function parse(hash: string): Address {
  const text = hash.replace(/^#/, '');
  const cut = text.indexOf('?');
  const path = cut < 0 ? text : text.slice(0, cut);
  const slash = path.indexOf('/');
  const options = new Map<string, string>();
  for (const pair of cut < 0 ? [] : text.slice(cut + 1).split('&')) {
    const equals = pair.indexOf('=');
    if (equals > 0) options.set(decoded(pair.slice(0, equals)), decoded(pair.slice(equals + 1)));
  }
  return {
    view: decoded(slash < 0 ? path : path.slice(0, slash)),
    item: slash < 0 ? '' : decoded(path.slice(slash + 1)),
    options,
  };
}

function pairs(options: Target['options']): [string, string][] {
  if (!options) return [];
  return Symbol.iterator in options ? [...(options as Iterable<[string, string]>)] : Object.entries(options);
}

/** Returns the link to a place of the page. The link keeps the shown run, unless `options` selects a run. */
export function href({view, item, options}: Target): string {
  const all = pairs(options).filter(([, value]) => value !== '');
  const run = parse(location.hash).options.get('run');
  if (run !== undefined && !all.some(([name]) => name === 'run')) all.push(['run', run]);
  const question = all.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
  return `#${encoded(view)}${item ? '/' + encoded(item) : ''}${question ? '?' + question : ''}`;
}

/** Returns the link to the current view with an explained name above it. */
export function hrefExplained(place: number): string {
  const {view, item, options} = parse(location.hash);
  return href({view, item, options: new Map(options).set('name', String(place))});
}

/** Navigates to a place; `quietly` replaces the current entry of the history. */
export function go(target: Target, quietly = false): void {
  if (quietly) history.replaceState(null, '', href(target));
  else history.pushState(null, '', href(target));
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** Returns the current address; components that use it are redrawn on changes. */
export function useAddress(): Address {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const change = () => setHash(location.hash);
    addEventListener('hashchange', change);
    return () => removeEventListener('hashchange', change);
  }, []);
  return parse(hash);
}
