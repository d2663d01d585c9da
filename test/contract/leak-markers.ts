import { type Database, sql } from '../../src/database/database.ts'
import { html } from '../../src/html/template.ts'
import {
  type AccessCheck,
  requestContains,
  type SentRequest,
  maySeeAddress,
  maySeeDraftAddress,
  maySeeReporter,
  isStaffOfIssue,
  mayActFor,
  maySeeInvitation,
  maySeeTransfer,
  findCallerId,
} from './private-data-access.ts'
import { queryRows } from '../helpers/query-rows.ts'

// Private values in the database are markers: `createClient` and `createBrowser` search every response of the suite for them.
// Factories add markers, and so does every request that reports, registers or adds an address.

export type LeakMarker =
  /** Visible only to the caller who sent it. */
  | { readonly kind: 'token' }
  /** The key of an endpoint, which no response contains. */
  | { readonly kind: 'key' }
  /** Visible to its owner. */
  | { readonly kind: 'address'; readonly owner: number }
  /** The token of a watch area, visible to its owner. */
  | { readonly kind: 'watcher'; readonly owner: number }
  /** A private answer: visible to staff of the issue's organisation, not to the reporter. */
  | { readonly kind: 'answer'; readonly issue: number }
  /** An internal note, the reason of a target or contact data of a caller: visible to members of organisations that may act for the issue. */
  | { readonly kind: 'note'; readonly issue: number }
  /** The reason or refusal of a transfer: visible to them and to members of both organisations. */
  | { readonly kind: 'transfer'; readonly issue: number }
  /** The name of an anonymous reporter: visible to staff, and where the user did something under this name. */
  | { readonly kind: 'reporter'; readonly issue: number; readonly person: number }

interface MarkedText {
  /** The text unchanged, escaped in JSON and escaped in HTML. */
  readonly encodings: readonly string[]
  readonly markers: LeakMarker[]
}

const markedTexts = new Map<string, MarkedText>()
/** Maps issue ids to user ids. */
const anonymousReporters = new Map<number, number>()
const databases = new WeakMap<object, Database>()

/** Shorter texts could be in a response by chance. */
const LENGTH_MIN = 8

export function addLeakMarker(secret: LeakMarker, text: string): void {
  if (secret.kind === 'reporter') anonymousReporters.set(secret.issue, secret.person)
  if (text.length < LENGTH_MIN) return
  const marked = markedTexts.get(text) ?? { encodings: encode(text), markers: [] }
  markedTexts.set(text, marked)
  if (!marked.markers.some((other) => JSON.stringify(other) === JSON.stringify(secret))) marked.markers.push(secret)
}

export function clearLeakMarkers(): void {
  markedTexts.clear()
  anonymousReporters.clear()
}

export function watchForLeaks(app: object, db: Database): void {
  databases.set(app, db)
}

interface ReceivedResponse {
  readonly statusCode: number
  readonly headers: object
  readonly payload: string
}

const CREATING_ROUTES =
  /^(\/api\/v2)?\/(issues|report|users|register|emails|profile|account|watchers|watch|open311|organizations)\b/

/** @throws Error that names the leaked marker */
export async function checkLeaks(app: object, request: SentRequest, answered: ReceivedResponse): Promise<void> {
  await checkMarkers(app, request, answered)
  for (const secret of newSecrets(answered)) addLeakMarker({ kind: 'token' }, secret)
}

async function checkMarkers(app: object, request: SentRequest, answered: ReceivedResponse): Promise<void> {
  const db = databases.get(app)
  if (!db) throw new Error('Call watchAnswers for this app first.')
  if (['POST', 'PUT'].includes(request.method) && answered.statusCode < 400 && CREATING_ROUTES.test(request.url))
    await markNewRows(db)
  await checkStaffKeys(db, request, answered)
  await checkAssignees(db, request, answered)
  if (markedTexts.size === 0) return
  const text = `${JSON.stringify(answered.headers)}\n${answered.payload}`
  const found = [...markedTexts].filter(([, { encodings }]) => encodings.some((encoding) => text.includes(encoding)))
  const named = issuesNamingReporter(answered.payload)
  if (found.length === 0 && named.length === 0) return

  const ask: AccessCheck = { ...request, db, succeeded: answered.statusCode < 400, viewer: await findCallerId(request, db) }
  const leakError = (what: string) => new Error(`${request.method} ${request.url} leaks a secret: ${what}\n${text.slice(0, 2_000)}`)
  for (const [secret, { markers }] of found) {
    const may = await Promise.all(markers.map((marker) => mayContain(marker, secret, text, ask)))
    if (!may.some(Boolean)) throw leakError(`${markers.map(({ kind }) => kind).join()} ${secret}`)
  }
  for (const issue of named) if (!(await isStaffOfIssue(issue, ask))) throw leakError(`who reported issue ${issue}`)
}

