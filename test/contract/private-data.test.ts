import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'

import { raw, sql } from '../../src/database/database.ts'
import type { EndpointClient } from '../../src/georeport/endpoint-client.ts'
import { deliverWebhooks } from '../../src/webhooks/deliver.ts'
import type { ApiResponse } from '../helpers/client.ts'
import { GREEN, square } from '../helpers/factories.ts'
import { imagesWithMetadata } from '../helpers/images.ts'
import { useApp } from '../helpers/use-app.ts'
import { type AppOn, appOn, bearer, openAppOn } from '../http/app-on.ts'
import { readLinkToken } from '../notifications/mail-worker.ts'
import { listReadableUrls } from './readable-urls.ts'
import { runJobs } from './run-jobs.ts'
import { queryRows } from '../helpers/query-rows.ts'

/* Private fields get unique texts through the API. Then all responses, the log at level trace, all files and all tables are searched for them. */

/** The date is that of a target. */
const LEAK_TEXT = /leaktest-[a-z-]+|2031-07-13/g
const secrets = {
  address: 'leaktest-address@example.org',
  otherAddress: 'leaktest-second@example.org',
  password: 'leaktest-password',
  nameOfTheUnnamed: 'leaktest-name-of-the-unnamed',
  privateText: 'leaktest-private-text',
  privateDescription: 'leaktest-private-description',
  pendingSummary: 'leaktest-pending-summary asshole',
  pendingQuestion: 'leaktest-pending-question asshole',
  pendingAnswer: 'leaktest-pending-answer asshole',
  device: 'leaktest-device',
  fileName: 'leaktest-file-name.jpg',
  note: 'leaktest-note',
  targetReason: 'leaktest-target-reason',
  targetDate: '2031-07-13',
  calendar: 'leaktest-calendar',
  inbox: 'leaktest-inbox@example.org',
  bulkComment: 'leaktest-bulk-comment',
  view: 'leaktest-view',
}

const app = useApp({ keepRows: true })
let own: AppOn
let folder: string
let token: string

let leaked: string[]
/** The position of the log of changes before the first report. */
let since: string

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const answer = await own.anonymous.send('POST', `/api/v2${path}`, { body, headers })
  leaked.push(...inAnswer(answer).map((secret) => `${path} ${answer.status}: ${secret}`))
  return answer
}
const authorized = () => bearer(token)

