// The picture of a timeline: tasks of a pixel are drawn by density, and the picture zooms.
import {settled, visit} from './browser.mjs';

const axis = 22, column = 4, narrow = 2;

const picture = page => page.$eval('.scroller canvas', canvas => canvas.toDataURL());

/** Colors of the columns of pixels in the first lane, by x; the left and the right pixel of each column. */
const columns = (page, rows) => page.$eval('.scroller canvas', (canvas, {axis: top, column: step, rows: count}) => {
  const context = canvas.getContext('2d'), height = Math.floor((canvas.height - top) / count);
  const {data, width} = context.getImageData(0, top, canvas.width, height - 3);
  const colors = x => Array.from({length: height - 3}, (_, y) => data.slice((y * width + x) * 4, (y * width + x) * 4 + 4).join()).join();
  return Array.from({length: Math.floor(canvas.width / step)}, (_, i) => [colors(i * step), colors(i * step + step - 1)]);
}, {axis, column, rows});

/** What is wrong with the timeline of a run. */
export async function timelineProblems(page, {timeline}) {
  if (!timeline) return [];
  const problems = [];
  await visit(page, '#timeline');
  const {width} = await page.$eval('.scroller canvas', canvas => canvas.getBoundingClientRect().toJSON());
  if (timeline.stages[0].end.length * narrow > width) {
    const all = await columns(page, timeline.stages.length);
    const uneven = all.filter(([left, right]) => left !== right).length;
    // Wide tasks, such as the end of the step, begin and end within a column; the axis has ticks.
    if (uneven > 0.2 * all.length) problems.push(`${uneven} of ${all.length} columns are not drawn by density`);
  }
  const whole = await picture(page);
  const zooms = {
    'the key': async () => { await page.locator('.scroller').focus(); await page.keyboard.press('+'); },
    'the wheel': async () => {
      await page.locator('.scroller').hover();
      await page.keyboard.down('Control');
      await page.mouse.wheel(0, -300);
      await page.keyboard.up('Control');
    },
    'the button': () => page.getByRole('button', {name: '+ zoom in'}).click(),
  };
  for (const [name, zoom] of Object.entries(zooms)) {
    await zoom();
    await settled(page);
    if (await picture(page) === whole) problems.push(`${name} does not zoom`);
    await page.getByRole('button', {name: 'Whole step'}).click();
    await page.mouse.move(0, 0);
    await settled(page);
  }
  return problems;
}
