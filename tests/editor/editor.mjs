// Documents in an editor: what yaml-language-server offers and marks in them, with the schema that `opledger schema --all -o .opledger/` writes.
import {CASES} from './cases.mjs'
import {Server} from './server.mjs'

const MODELINE = '# yaml-language-server: $schema=.opledger/opledger.schema.json\n'
const MARK = '▮'
const failures = []

function place(text) {
  const before = text.slice(0, text.indexOf(MARK)).split('\n')
  return {line: before.length - 1, character: before.at(-1).length}
}

async function offered(server, uri, text) {
  const items = await server.complete(uri, place(text))
  return items.map(item => item.label)
}

async function check(server, test, number) {
  const uri = `file://${process.cwd()}/case_${number}.yaml`
  const text = MODELINE + test.text
  const told = await server.open(uri, text.replace(MARK, ''))
  const fail = what => failures.push(`${JSON.stringify(test.text)}: ${what}`.slice(0, 400))
  if (test.offers !== undefined) {
    const labels = await offered(server, uri, text)
    for (const label of test.offers) if (!labels.includes(label)) fail(`${label} is not among ${labels.slice(0, 30).join(', ')} … (${labels.length})`)
    for (const label of test.hides ?? []) if (labels.includes(label)) fail(`${label} is offered`)
    return
  }
  const errors = told.filter(d => d.severity === 1).map(d => `${d.line - 1}: ${d.message}`)
  const right = test.marks === undefined ? errors.length === 0 : errors.some(e => e.startsWith(`${test.marks}: `) && e.includes(test.says))
  if (!right) fail(`marked: ${errors.join('; ') || 'nothing'}`)
}

async function hovers(server) {
  const uri = `file://${process.cwd()}/hover.yaml`
  await server.open(uri, MODELINE + 'kind: execution\nbatch_size: 64\n')
  const text = await server.hover(uri, {line: 2, character: 3})
  if (!text.includes('sequences')) failures.push(`hover over batch_size: ${JSON.stringify(text)}`)
}

const server = await Server.start()
await Promise.all(CASES.map((test, number) => check(server, test, number))) // it thinks for a moment before it tells
await hovers(server)
server.stop()
const kinds = new Set(CASES.map(test => test.kind))
for (const kind of process.argv.slice(2)) if (!kinds.has(kind)) failures.push(`no case of kind ${kind}`)
if (failures.length > 0) {
  console.error(failures.join('\n'))
  process.exit(1)
}
console.log(`${CASES.length} cases`)
