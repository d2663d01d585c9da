import { describe, expect, it } from 'vitest'

import { deliver } from '../../jobs/handlers/deliver.ts'
import { sql } from '../../src/database/database.ts'
import { addWords } from '../../src/search/dictionary.ts'
import { CURSOR, listReadableUrls } from '../contract/readable-urls.ts'
import { createImage } from '../media/stored-images.ts'
import { GREEN, type TestUser, square } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { createModerationScenario } from './scenario.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const { createPendingReport, createPendingComment, findOpenItem, approve, reject } = createModerationScenario(app)

const at = `lat=${GREEN.lat}&lng=${GREEN.lng}`
const ASKED = 'summary=Quokka'
const QUERIES = ['', `?${at}&zoom=14&details=true&status=open,closed,archived,acknowledged&request_type_id=other&${ASKED}`]
/** The responses of these URLs differ in every request. */
const ABOUT_THE_SERVICE = /^\/(health|metrics|ops)\b/
const SECRETS = ['quokka', 'wombat', 'numbat']

async function createCity() {
  const { create } = app
  await create.place({ url_name: 'new-haven', boundary: square(GREEN) })
  const organization = await create.organization()
  const questions = [
    { built_in: 'summary', question: 'What?', question_type: 'text' },
    { built_in: 'description', question: 'More?', question_type: 'textarea' },
  ]
  const type = await create.requestType({ organization, questions })
  const ada = await create.user({ name: 'Ada Park', share_location: true })
  const people: Record<string, TestUser> = {
    resident: await create.user({ name: 'Resident' }),
    employee: await create.user({ name: 'Employee', memberOf: [{ organization }] }),
    elsewhere: await create.user({ name: 'Elsewhere', memberOf: [{ organization: await create.organization() }] }),
  }
  const mia = await create.user({ name: 'Mia', memberOf: [{ organization, role: 'moderator' }] })
  const open = await create.issue({ request_type: type, summary: 'Bench' })
  await create.comment({ on: open, by: ada, comment: 'Mine.' })
  const files: string[] = []

  async function createPending() {
    const answers = { summary: 'Fucking Quokka', description: 'Wombat' }
    const issue = await createPendingReport(ada, { request_type_id: type, answers, address: '1 Wombat Way' })
    const comment = await createPendingComment(ada, open, { move: 'close', comment: 'asshole numbat' })
    for (const image of [{ issue_id: issue }, { issue_id: open, comment_id: comment }])
      files.push(`/files/${(await createImage(app, image)).key}`)
    return { issue, comment }
  }

  /** Returns the responses of all readable URLs, without the parts that differ in every request. */
  async function readEverything(person: TestUser | undefined): Promise<Record<string, string>> {
    const client = person ? app.as.user(person) : app.as.anonymous
    const all: Record<string, string> = {}
    for (const url of [...listReadableUrls(app.fastify, ['1', '2', 'new-haven'], QUERIES), ...files]) {
      const { status, headers, text } = await client.send('GET', url)
      // A feed contains its own URL with the query, and each form has a new key.
      const same = text.replaceAll(String(headers['x-request-id']), '').replaceAll(ASKED, '').replaceAll(FORM_KEY, '')
      // Staff see private answers, so their ETags depend on all changes (docs/adr/0007).
      // A whole download is a new file with a new tag each time.
      const isFile = headers['accept-ranges'] !== undefined
      // The ETag of a page with a form also depends on the new key of the form.
      const hasForm = text.includes('name="form_key"')
      const isChanges = url.startsWith('/api/v2/changes')
      const tag = person === undefined && !isFile && !hasForm && !isChanges ? String(headers['etag'] ?? '') : ''
      all[url] = `${status} ${tag} ${isChanges ? same.replaceAll(CURSOR, '') : same}`
    }
    return all
  }

  const searches = async () =>
    Promise.all(
      SECRETS.map(async (word) => (await app.as.anonymous.get(`/issues?search=${word}`)).body as { issues: { id: number }[] }),
    ).then((found) => found.map(({ issues }) => issues.map(({ id }) => id)))

  return { ada, mia, open, people, files, createPending, readEverything, searches }
}

