// What people can't read: boxes on each other, texts that are cut.

/** Pairs of boxes, or badges, of the graph that overlap. */
export const overlaps = page => page.evaluate(() => {
  const places = [...document.querySelectorAll('.graph .box, .graph .badge')].map(element => {
    const {left, top, right, bottom} = element.getBoundingClientRect();
    return {name: element.id || `badge ${element.textContent}`, left, top, right, bottom};
  }).sort((a, b) => a.top - b.top);
  const found = [];
  places.forEach((a, i) => {
    for (let k = i + 1; k < places.length && places[k].top < a.bottom - 0.5; ++k) {
      const b = places[k];
      if (a.left < b.right - 0.5 && b.left < a.right - 0.5) found.push(`${a.name} overlaps ${b.name}`);
    }
  });
  return {count: places.length, problems: found};
});

/** Texts of which a part is not seen, and no tooltip has it. */
export const cutTexts = page => page.evaluate(() => {
  const words = text => text.split(/\s+/u).filter(Boolean);
  // A tooltip of what it stands in is shown as well, and a title inside of it.
  const told = element => {
    const all = [...element.querySelectorAll('[title], [aria-label]')];
    for (let at = element; at; at = at.parentElement) all.push(at);
    return [...all.flatMap(at => [at.getAttribute('title'), at.getAttribute('aria-label')]), ...[...element.querySelectorAll('title')].map(title => title.textContent),
      element.parentElement?.querySelector(':scope > title')?.textContent].filter(Boolean).join('\n');
  };
  const excused = (element, text) => words(text).every(word => told(element).includes(word));
  const hidden = element => element.closest('.unseen') !== null || !element.checkVisibility();
  const found = [];
  for (const element of document.querySelectorAll('#page *:not(svg *)')) {
    if (element.scrollWidth <= element.clientWidth + 1 || element.clientWidth <= 1 || hidden(element) || element.textContent.trim() === '') continue;
    const {overflowX, textOverflow} = getComputedStyle(element);
    if (!['hidden', 'clip'].includes(overflowX) && textOverflow === 'clip') continue;
    if (!excused(element, element.textContent)) found.push(`cut: ${element.className || element.tagName} ${element.textContent}`);
  }
  for (const text of document.querySelectorAll('#page svg text')) {
    if (hidden(text)) continue;
    const inner = text.getBoundingClientRect(), outer = text.ownerSVGElement.getBoundingClientRect();
    const written = [...text.childNodes].filter(({nodeName}) => nodeName !== 'title').map(({textContent}) => textContent).join('');
    const leaves = inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1;
    if (leaves && !excused(text, written)) found.push(`leaves its picture: ${written}`);
    if (written.endsWith('…') && told(text).replace(/…/gu, '').trim() === '') found.push(`shortened: ${written}`);
  }
  return found;
});
