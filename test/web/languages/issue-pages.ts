import type { Language } from '../../../src/locales/texts.ts'
import { sql } from '../../../src/database/database.ts'
import { type Browser, createBrowser } from '../../helpers/browser.ts'
import { GREEN, type TestUser } from '../../helpers/factories.ts'
import { createLoggedInBrowser, EMPTY_FILE, sendMultipart } from '../../helpers/logged-in-browser.ts'
import type { TestApp } from '../../helpers/use-app.ts'

const at = `lat=${GREEN.lat}&lng=${GREEN.lng}`

/** User content has no Latin letters, so that a text with such letters is one of the service. */
const TEXT = 'Λάκκος στον δρόμο'
const NAME = 'Άννα Πάρκου'

export interface IssuePage {
  /** The page in a frame has no cookie, so its path names the language. */
  readonly path: string
  readonly as?: 'member' | 'employee' | 'moderator' | 'receiver'
  /** The fields of a form that is rejected. */
  readonly form?: Readonly<Record<string, string | File>>
}

export const issuePages: Readonly<Record<string, IssuePage>> = {
  'the map': { path: '/' },
  'the map of a place': { path: '/?place_url=poli' },
  'a search on the map that finds nothing': { path: '/?find=ουδέν' },
  'the map in a frame': { path: '/embed?language={language}' },
  'the map without issues': { path: '/?search=ουδέν&status=archived' },
  'the map with filters for members': { path: '/?status=open,closed&page=2', as: 'member' },
  'an issue': { path: '/issues/1' },
  'an issue for its reporter': { path: '/issues/1?reported=now', as: 'member' },
  'an issue for an employee': { path: '/issues/1', as: 'employee' },
  'an issue for a moderator': { path: '/issues/1', as: 'moderator' },
  'an archived issue': { path: '/issues/2', as: 'employee' },
  'an issue without comments': { path: '/issues/3', as: 'employee' },
  'a pending issue for its reporter': { path: '/issues/4', as: 'member' },
  'a pending issue for a moderator': { path: '/issues/4', as: 'moderator' },
  'a rejected issue': { path: '/issues/5', as: 'member' },
  'a rejected comment': { path: '/issues/1/comments', as: 'member', form: { comment: '', youtube_url: 'x', image: EMPTY_FILE } },
  'a rejected transition': { path: '/issues/2/open', as: 'member', form: { comment: TEXT, image: EMPTY_FILE } },
  'a rejected priority': { path: '/issues/1/priority', as: 'employee', form: { priority: '9', version: '*' } },
  'a rejected type': { path: '/issues/1/type', as: 'employee', form: { request_type_id: 'x', version: '*' } },
  'a pause without a reason': { path: '/issues/1/target', as: 'employee', form: { paused: 'true', version: '*' } },
  'a rejected note': { path: '/issues/1/notes', as: 'employee', form: { note: '' } },
  'the mail of an answer': { path: '/issues/6/preview', as: 'employee', form: { comment: TEXT, image: EMPTY_FILE } },
  'the mail of a closing': {
    path: '/issues/6/preview',
    as: 'employee',
    form: { comment: TEXT, transition: 'close', outcome: 'fixed', image: EMPTY_FILE },
  },
  'an issue that is offered': { path: '/issues/6', as: 'employee' },
  'an issue that is offered, for its receiver': { path: '/issues/6', as: 'receiver' },
  'a rejected transfer': { path: '/issues/3/transfer', as: 'employee', form: { organization_id: '', reason: TEXT, version: '*' } },
  'an acceptance without a type': { path: '/issues/6/transfer/accept', as: 'receiver', form: { transfer_id: '1', version: '*' } },
  'a refusal without a reason': { path: '/issues/6/transfer/refuse', as: 'receiver', form: { transfer_id: '1', version: '*' } },
  'a withdrawal of an old version': {
    path: '/issues/6/transfer/withdraw',
    as: 'employee',
    form: { transfer_id: '1', version: '99' },
  },
  'a rejected merge': { path: '/issues/3/merge', as: 'employee', form: { duplicate_of: '3', version: '*' } },
  'a merged issue': { path: '/issues/7', as: 'employee' },
  'an issue with duplicates': { path: '/issues/6' },
  'the undo of no merge': { path: '/issues/3/unmerge', as: 'employee', form: { version: '*' } },
  'the change of many issues': { path: '/bulk', as: 'employee' },
  'a change of many issues that is unknown': { path: '/bulk', as: 'employee', form: { change: 'x' } },
  'a change of no issues': { path: '/bulk?search=ουδέν', as: 'employee' },
  'the preview of a bulk run': { path: '/bulk/1', as: 'employee' },
  'a bulk run': { path: '/bulk/2', as: 'employee' },
  'a bulk run that is done': { path: '/bulk/3', as: 'employee' },
  'a bulk run that is undone': { path: '/bulk/4', as: 'employee' },
  'the start of an unknown bulk run': { path: '/bulk/999/run', as: 'employee', form: { hash: 'x' } },
  'the start of an outdated bulk run': { path: '/bulk/1/run', as: 'employee', form: { hash: 'y' } },
  'the undo of an unknown bulk run': { path: '/bulk/999/undo', as: 'employee', form: {} },
  'an unknown saved view': { path: '/views?organization_id=1&id=999', as: 'employee' },
  'a view without a name': { path: '/views', as: 'employee', form: { organization_id: '1', action: 'save', name: '' } },
  'a note that is unknown': { path: '/issues/1/notes/delete', as: 'employee', form: { note_id: '999' } },
  'an edited note without a text': { path: '/issues/1/notes/edit', as: 'employee', form: { note_id: '1', note: '' } },
  'a rejected assignment': { path: '/issues/1/assignee', as: 'employee', form: { assignee_id: '999', version: '*' } },
  'the point of a report': { path: '/report' },
  'a wrong point': { path: '/report?lat=91&lng=x' },
  'the types at a point': { path: `/report?${at}` },
  'the types that match words': { path: `/report?${at}&words=pothole+type` },
  'no type that matches words': { path: `/report?${at}&words=zzz` },
  'a report outside of its place': { path: '/places/poli/report?lat=60&lng=60' },
  'a duplicate that is gone': { path: '/issues/999/same', as: 'member', form: {} },
  'an unknown type': { path: `/report?${at}&type=999`, as: 'member' },
  'the report of a place': { path: '/places/poli/report' },
  'the questions of a type': { path: `/report?${at}&type=1`, as: 'member' },
  'the questions of other': { path: `/places/poli/report?${at}&type=other`, as: 'member' },
  'a rejected report': {
    path: '/report',
    as: 'member',
    form: { lat: String(GREEN.lat), lng: String(GREEN.lng), request_type_id: 'other', address: '', 'answers[summary]': '' },
  },
  'the questions of a type for an employee': { path: `/report?${at}&type=1`, as: 'employee' },
  'a rejected report for a caller': {
    path: '/report',
    as: 'employee',
    form: {
      lat: String(GREEN.lat),
      lng: String(GREEN.lng),
      request_type_id: '1',
      address: '',
      'on_behalf[name]': TEXT,
      'on_behalf[email]': 'x',
    },
  },
  'the number of a report for a caller': { path: '/work?done=reported&count=1', as: 'employee' },
  'a report with a type that is gone': { path: '/report', as: 'member', form: { lat: '1', lng: '1', request_type_id: '999' } },
  'a report outside of its type': {
    path: '/report',
    as: 'member',
    form: { lat: '1', lng: '1', request_type_id: '1', address: TEXT },
  },
  'the flag of an issue': { path: '/issues/1/flag' },
  'the flag of a comment': { path: '/api/v2/comments/1/flag' },
  'the flag form': { path: '/comments/1/flag', as: 'member' },
  'a rejected flag': { path: '/comments/1/flag', as: 'member', form: { message: '' } },
  'the flag of own content': { path: '/issues/1/flag', as: 'member' },
  'the flag of pending content': { path: '/issues/4/flag', as: 'moderator' },
  'a second flag': { path: '/comments/1/flag', as: 'employee' },
  'the flag of a question': { path: '/questions/1/flag', as: 'member' },
  'the flag of an answer': { path: '/answers/1/flag', as: 'member' },
  'the flag of a user': { path: '/users/1/flag' },
  'the flag form of a user': { path: '/users/2/flag', as: 'member' },
  'the flag of one’s own profile': { path: '/users/1/flag', as: 'member' },
  'an unknown page': { path: '/no/such/page' },
  'a wrong address': { path: '/?page=x' },
  'an address with wrong filters': { path: '/?status=x&after=x&min_lat=1&request_types=x&zoom=x' },
  'a misspelt address': { path: '/?Status=open' },
  'a place with wrong filters': { path: '/places/poli?status=x' },
  'an unknown place of the map': { path: '/?place_url=none' },
  'an address with characters that are not allowed': { path: '/places/%E0' },
  'a page that is no form': { path: '/places', form: { a: 'b' } },
}