/** A resident fills every private field, with a report of every kind, and all jobs run. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fixpoint-test-'))
  leaked = []
  const { close, ...opened } = await openAppOn(app.db, { LOG_LEVEL: 'trace', DATA_DIR: folder })
  own = opened
  const organization = await app.create.organization({ name: 'Public Works' })
  await app.create.place({ url_name: 'new-haven', boundary: square(GREEN) })
  const type = await app.create.requestType({
    organization,
    questions: [
      { built_in: 'summary', question: 'What?', question_type: 'text' },
      { built_in: 'description', question: 'More?', question_type: 'textarea', answer_kept_private: true },
      { question: 'Your telephone?', question_type: 'text', answer_kept_private: true },
      { built_in: 'issue_image', question: 'Picture?', question_type: 'file', answer_kept_private: true },
    ],
  })
  await app.db.prisma.organization.update({ where: { id: organization }, data: { inbox_email: secrets.inbox } })
  const calendar = { organization_id: organization, name: secrets.calendar, time_zone: 'UTC', weekly_hours: {} }
  const { id: calendar_id } = await app.db.prisma.calendar.create({ data: calendar })
  await app.db.prisma.targetRule.create({ data: { organization_id: organization, close_hours: 100, request_type_id: type } })
  await app.db.prisma.targetRule.create({ data: { organization_id: organization, close_hours: 100, calendar_id } })
  const password = secrets.password
  const account = { name: secrets.nameOfTheUnnamed, email: secrets.address, password, password_confirmation: password }
  expect((await post('/users', { ...account, accept_terms: true })).status).toBe(201)
  const made = await post('/tokens', { email: secrets.address, password, name: 'phone' })
  token = (made.body as { token: string }).token
  await post('/emails', { email: secrets.otherAddress }, authorized())

  since = String((await own.anonymous.get('/changes')).headers['x-changes-cursor'])

  const telephones = sql`SELECT q.id FROM request_type_questions q WHERE q.question = 'Your telephone?'`
  const [telephone] = await queryRows<{ id: number }>(app.db, telephones)
  const report = new FormData()
  const fields = {
    ...{ lat: String(GREEN.lat), lng: String(GREEN.lng), address: '250 Church St', request_type_id: String(type) },
    ...{ anonymize_reporter: 'true', device_id: secrets.device, device_name: secrets.device, device_os: secrets.device },
    ...{ 'answers[summary]': 'Pothole', 'answers[description]': secrets.privateDescription },
    ...{ [`answers[${telephone?.id}]`]: secrets.privateText },
  }
  for (const [name, value] of Object.entries(fields)) report.append(name, value)
  const [image] = await imagesWithMetadata()
  report.append('answers[issue_image]', new Blob([new Uint8Array(image?.bytes ?? [])]), secrets.fileName)
  expect((await post('/issues', report, { ...authorized(), 'idempotency-key': 'once' })).status).toBe(201)
  const clerk = await app.create.user({ memberOf: [{ organization }] })
  const change = { transition: 'close', comment: secrets.bulkComment }
  const run = { actor_id: clerk.id, change, preview_hash: 'hash', mails: 0, issues: { create: { issue_id: 1, before: {} } } }
  await app.db.prisma.bulkRun.create({ data: run })
  await app.db.prisma.savedView.create({
    data: { organization_id: organization, name: secrets.view, query: `search=${secrets.view}` },
  })
  await app.db.prisma.issueNote.create({ data: { issue_id: 1, text: secrets.note } })
  const target = { issue_id: 1, started_at: new Date(), close_by: new Date(`${secrets.targetDate}T11:17:19Z`) }
  await app.db.prisma.issueTarget.create({ data: { ...target, reason: secrets.targetReason, is_manual: true } })
  const other = { ...GREEN, address: '250 Church St', request_type_id: 'other' }
  const pendingReport = { ...other, answers: { summary: secrets.pendingSummary } }
  expect((await post('/issues', pendingReport, authorized())).status).toBe(202)
  expect((await post('/new-haven/questions', { question: secrets.pendingQuestion }, authorized())).status).toBe(202)
  const open = await app.create.question({ place: 1 })
  expect((await post(`/questions/${open}/answers`, { answer: secrets.pendingAnswer }, authorized())).status).toBe(202)
  // These requests make validation errors, wrong passwords and refused pages write log lines.
  await post('/issues', { ...pendingReport, lat: 'x' }, authorized())
  await post('/tokens', { email: secrets.address, password: `${password}-wrong` })
  await own.anonymous.get('/profile', { authorization: 'Bearer leaktest-wrong-token' })
  await own.anonymous.send('POST', '/login', {
    body: { email: secrets.address, password },
    headers: { origin: 'http://evil.example' },
  })
  await post('/passwords/forgot', { email: secrets.address })
  await runJobs(own.services)
  return async () => {
    await close()
    rmSync(folder, { recursive: true, force: true })
  }
})

/** Returns all readable URLs, with all ids and names and with the queries that return the most data. */
function readable(): string[] {
  const point = `lat=${GREEN.lat}&lng=${GREEN.lng}`
  const queries = [
    '',
    '?extensions=true',
    `?${point}&details=true&status=open,closed,archived,acknowledged`,
    `?${point}&request_type_id=other&summary=Pothole&zoom=12`,
  ]
  const files = ['organization_id=1', 'organization_id=1&people=true', 'organization_id=1&note=leaktest'].flatMap((query) =>
    ['csv', 'geojson'].map((format) => `/exports/issues.${format}?${query}`),
  )
  return [...files, ...listReadableUrls(own.fastify, ['1', '2', '3', 'new-haven', 'other'], queries)]
}

function foundIn(text: string): string[] {
  return [...new Set(text.match(LEAK_TEXT) ?? [])]
}

