import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it, onTestFinished } from 'vitest'

import { createTestDatabase, engine } from '../helpers/database.ts'
import { documentedOrganizations } from '../helpers/documents/documented-organizations.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { messagesIn, startNode } from '../helpers/processes.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { blocksIn, commandsIn, root, sectionOf, shell, textOf } from './commands.ts'

const MINUTES_MS = 600_000

/** Returns the commands of a document except those of the deployment, which test/deployment.test.ts runs. */
const commandsOf = (document: string) => commandsIn(textOf(document).replace(sectionOf(document, 'Run it with Docker'), ''))

/** Returns the objects and arrays of a JSON text, with null instead of every other value. */
const shapeOf = (json = ''): unknown => JSON.parse(json, (_, value: unknown) => (typeof value === 'object' ? value : null))

const example = {
  place: {
    type: 'Feature',
    properties: { name: 'Green', url_name: 'green', place_type: 'City', county: null, state: 'CT' },
    geometry: {
      type: 'Polygon',
      coordinates: [
        [
          [-73, 41],
          [-72, 41],
          [-72, 42],
          [-73, 42],
          [-73, 41],
        ],
      ],
    },
  },
  issues: 'id,status,summary,lat,lng\n1,Open,Pothole at the Green,41.3,-72.9\n',
}

// The documents show a service without configuration, which uses the embedded engine.
describe.runIf(engine === 'embedded')('commands in the documents', () => {
  it('are scripts of package.json and requests in the README', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
    const others = commandsOf('README.md').filter((command) => !command.startsWith('curl '))

    expect(others).toEqual(['npm ci && npm start'])
    expect([scripts['start'], scripts['test']]).toEqual(['node src/server.ts', 'vitest run'])
  })

  it('get rows from the demo of a first start, in the shape that the README shows', { timeout: MINUTES_MS }, async () => {
    const server = startNode('src/server.ts', [], {
      HOST: '0.0.0.0',
      PORT: '0',
      DATA_DIR: createTemporaryFolder(),
      OPS_TOKEN: 'a-long-random-text',
    })
    let printed = ''
    server.child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    await server.waitForOutput(/Stop with Ctrl\+C\./)
    const address = /Ready after .* at (http:\/\/\S+) /.exec(messagesIn(printed))?.[1] ?? ''
    const shown = messagesIn(printed)
      .split('\n')
      .filter((line) => line.startsWith('  curl'))
    const curls = [...shown, ...['README.md', 'docs/demo.md'].flatMap(commandsOf).filter((command) => command.startsWith('curl'))]

    const entries: Record<string, number> = {}
    const shapes: unknown[] = []
    for (const command of curls) {
      const body = await shell(command.replace('http://127.0.0.1:3000', address).replace('curl', 'curl -sS --fail'))
      entries[command] = (JSON.parse(body) as { metadata: { pagination: { entries: number } } }).metadata.pagination.entries
      shapes.push(shapeOf(body))
    }
    const answer = /```json\n([\s\S]*?)```/.exec(textOf('README.md'))?.[1]
    const opsStatuses: Record<string, string> = {}
    for (const command of commandsIn(sectionOf('docs/operations.md', 'Monitor'))) {
      const status = `curl -sS -o ${join(createTemporaryFolder(), 'answer')} -w '%{http_code}'`
      opsStatuses[/127\.0\.0\.1:3000(\S+)/.exec(command)?.[1] ?? command] = await shell(
        command.replace('http://127.0.0.1:3000', address).replace('curl', status),
      )
    }
    server.child.kill('SIGTERM')

    expect(opsStatuses).toEqual({
      '/ops/health': '200',
      '/metrics': '200',
      '/ops/queues': '200',
      '/ops/trace/1': '404',
      '/ops/dead-letters': '200',
      '/ops/dead-letters/1/notify/retry': '404',
    })
    expect(shown).toHaveLength(3)
    expect(shapes).toContainEqual(shapeOf(answer))
    expect(messagesIn(printed)).toContain('Warning: this service is public, and anyone can log in to admin@example.org')
    expect(Object.entries(entries).filter(([, count]) => count === 0)).toEqual([])
    expect(Object.keys(entries).length).toBeGreaterThanOrEqual(6)
    expect(await server.ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('debugger') as string })
  })
})

// They are the same on the embedded engine, where a process takes ten times as long to start.
describe.runIf(engine === 'server')('commands of the documents', () => {
  it('import data and create accounts', { timeout: MINUTES_MS }, async () => {
    const folder = createTemporaryFolder()
    const { url, drop } = await createTestDatabase(testDatabaseUrl ?? '', inject('template'))
    onTestFinished(drop)
    const env = { DATABASE_URL: url, PUBLIC_URL: 'http://127.0.0.1' }
    writeFileSync(join(folder, 'my-places.geojson'), JSON.stringify({ type: 'FeatureCollection', features: [example.place] }))
    writeFileSync(join(folder, 'my-issues.csv'), example.issues)
    writeFileSync(join(folder, 'my-organizations.json'), documentedOrganizations())
    const commands = [...(blocksIn(textOf('docs/import.md'))[0] ?? []), ...commandsIn(sectionOf('docs/operations.md', 'Accounts'))]

    const printed: string[] = []
    for (const command of commands) {
      printed.push(
        await shell(
          command.replace(/my-\w+\.\w+/, (name) => join(folder, name)),
          env,
        ),
      )
    }

    expect(commands).toHaveLength(11)
    const done = printed.map(
      (text) =>
        /1 (?:place|issue)s imported|Organizations: 1 new|Created user 1\b|fxp_|gets a mail|"role":"Admin"|is (?:Registered User|disabled|enabled)/.exec(
          text,
        )?.[0] ?? (/^[\w-]{20}$/m.test(text) ? 'a password' : undefined),
    )
    const wanted = [
      ...['1 places imported', '1 issues imported', 'Organizations: 1 new', 'Created user 1', 'a password', 'fxp_'],
      ...['gets a mail', '"role":"Admin"', 'is Registered User', 'is disabled', 'is enabled'],
    ]
    expect(done).toEqual(wanted)
  })
})
