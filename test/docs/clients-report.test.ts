import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'

import { engine } from '../helpers/database.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { imagesWithMetadata } from '../helpers/images.ts'
import { messagesIn, startNode } from '../helpers/processes.ts'
import { commandsIn, createMigratedFolder, sectionOf, shell } from './commands.ts'

const MINUTES_MS = 600_000
const MAIL_MAX_MS = 120_000

async function waitForMail(folder: string): Promise<void> {
  for (const until = Date.now() + MAIL_MAX_MS; Date.now() < until; await pause(50)) {
    if (readdirSync(folder, { recursive: true, encoding: 'utf8' }).some((name) => /mails.*\.eml$/.test(name))) return
  }
  throw new Error('No mail came.')
}

describe.runIf(engine === 'embedded')('commands of docs/clients.md for a report', () => {
  it('register, confirm, read the form, report with a picture, vote, comment and close', { timeout: MINUTES_MS }, async () => {
    const [folder, home] = [await createMigratedFolder(), createTemporaryFolder()]
    const [image] = await imagesWithMetadata()
    writeFileSync(join(home, 'picture.jpg'), image?.bytes ?? '')
    const server = startNode('src/server.ts', [], { PORT: '0', DATA_DIR: folder, DEMO: 'off' })
    let printed = ''
    server.child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    await server.waitForOutput(/Stop with Ctrl\+C\./)
    const address = /Ready after .* at (http:\/\/\S+) /.exec(messagesIn(printed))?.[1] ?? ''
    const here = (command: string) => command.replaceAll('http://127.0.0.1:3000', address).replace(/^curl /, 'curl -sS --fail ')
    const commands = commandsIn(sectionOf('docs/clients.md', 'Report an issue')).map(here)

    const [register = '', findMail = '', findToken = '', ...others] = commands
    const registered = JSON.parse(await shell(register)) as unknown
    await waitForMail(folder)
    const [confirm = '', ...rest] = others
    const confirmed = JSON.parse(await shell([findMail, findToken, confirm].join('\n'))) as unknown
    const answers: unknown[] = []
    const [askForm = '', askType = '', report = '', findIssue = '', ...talk] = rest
    for (const command of [askForm, askType, report, report]) answers.push(JSON.parse(await shell(command, {}, home)))
    const [form, type, issue, again] = answers
    const said: unknown[] = []
    for (const command of talk) said.push(JSON.parse(await shell([findIssue, command].join('\n'), {}, home)))
    const full = (issue as { media: { image_full: string } }).media.image_full
    const stored = await fetch(full)
    server.child.kill('SIGTERM')

    expect(registered).toMatchObject({ id: 1, name: 'Ada Park' })
    expect(confirmed).toEqual({ id: 1, confirmed: true, email: 'ada@example.net' })
    expect(form).toMatchObject({ request_types: [{ title: 'Other' }] })
    expect(type).toMatchObject({ id: null, questions: [{ primary_key: 'summary' }, {}, {}] })
    expect(issue).toMatchObject({ id: 1, summary: 'The bench has lost a plank', reporter: { name: 'Ada Park' } })
    expect(again).toEqual(issue)
    expect(said).toMatchObject([
      { vote: 1 },
      { comment: 'The plank lies in the grass behind it.', issue: { status: 'Open', rating: '2' } },
      { comment: 'Screwed on again, thank you!', issue: { status: 'Closed' } },
    ])
    expect([stored.status, stored.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    expect((await server.ended).code).toBe(0)
  })
})
