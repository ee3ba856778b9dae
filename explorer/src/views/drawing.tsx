import type {Drawing, ExploreDocument, Run} from '../document';
import {BesideDrawing} from './beside';
import {FillDrawing} from './fill';
import {HintsDrawing} from './hints';
import {LinesDrawing} from './lines';
import {NumbersDrawing} from './numbers';
import {RooflineDrawing} from './roofline';
import {StacksDrawing} from './stacks';
import {TableDrawing} from './tables';
import {WaterfallDrawing} from './waterfall';

export interface DrawingProps {
  drawing: Drawing;
  run: Run;
  runIndex: number;
  document: ExploreDocument;
}

/** A drawing of a view. The graph handles `nodes` itself. */
export function DrawingView(props: DrawingProps) {
  switch (props.drawing.draw) {
    case 'numbers': return <NumbersDrawing {...props} />;
    case 'table': return <TableDrawing {...props} />;
    case 'stacks': return <StacksDrawing {...props} />;
    case 'lines': return <LinesDrawing {...props} />;
    case 'roofline': return <RooflineDrawing {...props} />;
    case 'beside': return <BesideDrawing {...props} />;
    case 'waterfall': return <WaterfallDrawing {...props} />;
    case 'fill': return <FillDrawing {...props} />;
    case 'hints': return <HintsDrawing run={props.run} />;
    default: return null;
  }
}
