import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { seedDemo } from '../../prisma/seeds/demo/demo.ts'
import { engine } from '../helpers/database.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { commandsIn, sectionOf, shell } from './commands.ts'

const MINUTES_MS = 600_000

const inClients = (heading: string) => sectionOf('docs/clients.md', heading)

describe.runIf(engine === 'embedded')(
  'commands of docs/clients.md, docs/gis.md and docs/statistics.md for questions, watch areas, feeds and numbers',
  () => {
    const app = useApp({ ownApp: true })

    it('ask, answer, vote, accept, forecast, watch, and read feeds without an account', { timeout: MINUTES_MS }, async () => {
      await seedDemo(app.db, { issuesPerCity: 120, say: () => {} })
      const address = await app.fastify.listen({ host: '127.0.0.1', port: 0 })
      // The URLs of responses begin with the public URL.
      const home = createTemporaryFolder()
      writeFileSync(join(home, '.curlrc'), `silent\nshow-error\nfail\nconnect-to = "::${new URL(address).host}"\n`)
      const here = (command: string) => command.replaceAll('http://127.0.0.1:3000', PUBLIC_URL)
      const sections = [
        ...['Ask questions', 'Watch an area'].map(inClients),
        sectionOf('docs/gis.md', 'Feeds'),
        sectionOf('docs/statistics.md', 'Ask for numbers'),
      ]
      const commands = sections.flatMap(commandsIn).map(here)
      const names = commands.filter((command) => !command.startsWith('curl'))
      const answers: string[] = []
      const known: string[] = []
      for (const command of commands) {
        if (names.includes(command)) known.push(command)
        else answers.push(await shell([...known, command].join('\n'), { CURL_HOME: home }))
      }

      const [unanswered, question, answer, vote, accepted, forecast, watched] = answers
        .slice(0, 7)
        .map((text) => JSON.parse(text) as object)
      const [atom = '', geojson = '{}', numbers = '{}', table = ''] = answers.slice(7)
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
      expect(JSON.parse(numbers)).toMatchObject({
        metadata: { interval: 'month' },
        total: { reported: expect.any(Number) as number },
      })
      expect(table).toMatch(/^part,start,end,.*\r\ntotal,2026-09-01,2026-10-31,/)
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
    })
  },
)
