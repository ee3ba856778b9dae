import type {ComponentChildren} from 'preact';
import {useState} from 'preact/hooks';
import {usePrinting} from './views/printing';

/** What opens below its summary, and is open on paper. Nothing of it is made before. */
export function Folded({class: name, summary, children}: {class?: string; summary: ComponentChildren; children: () => ComponentChildren}) {
  const [open, setOpen] = useState(false);
  const printing = usePrinting();
  return (
    <details class={name} open={open || printing} onToggle={event => { if (!printing) setOpen(event.currentTarget.open); }}>
      <summary>{summary}</summary>
      {(open || printing) && children()}
    </details>
  );
}
