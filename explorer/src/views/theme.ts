// Colors of the theme for a canvas, which does not follow style sheets.
import {useEffect, useState} from 'preact/hooks';

/** Returns a color in the notation that a canvas accepts. */
export function resolved(element: HTMLElement, value: string): string {
  const probe = document.createElement('span');
  probe.style.color = value;
  element.append(probe);
  const currentColor = getComputedStyle(probe).color;
  probe.remove();
  return currentColor;
}

/** Returns a number that changes with the theme. */
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

/** Returns the light theme for printing, because paper is white. */
export function paperColors(printing: boolean): {colorScheme: string} | undefined {
  return printing ? {colorScheme: 'light'} : undefined;
}