const inAnswer = ({ headers, text }: ApiResponse) => foundIn(`${JSON.stringify(headers)} ${text}`)

/** The name of the resident is public; their report is anonymous. */
const allowedForUser: Allowed = [[/^\/(api\/v2\/)?users\/1\b/, 'nameOfTheUnnamed']]
/** The reporter sees their addresses, their name on each page, and their content that is pending review. */
const allowedForReporter: Allowed = [
  ...allowedForUser,
  [/^\/(api\/v2\/emails|account)\b/, 'address'],
  [/^\/(api\/v2\/emails|account)\b/, 'otherAddress'],
  [/^\/(?!api\/)|^\/api\/v2\/(issues|comments|questions|answers|users)\/\d\/flag\b/, 'nameOfTheUnnamed'],
  [/^\/api\/v2\/(profile|issues\/2|moderation\/1)\b/, 'nameOfTheUnnamed'],
  [/^\/(api\/v2\/)?(issues|i)\/2\b/, 'pendingSummary'],
  [/^\/api\/v2\/moderation\/1\b/, 'pendingSummary'],
  [/^\/api\/v2\/(questions\/1|answers\/1|moderation\/[23])(\?|$)/, 'nameOfTheUnnamed'],
  [/^\/(api\/v2\/)?questions\/1\b/, 'pendingQuestion'],
  [/^\/api\/v2\/moderation\/2\b/, 'pendingQuestion'],
  [/^\/(api\/v2\/answers\/1|questions\/2)\b/, 'pendingAnswer'],
  [/^\/api\/v2\/moderation\/3\b/, 'pendingAnswer'],
]
type Allowed = readonly (readonly [url: RegExp, secret: keyof typeof secrets])[]

async function findLeaks(headers: Record<string, string> = {}, allowed: Allowed = allowedForUser): Promise<string[]> {
  const leaked: string[] = []
  const unknown = new Set<string>()
  for (const url of readable()) {
    const [path = ''] = url.split('?')
    // A resource that the caller may not see is 404 with every query.
    if (unknown.has(path)) continue
    const secretsOf = allowed.filter(([of]) => of.test(url)).map(([, secret]) => secrets[secret])
    const answer = await own.anonymous.send('GET', url, { headers })
    if (answer.status === 404) unknown.add(path)
    const found = inAnswer(answer)
    leaked.push(
      ...found.filter((secret) => !secretsOf.some((text) => text.startsWith(secret))).map((secret) => `${url}: ${secret}`),
    )
  }
  return leaked
}

function expectSilentLog(): void {
  const text = JSON.stringify(own.logged)
  expect(foundIn(text)).toEqual([])
  expect(own.logged.filter((line) => JSON.stringify(line).includes(token))).toEqual([])
  expect(text).not.toMatch(/token=[\w-]/)
}

