// Texts of the own model that would do something, were they more than text.

/** As own_model.yaml and the documents beside it have them. */
const texts = [
  `</script><script>window.ran=1</script> "quotes" 'and' <b>bold</b> <!-- \u05e9\u05dc\u05d5\u05dd \u202e\u2067 \u{1F600} & &amp; `, '<i>code</i>',
  '<img src=x onerror="window.ran=2"> <!--',
  'm </script><script>window.ran=3</script>',
  't </script><script>window.ran=4</script>',
  `<img src=x onerror='window.ran=5'> <!--`,
  '<!-- "col.umn" \u{1F600} <b',
  '</script><script>window.ran=7</script> <!-- \u{1F600}',
  '<b>"label"</b> \u05e9\u05dc\u05d5\u05dd',
  'own <b onclick=1> "model".yaml',
];

/** All of them were shown as they are, and nothing came of them. */
export async function hostileProblems(page, shown) {
  const problems = texts.filter(text => !shown.includes(text)).map(text => `not shown: ${text}`);
  const made = await page.evaluate(() => {
    const elements = [...document.querySelectorAll('#page :is(script, img, i, iframe, object, embed, base, form, meta, link)'), ...document.querySelectorAll('#page [onclick], #page [onerror]')];
    // What turns the direction of writing stays within its own text.
    const walker = document.createTreeWalker(document.getElementById('page'), NodeFilter.SHOW_TEXT);
    const turning = [];
    while (walker.nextNode()) if (/[\u202a-\u202e\u2066-\u2069\u0590-\u06ff]/u.test(walker.currentNode.data) && !walker.currentNode.parentElement.closest('bdi')) turning.push(walker.currentNode.data);
    return {turning, ran: String(window.ran), elements: elements.map(({outerHTML}) => outerHTML.slice(0, 200)), scripts: document.querySelectorAll('script').length};
  });
  if (made.ran !== 'undefined') problems.push(`a script ran: ${made.ran}`);
  if (made.scripts !== 2) problems.push(`${made.scripts} scripts on the page, not that which loads and the program`);
  problems.push(...made.turning.map(text => `not isolated: ${text}`));
  return [...problems, ...made.elements.map(element => `an element was made: ${element}`)];
}
