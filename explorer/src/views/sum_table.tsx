import type {Row} from '../document';
import {DataTable} from '../table';
import type {Sum} from './sum';

/** The parts of a sum as a table. */
export function SumTable({sum: {total, unit, parts}, title}: {sum: Sum; title: string}) {
  const rows: Row[] = parts.map(({group, label, value}) => ({group, part: label, value, share: total === 0 ? null : value / total}));
  const at = (row: Row, column: string) => column === 'value' ? parts[rows.indexOf(row)]?.at : undefined;
  return <DataTable plain rows={rows} caption={title} units={{value: unit, share: 'share'}} atOf={at} />;
}
