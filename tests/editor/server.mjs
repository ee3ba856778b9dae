// yaml-language-server as an editor talks to it: over stdio.
import {spawn} from 'node:child_process'
import {createMessageConnection, StreamMessageReader, StreamMessageWriter} from 'vscode-jsonrpc/node.js'

const SETTINGS = {validate: true, completion: true, hover: true, schemaStore: {enable: false}, schemas: {}}

export class Server {
  static async start() {
    const server = new Server()
    server.process = spawn(process.execPath, ['node_modules/yaml-language-server/bin/yaml-language-server', '--stdio'])
    server.connection = createMessageConnection(new StreamMessageReader(server.process.stdout), new StreamMessageWriter(server.process.stdin))
    server.told = new Map() // by document: who waits for what is wrong with it
    server.connection.onNotification('textDocument/publishDiagnostics', ({uri, diagnostics}) => server.told.get(uri)?.(diagnostics))
    server.connection.onRequest('workspace/configuration', ({items}) => items.map(item => (item.section === 'yaml' ? SETTINGS : {})))
    server.connection.onRequest(() => null)
    server.connection.listen()
    const completionItem = {snippetSupport: true, documentationFormat: ['plaintext']}
    const textDocument = {completion: {completionItem}, hover: {}, publishDiagnostics: {}}
    await server.connection.sendRequest('initialize', {processId: process.pid, rootUri: null, capabilities: {workspace: {configuration: true}, textDocument}})
    await server.connection.sendNotification('initialized', {})
    return server
  }

  // What is wrong with the text; messages with lines, from 1 on.
  async open(uri, text) {
    const diagnostics = new Promise(resolve => this.told.set(uri, resolve))
    await this.connection.sendNotification('textDocument/didOpen', {textDocument: {uri, languageId: 'yaml', version: 1, text}})
    return (await diagnostics).map(d => ({line: d.range.start.line + 1, severity: d.severity, message: d.message}))
  }

  async complete(uri, position) {
    const found = await this.connection.sendRequest('textDocument/completion', {textDocument: {uri}, position})
    return found?.items ?? found ?? []
  }

  async hover(uri, position) {
    const found = await this.connection.sendRequest('textDocument/hover', {textDocument: {uri}, position})
    return found === null ? '' : typeof found.contents === 'string' ? found.contents : found.contents.value
  }

  stop() {
    this.connection.dispose()
    this.process.kill()
  }
}
