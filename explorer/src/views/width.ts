import type {RefObject} from 'preact';
import {useLayoutEffect, useRef, useState} from 'preact/hooks';

/** Returns the width of an element, and the reference to attach to it. */
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

/** Returns the approximate width of a text in the page's font. */
export function textWidth(text: string, size = 12): number {
  return text.length * size * 0.58;
}

/** Returns a text shortened to a width; the caller provides the complete text as a tooltip. */
export function fitted(text: string, width: number, size = 12): string {
  const most = Math.max(2, Math.floor(width / (size * 0.58)));
  return text.length <= most ? text : text.slice(0, most - 1) + '…';
}
