import { describe, expect, test } from 'vitest'

import { engine } from '../helpers/database.ts'
import { startNode } from '../helpers/processes.ts'
import { commandsIn, migratedFolder, sectionOf, shell } from './commands.ts'

const MINUTES_MS = 180_000

const inClients = (heading: string) => sectionOf('docs/clients.md', heading)

describe.runIf(engine === 'embedded')(
  'The commands of docs/clients.md and docs/gis.md for questions, watch areas and feeds',
  () => {
    test('ask, answer, vote, accept, forecast, watch, and read feeds without an account', { timeout: MINUTES_MS }, async () => {
      const server = startNode('src/server.ts', [], { PORT: '0', DATA_DIR: await migratedFolder(), LOG_LEVEL: 'silent' })
      let printed = ''
      server.child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()))
      await server.waitForOutput(/Stop with Ctrl\+C\./)
      const address = /Ready after .* at (http:\/\/\S+) /.exec(printed)?.[1] ?? ''
      const here = (command: string) => command.replaceAll('http://127.0.0.1:3000', address).replace(/^curl /, 'curl -sS --fail ')
      const sections = [...['Ask questions', 'Watch an area'].map(inClients), sectionOf('docs/gis.md', 'Feeds')]
      const commands = sections.flatMap(commandsIn).map(here)
      const names = commands.filter((command) => !command.startsWith('curl'))
      const answers: string[] = []
      const known: string[] = []
      for (const command of commands) {
        if (names.includes(command)) known.push(command)
        else answers.push(await shell([...known, command].join('\n')))
      }
      server.child.kill('SIGTERM')

      const [unanswered, question, answer, vote, accepted, forecast, watched] = answers
        .slice(0, 7)
        .map((text) => JSON.parse(text) as object)
      const [atom = '', geojson = '{}'] = answers.slice(7)
      expect(unanswered).toMatchObject({ errors: {}, questions: expect.any(Array) as unknown })
      expect(question).toMatchObject({
        question: 'Where can I borrow a cargo bike for a day?',
        asker: { name: expect.any(String) as string },
      })
      expect(answer).toMatchObject({
        answer: 'At the library on Broadway, with your library card.',
        accepted_at: null,
        total_votes: 0,
      })
      expect(vote).toEqual({ vote: 1 })
      expect(accepted).toMatchObject({
        answer: 'At the library on Broadway, with your library card.',
        accepted_at: expect.any(String) as string,
        total_votes: 1,
      })
      expect(forecast).toMatchObject({
        mails_per_week: { low: expect.any(Number) as number, high: expect.any(Number) as number },
        frequency: 'instant',
        about: 'new',
        based_on: { days: 90 },
      })
      expect(watched).toMatchObject({
        name: 'Civic Center',
        kind: 'circle',
        circle: { radius: 500 },
        frequency: 'daily',
        about: 'new',
      })
      expect(atom).toMatch(/^<\?xml [\s\S]*<feed [\s\S]*<entry>[\s\S]*<\/feed>\s*$/)
      expect(JSON.parse(geojson)).toMatchObject({ type: 'FeatureCollection', features: expect.any(Array) as unknown })
      expect((JSON.parse(geojson) as { features: unknown[] }).features.length).toBeGreaterThan(0)
      expect((await server.ended).code).toBe(0)
    })
  },
)
