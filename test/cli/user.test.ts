import Type from 'typebox'
import { describe, expect, inject, it } from 'vitest'

import { openPostgres } from '../../src/database/postgres.ts'
import { openEmbedded } from '../../src/database/embedded.ts'
import { createCredentialCheck } from '../../src/http/identity/credentials.ts'
import { addAccount, addToken, listAccounts, setDisabled, setPassword, setRole } from '../../src/accounts/account-queries.ts'
import { requestReset } from '../../src/accounts/passwords/queries.ts'
import { sql } from '../../src/database/database.ts'
import { notificationEmailAddressId } from '../../src/mail/notification-email-address.ts'
import { createTestDatabase, engine, openTestDatabase } from '../helpers/database.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { createFactories } from '../helpers/factories.ts'
import { runNode } from '../helpers/processes.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'

const ada = ['add', '--email', 'ada@example.org', '--password', 'correct horse', '--name', ' Ada Park ']

/** @param template a database to copy, which saves the migrations of the first command */
async function emptyDatabase(template?: string) {
  if (testDatabaseUrl !== undefined) {
    const { url } = await createTestDatabase(testDatabaseUrl, template)
    return { env: { DATABASE_URL: url }, open: () => Promise.resolve(openPostgres({ url })) }
  }
  const folder = createTemporaryFolder()
  return { env: { DATA_DIR: folder }, open: () => openEmbedded(`${folder}/database`) }
}

