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

/** A page that scrolls sideways as a whole. */
export const sideways = page => page.evaluate(() => {
  const {scrollWidth, clientWidth} = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const wide = [...document.querySelectorAll('#page *')].filter(element => element.getBoundingClientRect().right > clientWidth + 1
    && element.closest('.scroll, .scroller, .sideways') === null).map(({tagName, className}) => `${tagName} ${className.baseVal ?? className}`);
  return [`the page scrolls sideways, ${scrollWidth} of ${clientWidth} px: ${[...new Set(wide)].slice(0, 3)}`];
});

/** Pairs of texts of a chart on each other. Texts may be rotated, so that corners are compared along the sides of both. */
export const collidingTexts = page => page.evaluate(() => {
  const cornersOf = text => {
    const {x, y, width, height} = text.getBBox(), matrix = text.getScreenCTM();
    return [[x, y], [x + width, y], [x + width, y + height], [x, y + height]].map(([a, b]) => new DOMPoint(a, b).matrixTransform(matrix));
  };
  const apart = (one, other) => [0, 1].some(side => {
    const [dx, dy] = [one[side + 1].x - one[side].x, one[side + 1].y - one[side].y], length = Math.hypot(dx, dy) || 1;
    const along = corners => corners.map(({x, y}) => (x * dx + y * dy) / length);
    const [a, b] = [along(one), along(other)];
    return Math.max(...a) <= Math.min(...b) + 1.5 || Math.max(...b) <= Math.min(...a) + 1.5;
  });
  const found = [];
  for (const chart of document.querySelectorAll('#page :is(svg.chart, svg.stacks)')) {
    const texts = [...chart.querySelectorAll('text')].filter(text => text.checkVisibility() && text.textContent !== '').slice(0, 300);
    const corners = texts.map(cornersOf);
    texts.forEach((text, i) => {
      for (let k = i + 1; k < texts.length; ++k) {
        if (!apart(corners[i], corners[k]) && !apart(corners[k], corners[i])) found.push(`${text.textContent} is on ${texts[k].textContent}`);
      }
    });
  }
  return found;
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
