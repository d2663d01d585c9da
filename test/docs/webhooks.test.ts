import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { hashPassword } from '../helpers/hash-password.ts'
import { sql } from '../../src/database/database.ts'
import { GREEN } from '../helpers/factories.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { useApp } from '../helpers/use-app.ts'
import { waitForTransactions } from '../issues/changes/committed.ts'
import { freePort } from '../kill/servers.ts'
import { deliver } from '../webhooks/receiver.ts'
import { commandsIn, sectionOf, shell } from './commands.ts'

const section = sectionOf('docs/clients.md', 'Webhooks')
const codeIn = (text: string, language: string, part: string) =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))]
    .map(([, code = '']) => code)
    .find((code) => code.includes(part)) ?? ''
const waitFor = (check: () => unknown) => vi.waitFor(check, { timeout: 300_000, interval: 50 })

describe('docs/clients.md for programs that follow changes', () => {
  const app = useApp({ ownApp: true, env: { STREAM_SECONDS_MAX: '3600', FORWARD_ALLOW: '127.0.0.0/8' } })
  const listen = async () =>
    app.fastify.server.listening
      ? `http://127.0.0.1:${(app.fastify.server.address() as { port: number }).port}`
      : app.fastify.listen({ host: '127.0.0.1', port: 0 })

  it.each([
    ['python3', 'receiver.py', codeIn(section, 'python', 'HTTPServer')],
    [process.execPath, 'receiver.mjs', codeIn(section, 'js', 'createServer')],
  ])('gets the messages of a webhook by %s', async (program, name, code) => {
    const { create, db } = app
    const address = await listen()
    const port = await freePort()
    const folder = createTemporaryFolder()
    writeFileSync(join(folder, name), code.replaceAll('8000', String(port)))
    const receiver = spawn(program, [name], { cwd: folder })
    onTestFinished(() => void receiver.kill())
    let printed = ''
    receiver.stdout.on('data', (part: Buffer) => (printed += part.toString()))
    await waitFor(() => shell(`curl -s -o reached.txt http://127.0.0.1:${port}/`, {}, folder))
    const reporter = await create.user({ password_hash: await hashPassword('demo-resident') })
    await db.prisma.emailAddress.updateMany({ where: { user_id: reporter.id }, data: { email: 'resident@example.org' } })
    await create.place({ url_name: 'denver', around: GREEN })
    await waitForTransactions(db)
    const [createHook = '', findHook = '', test = '', deliveries = '', renew = ''] = commandsIn(section).map((command) =>
      command.replaceAll('http://127.0.0.1:3000', address).replaceAll('127.0.0.1:8000', `127.0.0.1:${port}`),
    )

    await shell(createHook, {}, folder)
    const hook = (await shell(`${findHook}\necho "$hook"`, {}, folder)).trim()
    const tested = await shell(test, { hook }, folder)
    const issue = await create.issue({ at: GREEN, reporter })
    await deliver(app)
    await shell(renew, { hook }, folder)
    await db.execute(sql`UPDATE issues SET summary = 'Deeper' WHERE id = ${issue}`)
    await deliver(app)

    expect(tested).toBe('{"delivered":true,"response_status":204,"error":null}')
    await waitFor(() =>
      expect(
        printed
          .trim()
          .split('\n')
          .map((line) => line.trim()),
      ).toEqual(['test', `issue.created ${issue}`, `issue.changed ${issue}`]),
    )
    expect(await shell(deliveries, { hook }, folder)).toContain('"response_status":204')
  })

  it('waits as long as the service asks for, and ends if it refuses the query', async () => {
    const code = codeIn(sectionOf('docs/clients.md', 'Follow changes'), 'js', 'export function follow')
    const folder = createTemporaryFolder()
    writeFileSync(join(folder, 'follow.mjs'), code)
    const { follow } = (await import(pathToFileURL(join(folder, 'follow.mjs')).href)) as {
      follow: (service: string, query: string) => { readonly ended: Promise<void> }
    }
    const statuses = [429, 403, 503, 422]
    const answered: number[] = []
    const server = createServer((_request, response) => {
      const status = statuses[answered.length] ?? 500
      answered.push(status)
      response.writeHead(status, status === 422 ? {} : { 'retry-after': '7' }).end(String(status))
    })
    const { setTimeout: start } = globalThis
    const pauses: number[] = []
    const timer = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms = 0) => {
      if (ms !== 7_000) return start(work, ms)
      pauses.push(answered.length)
      return start(work, 0)
    }) as typeof setTimeout)
    onTestFinished(() => timer.mockRestore())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())

    const { ended } = follow(`http://127.0.0.1:${(server.address() as { port: number }).port}`, 'plcae_url=denver')

    await expect(ended).rejects.toThrow('422')
    expect(answered).toEqual(statuses)
    // It waits for seven seconds once after each answer but the last.
    expect(pauses).toEqual([1, 2, 3])
  })

  it('keeps a copy of a list, over a lost connection and a new log', async () => {
    const { as, create, db, fastify } = app
    const address = await listen()
    const folder = createTemporaryFolder()
    writeFileSync(
      join(folder, 'follow.mjs'),
      codeIn(sectionOf('docs/clients.md', 'Follow changes'), 'js', 'export function follow'),
    )
    interface Following {
      readonly issues: Map<number, { readonly summary: string }>
      close(): void
      readonly ended: Promise<void>
    }
    const { follow } = (await import(pathToFileURL(join(folder, 'follow.mjs')).href)) as {
      follow: (service: string, query: string, options: { onReload: () => void }) => Following
    }
    await create.place({ url_name: 'denver', around: GREEN })
    const reporter = await create.user()
    const first = await create.issue({ at: GREEN, reporter })
    await waitForTransactions(db)
    const reloads = { count: 0 }
    const { issues, close, ended } = follow(address, 'place_url=denver', { onReload: () => (reloads.count += 1) })
    await waitFor(() => expect([...issues.keys()]).toEqual([first]))

    const second = await create.issue({ at: GREEN, reporter, summary: 'Deep hole' })
    await waitFor(() => expect(issues.get(second)?.summary).toBe('Deep hole'))
    fastify.server.closeAllConnections()
    await db.execute(sql`DELETE FROM issues WHERE id = ${first}`)
    await waitFor(() => expect([...issues.keys()]).toEqual([second]))
    expect(reloads.count).toBe(1)
    await db.execute(sql`SELECT begin_change_log()`)
    const third = await create.issue({ at: GREEN, reporter })
    await waitFor(() => expect([...issues.keys()].toSorted((a, b) => a - b)).toEqual([second, third]))
    close()
    await ended

    expect(reloads.count).toBe(2)
    const list = (await as.anonymous.get('/issues?place_url=denver')).body as { issues: { id: number }[] }
    const served = (text: string) => text.replaceAll('http://fixpoint.test', address)
    expect(list.issues.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([second, third])
    expect(served(JSON.stringify(issues.get(third)))).toBe(served(JSON.stringify(list.issues.find(({ id }) => id === third))))
  })
})
