import type {ComponentChildren} from 'preact';
import {useId, useState} from 'preact/hooks';
import {Prose} from './views/prose';

interface Props {
  title: string;
  name?: string;  // Class, for its place.
  doc?: string | undefined;
  table: () => ComponentChildren;  // The numbers of the picture as a table.
  tools?: ComponentChildren;
  children: ComponentChildren;
}

/** A picture with a title, and a switch to a table of its numbers. */
export function Figure({title, name, doc, table, tools, children}: Props) {
  const [asTable, setAsTable] = useState(false);
  const id = useId();
  return (
    <section class={`figure ${name ?? ''}`}>
      <div class="heading">
        <h3 id={id}><bdi>{title}</bdi></h3>
        <div class="tools">
          {!asTable && tools}
          <button type="button" class="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
            As table<span class="unseen">: {title}</span>
          </button>
        </div>
      </div>
      {doc && <p class="doc"><Prose text={doc} /></p>}
      {asTable ? table() : children}
    </section>
  );
}
