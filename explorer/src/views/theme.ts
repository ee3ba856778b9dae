// Colours of the theme for pictures on a canvas, which do not follow it by themselves.
import {useEffect, useState} from 'preact/hooks';

/** A colour as a canvas knows it. */
export function resolved(element: HTMLElement, value: string): string {
  const probe = document.createElement('span');
  probe.style.color = value;
  element.append(probe);
  const colourNow = getComputedStyle(probe).color;
  probe.remove();
  return colourNow;
}

/** Changes when the theme does. */
export function useTheme(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)');
    const change = () => setCount(now => now + 1);
    query.addEventListener('change', change);
    return () => query.removeEventListener('change', change);
  }, []);
  return count;
}

/** Paper is white, whatever the screen is. */
export function paperColours(printing: boolean): {colorScheme: string} | undefined {
  return printing ? {colorScheme: 'light'} : undefined;
}