describe('private data', () => {
  it('is in no response to anonymous callers, other residents or staff of another organisation, and in no log line', async () => {
    const paths = new Set(readable().map((url) => url.split('?')[0]))
    const resident = await app.create.user()
    const elsewhere = await app.create.user({ memberOf: [{ organization: await app.create.organization() }] })
    const before = own.logged.length

    expect(paths.size).toBeGreaterThan(60)
    expect(await findLeaks()).toEqual([])
    expect(await findLeaks(bearer(resident.token))).toEqual([])
    expect(await findLeaks(bearer(elsewhere.token))).toEqual([])
    expect(own.logged.length - before).toBeGreaterThanOrEqual(3 * paths.size)
    expectSilentLog()
  })

  it('is shown to its owner only on their own pages, without private answers, the device or the name next to the report', async () => {
    expect(await findLeaks(authorized(), allowedForReporter)).toEqual([])
    expect(leaked).toEqual(['/users 201: leaktest-name-of-the-unnamed', '/emails 201: leaktest-second'])
    expectSilentLog()
  })

  it('is in no change of a list, of a stream or of a webhook', async () => {
    const resident = await app.create.user()
    const elsewhere = await app.create.user({ memberOf: [{ organization: await app.create.organization() }] })
    const streaming = await appOn(app.db, { STREAM_SECONDS_MAX: '1' })
    const answers: ApiResponse[] = []
    for (const headers of [{}, bearer(resident.token), bearer(elsewhere.token), authorized()])
      for (const path of ['/changes', '/changes/stream', '/changes?format=geojsonl'])
        answers.push(await streaming.anonymous.get(`${path}${path.includes('?') ? '&' : '?'}since=${since}`, headers))
    const messages: string[] = []
    const send: EndpointClient['send'] = ({ json = '' }) => Promise.resolve({ status: 204, text: String(messages.push(json)) })
    const kinds = ['created', 'changed', 'gone']
    const webhook = { user_id: resident.id, url: 'https://example.org', query: '', kinds, signature: 'v1' }
    await app.db.prisma.webhook.create({ data: { ...webhook, secret: 'whsec_', is_active: true, position: since } })
    await deliverWebhooks({ ...own.services, endpoints: { send } }, new AbortController().signal)

    expect(answers.filter(({ text }) => !text.includes('Pothole')).map(({ text }) => text)).toEqual([])
    expect(answers.flatMap(inAnswer)).toEqual([])
    expect(messages.filter((message) => message.includes('Pothole'))).toHaveLength(1)
    expect(messages.flatMap(foundIn)).toEqual([])
  })

  it('is not found by search', async () => {
    for (const secret of Object.values(secrets)) {
      const { body } = await own.anonymous.get(
        `/issues?search=${encodeURIComponent(secret)}&status=open,acknowledged,closed,archived`,
      )
      expect(body).toMatchObject({ issues: [], metadata: { pagination: { entries: 0 } } })
    }
  })

  it('is in no log line, even at level trace', () => {
    expect(own.logged.length).toBeGreaterThan(10)
    expectSilentLog()
  })

  it('is in no file except mails to the owner, which contain nothing of the report', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile())
    const mails = files.filter((name) => name.startsWith('mails'))

    expect(files.length).toBeGreaterThan(mails.length)
    const found = files.map((name) => [name, foundIn(readFileSync(join(folder, name), 'latin1'))] as const)
    expect(found.filter(([name, secrets]) => !mails.includes(name) && secrets.length > 0)).toEqual([])
    const inMails = new Set(found.filter(([name]) => mails.includes(name)).flatMap(([, secrets]) => secrets))
    expect([...inMails].filter((secret) => !/leaktest-(address|second|name-of-the-unnamed|inbox)/.test(secret))).toEqual([])
  })

  it('is stored only in its own tables, without passwords and tokens, and never in events or stored responses', async () => {
    const tables = await queryRows<{ name: string }>(
      app.db,
      sql`
      SELECT t.tablename AS name FROM pg_tables t WHERE t.schemaname = 'public' AND t.tablename <> 'spatial_ref_sys' ORDER BY t.tablename`,
    )
    const rows: Record<string, string> = {}
    for (const { name } of tables) {
      const [all] = await queryRows<{ text: string | null }>(
        app.db,
        sql`
        SELECT string_agg(to_jsonb(r)::text, ' ') AS text FROM ${raw(`"${name}"`)} r`,
      )
      rows[name] = all?.text ?? ''
    }
    const mail = readdirSync(join(folder, 'mails')).map((name) =>
      readFileSync(join(folder, 'mails', name), 'utf8')
        .replaceAll('=\r\n', '')
        .replaceAll('=3D', '='),
    )
    const links = mail.flatMap((text) => (/token=/.test(text) ? [readLinkToken({ text })] : []))

    expect(links.length).toBeGreaterThan(0)
    for (const secret of [token, secrets.password, ...links]) {
      expect(Object.keys(rows).filter((name) => rows[name]?.includes(secret))).toEqual([])
    }
    expect(Object.keys(rows).filter((name) => foundIn(rows[name] ?? '').length > 0)).toEqual([
      ...['answers', 'bulk_runs', 'calendars', 'email_addresses', 'issue_answers', 'issue_notes', 'issue_targets', 'issues'],
      ...['moderation_items', 'organizations', 'questions', 'saved_views', 'users'],
    ])
  })
})
