// Places of labels in a picture, so that no label covers another label or a large mark.
import {measured} from '../graph/width';

/** A text in a picture. */
export interface Label {
  x: number;  // Left end, and the baseline.
  y: number;
  text: string;
}

export interface Area {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

function overlap(a: Area, b: Area): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

export class LabelPlaces {
  private readonly taken: Area[];

  constructor(private readonly bounds: Area, private readonly size: number, marks: Area[]) {
    this.taken = [...marks];
  }

  width(text: string): number {
    return measured(text, `${this.size}px`);
  }

  private area({x, y, text}: Label): Area {
    return {left: x - 2, right: x + this.width(text) + 2, top: y - this.size, bottom: y + 3};
  }

  private isFree(area: Area): boolean {
    const {left, right, top, bottom} = this.bounds;
    return area.left >= left && area.right <= right && area.top >= top && area.bottom <= bottom
      && !this.taken.some(other => overlap(other, area));
  }

  /** Takes the first free place among candidates and returns it; null: none is free. */
  take(candidates: Label[]): Label | null {
    const found = candidates.find(label => this.isFree(this.area(label))) ?? null;
    if (found) this.taken.push(this.area(found));
    return found;
  }

  /** Marks the places along a text that rises by `angle` degrees from a point as taken. */
  takeAlong({x, y, text}: Label, angle: number): void {
    const [dx, dy] = [Math.cos(angle * Math.PI / 180), Math.sin(angle * Math.PI / 180)];
    const half = this.size * 0.8;
    for (let at = 0; at <= this.width(text); at += half) {
      const [cx, cy] = [x + at * dx + half * dy / 2, y + at * dy - half * dx / 2];
      this.taken.push({left: cx - half, right: cx + half, top: cy - half, bottom: cy + half});
    }
  }
}
