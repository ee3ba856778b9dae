import type {ExploreDocument, Run} from '../document';
import type {Coloring} from '../graph/shares';
import {Awaited} from '../awaited';
import type {Box, Tree} from '../graph/tree';
import {BlockPanel} from './block';
import {NodePanel} from './node';

export interface PanelProps {
  tree: Tree;
  selected: Box | null;
  run: Run;
  runIndex: number;
  document: ExploreDocument;
  coloring: Coloring | null;
  close: () => void;
}

/** The details of the selected node or block. */
export function Panel(props: PanelProps) {
  const {selected, tree} = props;
  return (
    <aside class="panel" aria-label="Details" tabIndex={0}
      onKeyDown={event => { if (event.key === 'Escape' && selected) props.close(); }}>
      {selected && (
        <button type="button" class="close" onClick={props.close} title="Close">
          <span class="unseen">Close details</span><span aria-hidden="true">×</span>
        </button>
      )}
      <Awaited key={selected?.id}>
        {() => selected?.node ? <NodePanel {...props} node={selected.node} /> : <BlockPanel {...props} box={selected ?? tree.root} />}
      </Awaited>
    </aside>
  );
}