export type People = Readonly<Record<NonNullable<IssuePage['as']>, TestUser>>

/** Creates the content of the pages, whose ids the paths have: the database is empty before. */
export async function createIssuePages(app: TestApp): Promise<People> {
  const { create } = app
  const organization = await create.organization({ name: 'Δήμος' })
  const member = await create.user({ name: NAME })
  const employee = await create.user({ name: 'Βασίλης', memberOf: [{ organization }] })
  const moderator = await create.user({ name: 'Γιώργος', memberOf: [{ organization, role: 'moderator' }] })
  const place = await create.place({ url_name: 'poli', name: 'Πόλη', place_type: 'Πόλη' })
  await app.db.execute(sql`UPDATE places SET county = 'Νομός', state = 'Ελλάδα'`)
  const types = ['text', 'textarea', 'select', 'multivaluelist', 'number', 'datetime', 'boolean', 'note', 'file']
  const questions = types.map((question_type, n) => ({
    question: `${TEXT} ${n};`,
    question_type,
    answer_kept_private: n % 2 === 0 && question_type !== 'note',
    response_required: n % 3 === 0,
    ...(/select|list/.test(question_type) ? { select_values: [{ key: 'α', name: 'Άλφα' }] } : {}),
  }))
  const type = await create.requestType({ title: 'Λάκκος', organization, questions })
  await create.requestType({ title: 'Κλαδί' })

  const issue = { summary: TEXT, description: TEXT, address: 'Οδός 1', request_type: type }
  const dates = { acknowledged_at: '2026-01-02T00:00:00Z', closed_at: '2026-01-03T00:00:00Z' }
  const first = await create.issue({ ...issue, reporter: member, assignee: employee, ...dates, status: 'Closed' })
  const archived = await create.issue({ ...issue, reporter: member, anonymous: true, status: 'Archived' })
  await create.issue({ ...issue, status: 'Open' })
  for (const moderation_state of ['held', 'rejected'] as const)
    await create.issue({ ...issue, reporter: member, anonymous: true, moderation_state })
  const [offered, merged] = [await create.issue({ ...issue, reporter: member }), await create.issue({ ...issue, status: 'Closed' })]
  await create.follow({ on: offered, by: member })
  const to = await create.organization({ name: 'Πάρκα' })
  const receiver = await create.user({ name: 'Ελένη', memberOf: [{ organization: to }] })
  await create.requestType({ title: 'Δέντρο', organization: to })
  const offer = { from_id: organization, to_id: to, reason: 'Είναι σε πάρκο', offered_by: employee.id }
  await app.db.prisma.issueTransfer.create({ data: { ...offer, issue_id: offered } })
  const merge = { issue_id: merged, into_id: offered, from_status: 'Open' } as const
  await app.db.prisma.issueMerge.create({ data: { ...merge, followers: [], votes: [] } })
  for (const [index, state] of ['preview', 'running', 'done', 'undone'].entries()) {
    const change =
      [{ priority: 3 }, { transition: 'close', outcome: 'fixed', comment: TEXT }, { assignee_id: employee.id }, {}][index] ?? {}
    const rows = [
      { issue_id: first, state: state === 'preview' ? 'pending' : 'done' },
      { issue_id: archived, state: 'refused', why: TEXT },
    ]
    const issues = { create: state === 'undone' ? [{ issue_id: first, state: 'left', why: TEXT }] : rows }
    const run = { actor_id: employee.id, preview_hash: 'x', mails: 2, undo_until: new Date(Date.now() + 500_000) }
    await app.db.prisma.bulkRun.create({ data: { ...run, state, change, issues } })
  }
  await create.formAnswer({ on: first, question: `${TEXT};`, answer: 'Ναι' })
  await create.comment({ on: first, by: moderator, comment: TEXT })
  const unnamed = await create.comment({ on: first, comment: TEXT })
  await app.db.execute(sql`UPDATE comments SET video_url = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ' WHERE id = ${unnamed}`)
  for (const moderation_state of ['held', 'rejected'] as const)
    await create.comment({ on: first, by: member, comment: TEXT, moderation_state })
  await app.db.execute(sql`
    INSERT INTO status_changes (issue_id, actor_id, comment_id, from_status, to_status, created_at)
    VALUES (${first}, ${employee.id}, ${unnamed}, 'Open', 'Acknowledged', '2026-01-02'),
      (${first}, NULL, NULL, 'Acknowledged', 'Closed', '2026-01-03'), (${archived}, NULL, NULL, 'Closed', 'Archived', '2026-01-09')`)
  await create.vote({ on: first, by: member })
  await create.follow({ on: first, by: member })
  await app.db.execute(sql`INSERT INTO flags (comment_id, user_id, message) VALUES (1, ${employee.id}, ${TEXT})`)
  await create.answer({ on: await create.question({ place: place.id, question: `${TEXT};` }), answer: TEXT })
  return { member, employee, moderator, receiver }
}

export async function openIssuePage(app: TestApp, people: People, { path, as, form }: IssuePage, language: Language) {
  const person = as && people[as]
  const browser: Browser = person ? await createLoggedInBrowser(app, person) : createBrowser(app.fastify)
  browser.jar.set('language', language)
  return form ? sendMultipart(browser, path, form) : browser.get(path.replace('{language}', language))
}
