import type {ComponentChildren} from 'preact';
import {useState} from 'preact/hooks';
import {Awaited} from './awaited';
import {usePrinting} from './views/printing';

/** A section that expands below its summary, and is always expanded on paper. Its content is created on first use. */
export function Folded({class: name, summary, children}: {class?: string; summary: ComponentChildren; children: () => ComponentChildren}) {
  const [open, setOpen] = useState(false);
  const printing = usePrinting();
  return (
    <details class={name} open={open || printing} onToggle={event => { if (!printing) setOpen(event.currentTarget.open); }}>
      <summary>{summary}</summary>
      {(open || printing) && <Awaited>{children}</Awaited>}
    </details>
  );
}
