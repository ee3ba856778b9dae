const EDGE = 24;

/** Scrolls only the picture until a box is visible. */
export function reveal(box: HTMLElement): void {
  const picture = box.closest<HTMLElement>('.graph');
  if (!picture) return;
  const outer = picture.getBoundingClientRect();
  const inner = box.getBoundingClientRect();
  if (inner.top < outer.top + EDGE || inner.bottom > outer.bottom - EDGE) {
    picture.scrollTop += (inner.top + inner.bottom - outer.top - outer.bottom) / 2;
  }
  if (inner.left < outer.left + EDGE || inner.right > outer.right - EDGE) {
    picture.scrollLeft += (inner.left + inner.right - outer.left - outer.right) / 2;
  }
}