describe(`npm run user (${engine})`, () => {
  it(
    'migrates an empty database and creates an account that can log in, and creates none on an error',
    { timeout: 400_000 },
    async () => {
      const { env, open } = await emptyDatabase()

      const added = await runNode('src/cli/user.ts', [...ada, '--role', 'Verified Official'], env)
      const again = await runNode('src/cli/user.ts', [...ada.slice(0, 2), 'ADA@example.org', ...ada.slice(3)], env)
      const nowhere = await runNode(
        'src/cli/user.ts',
        ['add', '--email', 'b@example.org', ...ada.slice(3), '--organization', 'Public Works'],
        env,
      )
      const password = await runNode('src/cli/user.ts', ['password', 'Ada@example.org'], env)
      const token = await runNode('src/cli/user.ts', ['token', '--email', 'ada@ｅxample。org', '--name', ' laptop '], env)

      expect([added.code, added.stdout]).toEqual([0, 'Created user 1: Ada Park <ada@example.org>, Verified Official.\n'])
      expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('ADA@example.org is in use by another account.')])
      expect([nowhere.code, nowhere.stderr]).toEqual([
        1,
        expect.stringContaining('There is no organization named "Public Works". There are none yet.'),
      ])
      expect([password.code, password.stdout]).toEqual([0, expect.stringMatching(/^[\w-]{20}\n$/)])
      expect(password.stderr).toContain(
        'The password of Ada Park <Ada@example.org> is changed. All sessions and tokens have ended.',
      )
      const db = await open()
      expect(await db.prisma.user.findMany({ select: { name: true } })).toEqual([{ name: 'Ada Park' }])
      expect(await db.prisma.token.findMany({ select: { name: true } })).toEqual([{ name: 'laptop' }])
      const credentials = createCredentialCheck(db)
      const official = {
        id: 1,
        name: 'Ada Park',
        role: 'Verified Official',
        isAdmin: false,
        organizationIds: [],
        credentialsVersion: 2,
        isConfirmed: true,
        lastWriteLsn: null,
        memberships: [],
      }
      expect(await credentials.byPassword('Ada@Example.org', password.stdout.trim())).toEqual(official)
      expect(await credentials.byPassword('ada@example.org', 'correct horse')).toBeUndefined()
      expect(await credentials.byPassword('ada@example.org', 'wrong horse')).toBeUndefined()
      expect(await credentials.byToken(token.stdout.trim())).toEqual(official)
      await db.close()
    },
  )

  it('sets the new password, and revokes sessions, tokens and mailed links', async () => {
    const db = await openTestDatabase()
    const create = createFactories(db)
    const claiming = await create.user({ name: 'Claiming', password_hash: 'theirs' })
    const { id, email } = await create.user({ name: 'Ada Park', password_hash: 'any' })
    await db.prisma.emailAddress.create({ data: { user_id: claiming.id, email } })
    await db.prisma.token.create({
      data: { user_id: id, kind: 'session', token_hash: 'any', expires_at: new Date(Date.now() + 60_000) },
    })
    const expires_at = new Date(Date.now() + 60_000)
    await db.prisma.oneTimeToken.create({ data: { user_id: id, purpose: 'reset_password', token_hash: 'link', expires_at } })

    await setPassword(db, email, 'battery staple')
    const unknownAccount = setPassword(db, 'b@example.org', 'battery staple')
    await expect(unknownAccount).rejects.toThrow('No account has the e-mail address b@example.org.')

    expect(await createCredentialCheck(db).byPassword(email, 'battery staple')).toMatchObject({ id, credentialsVersion: 2 })
    expect(await db.prisma.token.count({ where: { user_id: id } })).toBe(0)
    expect(await db.prisma.oneTimeToken.count({ where: { used_at: null } })).toBe(0)
    expect(await db.prisma.user.findUnique({ where: { id: claiming.id } })).toMatchObject({ password_hash: 'theirs' })
    await db.close()
  })

  it('rejects an address with several claims, and accepts one with a single claim', async () => {
    const db = await openTestDatabase()
    const [one, other] = [await createFactories(db).user(), await createFactories(db).user()]
    await db.prisma.emailAddress.create({ data: { user_id: one.id, email: 'ada@example.org' } })
    const { id } = await db.prisma.emailAddress.create({ data: { user_id: other.id, email: 'ada@example.org' } })

    const refused = 'Several accounts claim the e-mail address ada@example.org, and none has confirmed it.'
    await expect(setPassword(db, 'ada@example.org', 'battery staple')).rejects.toThrow(refused)
    await expect(addToken(db, 'ada@example.org', undefined)).rejects.toThrow(refused)
    await db.prisma.emailAddress.delete({ where: { id } })
    await setPassword(db, 'ada@example.org', 'battery staple')
    const credentials = createCredentialCheck(db)
    const owners = [
      await credentials.byPassword('ada@example.org', 'battery staple'),
      await credentials.byToken(await addToken(db, 'ada@example.org', undefined)),
    ]

    expect(owners).toMatchObject([{ id: one.id }, { id: one.id }])
    await db.close()
  })

  it('creates an account for an address with unconfirmed claims and removes the claims, but rejects a confirmed address', async () => {
    const db = await openTestDatabase()
    const claiming = await createFactories(db).user()
    await db.prisma.emailAddress.create({ data: { user_id: claiming.id, email: 'Ada@example.org' } })
    const account = { name: 'Ada Park', email: 'ada@example.org', password: 'battery staple', role: 'Registered User' } as const

    const { id } = await addAccount(db, account)

    await expect(addAccount(db, account)).rejects.toThrow('The e-mail address ada@example.org is in use by another account.')
    expect(
      await db.prisma.emailAddress.findMany({ where: { email: { equals: 'ada@example.org', mode: 'insensitive' } } }),
    ).toMatchObject([{ user_id: id, confirmed_at: expect.any(Date) as Date }])
    await db.close()
  })

  it('reports all validation errors and the allowed values before it opens a database', async () => {
    const { code, stdout, stderr } = await runNode('src/cli/user.ts', [
      'add',
      '--email',
      'nowhere',
      '--password',
      'abc',
      '--name',
      '     ',
      '--role',
      'King',
    ])

    expect([code, stdout]).toEqual([1, ''])
    expect(stderr.split('\n').slice(0, 4)).toEqual([
      '--email must be an e-mail address',
      '--name must have 3 to 40 characters',
      '--password must have 8 to 64 characters',
      '--role must be one of Registered User, Verified Official, Admin',
    ])
  })

  it('lists accounts as columns and as JSON, and changes a role', async () => {
    const db = await openTestDatabase()
    const create = createFactories(db)
    const { id } = await create.user({ name: 'Ada Park', role: 'Admin' })
    const other = await create.user({ name: 'Ben Ito' })

    const { name } = await setRole(db, other.email, 'Verified Official')
    const listed = await Array.fromAsync(listAccounts(db))
    const admins = await Array.fromAsync(listAccounts(db, 'Admin'))

    expect(name).toBe('Ben Ito')
    expect(listed).toMatchObject([
      { id, name: 'Ada Park', role: 'Admin', is_confirmed: true, organizations: [], disabled_at: null },
      { id: other.id, name: 'Ben Ito', role: 'Verified Official', email: other.email },
    ])
    expect(admins.map((one) => one.id)).toEqual([id])
    await db.close()
  })

  it('disables an account: no login, token, reset link or notification until it is enabled', async () => {
    const db = await openTestDatabase()
    const create = createFactories(db)
    const { id, email } = await create.user({ name: 'Ada Park' })
    await setPassword(db, email, 'battery staple')
    const token = await addToken(db, email, undefined)
    const credentials = createCredentialCheck(db)
    const addressOf = () =>
      db.query(sql.type(Type.Object({ id: Type.Union([Type.Integer(), Type.Null()]) }))`
        SELECT ${notificationEmailAddressId} AS id FROM users recipient WHERE recipient.id = ${id}`)

    await setDisabled(db, email, true)

    expect(await credentials.byPassword(email, 'battery staple')).toBeUndefined()
    expect(await credentials.byToken(token)).toBeUndefined()
    await expect(addToken(db, email, undefined)).rejects.toThrow(`The account of ${email} is disabled.`)
    await requestReset(db, email)
    const [event] = await db.prisma.event.findMany({ where: { type: 'email.reset_requested' } })
    expect(event?.subject_id).toBe(0)
    expect(await addressOf()).toEqual([{ id: null }])

    await setDisabled(db, email, false)

    expect(await credentials.byPassword(email, 'battery staple')).toMatchObject({ id })
    expect(await addressOf()).toEqual([{ id: expect.any(Number) as number }])
    await db.close()
  })

  it('prints one JSON object for each line with --json', async () => {
    const { env } = await emptyDatabase(inject('template'))
    const added = await runNode('src/cli/user.ts', [...ada, '--json'], env)
    const listed = await runNode('src/cli/user.ts', ['list', '--json'], env)
    const wrong = await runNode('src/cli/user.ts', ['list', '--jsonl'], env)

    expect(JSON.parse(added.stdout)).toEqual({ id: 1, email: 'ada@example.org', name: 'Ada Park', role: 'Registered User' })
    expect(JSON.parse(listed.stdout)).toMatchObject({ id: 1, email: 'ada@example.org', is_confirmed: true, organizations: [] })
    expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('npm run user -- list') as string })
  })
})

// They take a process each, and are the same on the embedded engine.
it
  .runIf(engine === 'server')
  .each([
    ...['src/server.ts', 'jobs/worker.ts', 'prisma/seed.ts'],
    ...['import', 'user', 'verify', 'basemap', 'migrate', 'backup', 'restore'].map((name) => `src/cli/${name}.ts`),
  ])('%s --help says what the command does and opens nothing', async (file) => {
  const { code, stdout, stderr } = await runNode(file, ['--help'], { DATABASE_URL: 'postgres://nowhere.invalid/none' })

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/npm (?:start|run \w+)/)
})
