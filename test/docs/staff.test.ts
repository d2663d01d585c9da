import { beforeAll, describe, expect, it } from 'vitest'

import { hashPassword } from '../helpers/hash-password.ts'
import type { TestUser } from '../helpers/factories.ts'
import { setTarget } from '../helpers/set-target.ts'
import { useApp } from '../helpers/use-app.ts'
import { commandsIn, shell, textOf } from './commands.ts'

/** A command may be written in several lines. */
const commandsOf = (document: string) =>
  commandsIn(
    textOf(document)
      .replaceAll(/\\\n\s*/g, '')
      .replaceAll(/(-d '[^'\n]*)\n\s*/g, '$1 '),
  ).filter((line) => line.startsWith('curl '))
const commands = ['docs/staff.md', 'docs/organizations.md'].flatMap(commandsOf)

const PASSWORD = 'battery staple'

describe('commands of docs/staff.md and docs/organizations.md', () => {
  const app = useApp({ ownApp: true, keepRows: true })
  let address: string
  let roads: number
  let parks: number
  let types: readonly [number, number]
  let clerks: Readonly<Record<string, TestUser>>

  beforeAll(async () => {
    const password_hash = await hashPassword(PASSWORD)
    roads = await app.create.organization({ name: 'Roads' })
    parks = await app.create.organization({ name: 'Parks' })
    types = [await app.create.requestType({ organization: roads }), await app.create.requestType({ organization: parks })]
    const owner = (organization: number) => app.create.user({ password_hash, memberOf: [{ organization, role: 'owner' }] })
    const ada = await owner(roads)
    clerks = { ada, mia: ada, pat: await owner(parks) }
    await app.db.prisma.calendar.create({ data: { organization_id: roads, name: 'Always', time_zone: 'UTC', weekly_hours: {} } })
    address = await app.fastify.listen({ host: '127.0.0.1', port: 0 })
  })

  const post = async (path: string, body: object) =>
    (await app.as.user(clerks['ada'] as TestUser).send('POST', `/api/v2${path}`, { body, headers: { 'if-match': '*' } })).body as {
      id: number
      hash: string
    }

  /** Creates what the command names: an issue, an offer of a transfer, a bulk run or a merge. */
  async function prepare(command: string): Promise<readonly (readonly [RegExp, string])[]> {
    const create = async () => {
      const issue_id = await app.create.issue({ request_type: types[0], status: 'Acknowledged' })
      const started_at = new Date()
      await setTarget(app.db, issue_id, { started_at, close_by: new Date(started_at.getTime() + 3_600_000) })
      return issue_id
    }
    const [issue, other, original] = [await create(), await create(), await create()]
    const offer = command.includes('/transfers/12')
      ? await post(`/issues/${issue}/transfer`, { organization_id: parks, reason: 'Park.' })
      : undefined
    const run = command.includes('/bulk/8') ? await post('/bulk', { ids: [issue, other], change: { priority: 3 } }) : undefined
    if (run && command.includes('/undo')) await post(`/bulk/${run.id}/run`, { hash: run.hash })
    if (command.includes('/unmerge')) await post(`/issues/${issue}/merge`, { duplicate_of: original })
    return [
      [/\b4711\b/g, String(issue)],
      [/\b4712\b/g, String(other)],
      [/\b4700\b/g, String(original)],
      [/\/organizations\/3\b/g, `/organizations/${roads}`],
      [
        /\/organizations\/7\b|(?<=organization_id=)7\b/g,
        command.includes('organization_id=7') ? String(parks) : `/organizations/${parks}`,
      ],
      [/(?<="organization_id": |organization_id=)3\b/g, String(roads)],
      [/\/transfers\/12\b/g, `/transfers/${offer?.id}`],
      [/(?<=request_type_id=)31\b/g, String(types[1])],
      [/(?<="request_type_id": )12\b/g, String(types[0])],
      [/\/bulk\/8\b/g, `/bulk/${run?.id}`],
      [/hash=5f2d/g, `hash=${run?.hash}`],
      [/If-Match: "\d+"/g, 'If-Match: *'],
    ]
  }

  it.each(commands)('succeed: %s', async (command) => {
    const emails = await Promise.all(
      Object.entries(clerks).map(async ([name, { id }]) => {
        const { email } = await app.db.prisma.emailAddress.findFirstOrThrow({ where: { user_id: id } })
        return [`-u ${name}@example.org`, `-u '${email}:${PASSWORD}'`] as const
      }),
    )
    const values = await prepare(command)
    const concrete = values.reduce((text, [pattern, value]) => text.replaceAll(pattern, value), command)
    const script = emails
      .reduce((text, [written, real]) => text.replaceAll(written, real), concrete)
      .replaceAll('https://fixpoint.example', address)
      .replace('curl ', 'curl -sS -A fixpoint-tests -w "\\n%{http_code}" ')

    const lines = (await shell(script)).trim().split('\n')

    expect(lines.at(-1), lines.join('\n')).toMatch(/^2\d\d$/)
  })

  it('are some from each document', () => {
    expect(commandsOf('docs/staff.md').length).toBeGreaterThan(15)
    expect(commandsOf('docs/organizations.md').length).toBeGreaterThan(3)
  })
})
