import type {RefObject} from 'preact';
import {useLayoutEffect, useRef, useState} from 'preact/hooks';

/** How wide an element is, and the reference that it takes. */
export function useWidth<E extends HTMLElement>(): [RefObject<E | null>, number] {
  const element = useRef<E>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const {current} = element;
    if (!current) return undefined;
    setWidth(current.clientWidth);
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}

/** About how wide a text of the page's font is. */
export function textWidth(text: string, size = 12): number {
  return text.length * size * 0.58;
}

/** A text that fits; what is left out is in the tooltip of whoever shows it. */
export function fitted(text: string, width: number, size = 12): string {
  const most = Math.max(2, Math.floor(width / (size * 0.58)));
  return text.length <= most ? text : text.slice(0, most - 1) + '…';
}
