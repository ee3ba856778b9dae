// A page without a mouse: where the focus is, how to get elsewhere, and what is shown.
import {settled} from './browser.mjs';

export async function press(page, ...keys) {
  for (const key of keys) {
    await page.keyboard.press(key);
    await settled(page);
  }
}

export const focused = page => page.evaluate(() => {
  const element = document.activeElement;
  return {id: element.id, role: element.getAttribute('role') ?? '', classes: [...element.classList], text: element.textContent.trim(), tag: element.tagName, type: element.type ?? '',
    open: element.getAttribute('aria-expanded')};
});

/** Presses Tab until the focus is on something wanted. Whatever has the focus on the way has to be seen. */
export async function tabTo(page, what, wanted, most = 60) {
  for (let i = 0; i < most; ++i) {
    await page.keyboard.press('Tab');
    const now = await focused(page);
    if (now.tag === 'BODY') break;
    const seen = await page.evaluate(() => {
      const {width, height} = document.activeElement.getBoundingClientRect();
      const {outlineStyle} = getComputedStyle(document.activeElement);
      return width > 0 && height > 0 && (document.activeElement.matches('input, svg *') || outlineStyle !== 'none');
    });
    if (!seen) throw new Error(`the focus is not seen at ${now.tag} ${now.classes.join(' ')} ${now.text.slice(0, 60)}`);
    if (wanted(now)) return now;
  }
  throw new Error(`no Tab leads to ${what}`);
}

/** What an address stands for. */
export const shows = page => page.evaluate(() => {
  const texts = selector => [...document.querySelectorAll(selector)].map(({textContent}) => textContent);
  return JSON.stringify({
    tab: texts('[role=tab][aria-selected=true]'),
    boxes: [...document.querySelectorAll('.graph .box')].map(({id, className}) => `${id} ${className.replace(/ (found|missed)/, '')}`).sort(),
    panel: texts('.panel h3'),
    explained: texts('.explanation > .part.whole'),
    opened: texts('.metric.open dt'),
    search: document.querySelector('.search input')?.value ?? '',
    found: texts('.search output'),
    colour: [...document.querySelectorAll('.colours input')].findIndex(({checked}) => checked),
    figures: texts('h3'),
  });
});

export const hashOf = page => page.evaluate(() => decodeURIComponent(location.hash));

/** Collects what is not so. */
export function checks() {
  const problems = [];
  return {problems, expect: (holds, what) => {
    if (!holds) problems.push(what);
  }};
}
