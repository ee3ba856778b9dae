// Everything that is folded, opened.
import {settled} from './browser.mjs';

const atOnce = 20;  // of explanations, which open each other without end

/** Opens sections, rows and explanations as somebody would, a level in each round. Without `all`, long tables stay as they begin. */
export async function unfold(page, {all, rounds}) {
  for (let round = 0; round < rounds; ++round) {
    const count = await page.evaluate(({most, more}) => {
      const sections = [...document.querySelectorAll('#page details:not([open]) > summary')];
      const rows = [...document.querySelectorAll(`${more}.twist[aria-expanded=false]`)];
      const parts = [...document.querySelectorAll('button.part[aria-expanded=false]')].slice(0, most);
      for (const button of [...sections, ...rows, ...parts]) button.click();
      return sections.length + rows.length + parts.length;
    }, {most: atOnce, more: all ? '.more, ' : ''});
    await settled(page);
    if (count === 0) return;
  }
}

/** Pictures as tables. Returns how many there are. */
export async function asTables(page) {
  const count = await page.evaluate(() => {
    const buttons = [...document.querySelectorAll('.figure > .heading button[aria-pressed=false]')];
    for (const button of buttons) button.click();
    return buttons.length;
  });
  await settled(page);
  return count;
}