const FORM_KEY = /name="form_key" value="[^"]+"/g

const findSecrets = (answers: Readonly<Record<string, string>>) => {
  const text = Object.values(answers).join(' ').toLowerCase()
  return SECRETS.filter((secret) => text.includes(secret))
}
const withoutService = (answers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(answers).filter(([url]) => !ABOUT_THE_SERVICE.test(url)))

const words = async () => {
  await addWords(app.db)
  return queryRows(app.db, sql`SELECT s.word FROM search_words s WHERE s.word = ANY(${SECRETS}::text[]) ORDER BY s.word`)
}

async function runDeliveries(): Promise<void> {
  const services = { ...app.services, queue: { enqueue: () => Promise.resolve('') } }
  const pending = await queryRows<{ event_id: number; handler: string }>(
    app.db,
    sql`
    SELECT e.event_id, e.handler FROM outbox_deliveries e WHERE e.delivered_at IS NULL AND e.handler = 'moderate' ORDER BY e.event_id`,
  )
  for (const delivery of pending) await deliver(delivery, services, new AbortController().signal)
}

describe('a pending or rejected report or comment', () => {
  it('changes no response for any other caller until it is approved', async () => {
    const { mia, open, people, files, createPending, readEverything, searches } = await createCity()
    const before = { anonymous: await readEverything(undefined), employee: await readEverything(people['employee']) }

    const { issue, comment } = await createPending()
    await runDeliveries()

    const after = { anonymous: await readEverything(undefined), employee: await readEverything(people['employee']) }
    for (const url of files) expect([after.anonymous[url]?.slice(0, 3), after.employee[url]?.slice(0, 3)]).toEqual(['404', '404'])
    expect(withoutService(after.anonymous)).toEqual({ ...withoutService(before.anonymous), ...pick(after.anonymous, files) })
    expect(withoutService(after.employee)).toEqual({ ...withoutService(before.employee), ...pick(after.employee, files) })
    const others = [await readEverything(people['resident']), await readEverything(people['elsewhere'])]
    expect([...Object.values(after), ...others].map(findSecrets)).toEqual([[], [], [], []])
    expect([await searches(), await words()]).toEqual([[[], [], []], []])

    for (const item of [await findOpenItem('issue', issue), await findOpenItem('comment', comment)])
      expect((await approve(mia, item)).status).toBe(200)

    const found = await readEverything(undefined)
    expect(findSecrets(found)).toEqual(SECRETS)
    expect(files.map((url) => found[url]?.slice(0, 3))).toEqual(['200', '200'])
    expect(await searches()).toEqual([[issue], [issue], []])
    expect(await words()).toEqual([{ word: 'quokka' }, { word: 'wombat' }])
    expect((await app.as.anonymous.get(`/issues/${open}`)).body).toMatchObject({ status: 'Closed', comment_count: 2 })
  })

  it('stays hidden when it is rejected, except for its author and moderators', async () => {
    const { ada, mia, people, files, createPending, readEverything } = await createCity()
    const { issue, comment } = await createPending()
    const items = [await findOpenItem('issue', issue), await findOpenItem('comment', comment)]
    for (const item of items) expect((await reject(mia, item)).status).toBe(200)

    for (const person of [undefined, people['resident']]) expect(findSecrets(await readEverything(person))).toEqual([])

    for (const person of [ada, mia]) {
      expect((await app.as.user(person).get(`/issues/${issue}`)).status).toBe(200)
      for (const url of files) expect((await app.as.user(person).send('GET', url)).status).toBe(200)
      for (const item of items)
        expect((await app.as.user(person).get(`/moderation/${item}`)).body).toMatchObject({ state: 'rejected' })
    }
  })
})

const pick = (answers: Readonly<Record<string, string>>, urls: readonly string[]) =>
  Object.fromEntries(urls.map((url) => [url, answers[url] ?? '']))