/** Keys of JSON that only members of organisations and Admins get: priority, targets, notes, prepared answers and views. */
/** The API reference, and the public history of Open311, which is called notes. */
const PUBLIC_NOTES = /^\/(docs|open311)/
const STAFF_KEYS = /"(priority|notes_count|notes|acknowledge_by|close_by|paused_at|templates|views)":/

async function checkStaffKeys(db: Database, request: SentRequest, { statusCode, payload }: ReceivedResponse): Promise<void> {
  const key = statusCode < 400 && /^[{[]/.test(payload) && !PUBLIC_NOTES.test(request.url) && STAFF_KEYS.exec(payload)?.[1]
  if (!key) return
  const id = await findCallerId(request, db)
  const staff = await db.prisma.user.findFirst({ where: { id, OR: [{ role: 'Admin' }, { memberships: { some: {} } }] } })
  if (!staff)
    throw new Error(`${request.method} ${request.url} shows ${key} to a caller who is no member\n${payload.slice(0, 500)}`)
}

const ASSIGNEE = /"assignee(?:_id":|":\{"id":)([1-9]\d*)/g

/** Employees of organisations that do not show them are assignees only for staff and for themselves. */
async function checkAssignees(db: Database, request: SentRequest, { statusCode, payload }: ReceivedResponse): Promise<void> {
  if (statusCode >= 400 || PUBLIC_NOTES.test(request.url)) return
  const ids = [...new Set([...payload.matchAll(ASSIGNEE)].map(([, id]) => Number(id)))]
  if (ids.length === 0) return
  const isHidden = { some: { organization: { shows_people: false } }, none: { organization: { shows_people: true } } }
  const hidden = await db.prisma.user.findFirst({ where: { id: { in: ids }, memberships: isHidden } })
  if (!hidden) return
  const caller = await findCallerId(request, db)
  const may = { id: caller, OR: [{ id: hidden.id }, { role: 'Admin' as const }, { memberships: { some: {} } }] }
  if (!(await db.prisma.user.findFirst({ where: may })))
    throw new Error(`${request.method} ${request.url} leaks a secret: the assignee ${hidden.id}\n${payload.slice(0, 500)}`)
}

async function mayContain(secret: LeakMarker, text: string, answer: string, ask: AccessCheck): Promise<boolean> {
  // The caller sent the text, so a form may show it again; the response of an accepted report may not.
  const sent = requestContains(ask, text)
  switch (secret.kind) {
    case 'token':
      return sent
    case 'key':
      return false
    case 'address':
      return sent || maySeeAddress(secret.owner, ask) || (await maySeeDraftAddress(text, ask)) || maySeeInvitation(text, ask)
    case 'watcher':
      return sent || maySeeAddress(secret.owner, ask)
    case 'answer':
      return (sent && !(ask.method === 'POST' && ask.succeeded)) || isStaffOfIssue(secret.issue, ask)
    case 'note':
      return sent || mayActFor(secret.issue, ask)
    case 'transfer':
      return sent || (await mayActFor(secret.issue, ask)) || maySeeTransfer(text, ask)
    case 'reporter':
      return sent || !isWholeWord(text, answer) || maySeeReporter(secret, ask)
  }
}

function encode(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1)
  return [...new Set([secret, inJson, JSON.stringify(inJson).slice(1, -1), String(html`${secret}`)])]
}

/** Returns the secrets that this response creates (tokens, sessions); no other response may contain them. */
function newSecrets({ headers, payload }: ReceivedResponse): string[] {
  const cookies = [(headers as Readonly<Record<string, string | string[] | undefined>>)['set-cookie'] ?? []].flat()
  const secrets = cookies.flatMap((cookie) => /^[^=]+=([\w-]{40,});/.exec(cookie)?.[1] ?? [])
  if (!payload.startsWith('{') || !/"(fxp|whsec)_/.test(payload) || isLines(payload)) return secrets
  const { token, access_token, secret } = JSON.parse(payload) as { token?: unknown; access_token?: unknown; secret?: unknown }
  const isSecret = (one: unknown): one is string => typeof one === 'string' && /^(fxp|whsec)_/.test(one)
  return [...secrets, ...[token, access_token, secret].filter(isSecret)]
}

/** Returns false for "Resident 1" in "Resident 12". */
function isWholeWord(name: string, text: string): boolean {
  const around = text.split(name)
  return around.slice(1).some((after, index) => !/[\p{L}\d]$/u.test(around[index] ?? '') && !/^[\p{L}\d]/u.test(after))
}

/** Newline-delimited GeoJSON has flat properties, in which no reporter has an id. */
const isLines = (payload: string) => payload.startsWith('{"type":"Feature",')

function issuesNamingReporter(payload: string): number[] {
  if (anonymousReporters.size === 0 || !/^[{[]/.test(payload) || !payload.includes('"reporter"') || isLines(payload)) return []
  const named: number[] = []
  JSON.parse(payload, (_, value: unknown) => {
    const { id, reporter } = (value ?? {}) as { id?: number; reporter?: { id?: number } | null }
    if (id !== undefined && reporter?.id !== undefined && anonymousReporters.get(id) === reporter.id) named.push(id)
    return value
  })
  return named
}

async function markNewRows(db: Database): Promise<void> {
  const rows = await queryRows<{ kind: LeakMarker['kind']; id: number; person: number; text: string }>(
    db,
    sql`
    (SELECT 'address' AS kind, e.user_id AS id, 0 AS person, e.email AS text FROM email_addresses e ORDER BY e.id DESC LIMIT 50)
    UNION ALL
    (SELECT 'watcher', w.user_id, 0, w.watcher_token FROM watch_areas w ORDER BY w.updated_at DESC, w.id LIMIT 50)
    UNION ALL
    (SELECT CASE WHEN a.is_contact THEN 'note' ELSE 'answer' END, a.issue_id, 0, a.answer FROM issue_answers a WHERE a.answer_kept_private ORDER BY a.id DESC LIMIT 50)
    UNION ALL
    (SELECT 'answer', m.issue_id, 0, m.full_key FROM media m WHERE m.answer_kept_private ORDER BY m.id DESC LIMIT 50)
    UNION ALL
    (SELECT 'key', 0, 0, e.api_key FROM forwarding_endpoints e WHERE e.api_key IS NOT NULL)
    UNION ALL
    (SELECT 'note', n.issue_id, 0, n.text FROM issue_notes n ORDER BY n.id DESC LIMIT 50)
    UNION ALL
    (SELECT 'note', t.issue_id, 0, t.reason FROM issue_targets t WHERE t.reason IS NOT NULL ORDER BY t.updated_at DESC, t.issue_id LIMIT 50)
    UNION ALL
    (SELECT 'transfer', t.issue_id, 0, written.text FROM issue_transfers t CROSS JOIN LATERAL (VALUES (t.reason), (t.refusal)) written (text)
      WHERE written.text IS NOT NULL ORDER BY t.id DESC LIMIT 50)
    UNION ALL
    (SELECT 'reporter', i.id, u.id, u.name FROM issues i JOIN users u ON u.id = i.reporter_id WHERE i.anonymous ORDER BY i.id DESC LIMIT 50)`,
  )
  for (const { kind, id, person, text } of rows) {
    if (kind === 'key') addLeakMarker({ kind }, text)
    if (kind === 'address' || kind === 'watcher') addLeakMarker({ kind, owner: id }, text)
    if (kind === 'answer' || kind === 'note' || kind === 'transfer') addLeakMarker({ kind, issue: id }, text)
    if (kind === 'reporter') addLeakMarker({ kind, issue: id, person }, text)
  }
}
