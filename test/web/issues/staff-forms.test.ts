import { beforeEach, describe, expect, it } from 'vitest'

import { type Browser, createBrowser } from '../../helpers/browser.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
const REASON = 'The branch hangs over a park.'
let [parks, trees, issue] = [0, 0, 0]
let path: string
let [ada, pat]: Browser[] = []

beforeEach(async () => {
  const roads = await app.create.organization({ name: 'Roads' })
  parks = await app.create.organization({ name: 'Parks' })
  const request_type = await app.create.requestType({ organization: roads, title: 'Pothole' })
  trees = await app.create.requestType({ organization: parks, title: 'Tree' })
  ada = await createLoggedInBrowser(app, await app.create.user({ name: 'Ada Park', memberOf: [{ organization: roads }] }))
  pat = await createLoggedInBrowser(app, await app.create.user({ name: 'Pat Stone', memberOf: [{ organization: parks }] }))
  issue = await app.create.issue({ request_type, summary: 'Fallen branch' })
  path = `/issues/${issue}`
})

const see = async (browser: Browser | undefined, of = path) => (await (browser ?? createBrowser(app.fastify)).get(of)).visibleText
const offer = () => ada?.post(`${path}/transfer`, { version: '1', organization_id: String(parks), reason: REASON })
const answerOffer = async (step: string, fields: Record<string, string>) => {
  const { id } = await app.db.prisma.issueTransfer.findFirstOrThrow()
  return pat?.post(`${path}/transfer/${step}`, { version: '2', transfer_id: String(id), ...fields })
}
const find = (id = issue) => app.db.prisma.issue.findUniqueOrThrow({ where: { id } })

describe('the offer of an issue on its page', () => {
  it('is seen by staff of both organisations, and on the list of the receiver', async () => {
    const before = await see(pat)
    const sent = await offer()

    const [sender, receiver, list, resident] = [await see(ada), await see(pat), await see(pat, '/work'), await see(undefined)]

    expect([sent?.status, before.includes('For staff'), resident.includes(REASON)]).toEqual([303, false, false])
    expect(sender).toContain('Roads offers this issue to Parks Ada Park,')
    expect(sender).toContain(`${REASON} It stays here until Parks answers.`)
    expect(receiver).toContain('Accept the issue')
    expect(receiver).not.toContain('New note')
    expect(list).toContain(`1 issue is offered to you #${issue} Fallen branch Roads`)
  })

  it('is accepted with a type of the receiver', async () => {
    await offer()

    const answer = await answerOffer('accept', { request_type_id: String(trees) })

    expect([answer?.status, (await find()).request_type_id]).toEqual([303, trees])
    expect([(await see(pat)).includes('New note'), (await see(ada)).includes('New note')]).toEqual([true, false])
  })

  it('is refused with a reason, which staff of the sender see', async () => {
    await offer()

    const [empty, answer] = [await answerOffer('refuse', {}), await answerOffer('refuse', { refusal: 'The county owns it.' })]

    expect([empty?.status, empty?.text.includes('href="#field-refusal"'), answer?.status]).toEqual([422, true, 303])
    expect(await see(ada)).toContain('Parks (refused): The county owns it.')
  })

  it('is withdrawn by the sender, and the receiver no longer sees it', async () => {
    await offer()
    const { id } = await app.db.prisma.issueTransfer.findFirstOrThrow()
    const [sender, receiver] = [await see(ada), await see(pat)]

    const form = { version: '2', transfer_id: String(id) }
    const [refused, answer] = [
      await pat?.post(`${path}/transfer/withdraw`, form),
      await ada?.post(`${path}/transfer/withdraw`, form),
    ]

    expect([sender.includes('Withdraw the offer'), receiver.includes('Withdraw the offer')]).toEqual([true, false])
    expect([refused?.status, answer?.status, (await see(ada)).includes('Parks (withdrawn)')]).toEqual([403, 303, true])
    expect([(await see(pat)).includes(REASON), (await see(pat, '/work')).includes('is offered to you')]).toEqual([false, false])
  })

  it('is rejected at its fields, which keep the reason', async () => {
    const answer = await ada?.post(`${path}/transfer`, { version: '1', organization_id: '', reason: REASON })

    expect([answer?.status, answer?.text.includes('id="field-organization_id-error"')]).toEqual([422, true])
    expect(answer?.text).toMatch(new RegExp(`<details open>[^]*>\\s*${REASON}</textarea>`))
  })

  it('can be answered at its own issue only', async () => {
    await offer()
    const { id } = await app.db.prisma.issueTransfer.findFirstOrThrow()
    const other = await app.create.issue()

    const answer = await pat?.post(`/issues/${other}/transfer/refuse`, {
      ...{ version: '1', transfer_id: String(id), refusal: REASON },
    })

    expect(answer?.status).toBe(404)
  })
})

describe('a note on the page of an issue', () => {
  it('is edited and deleted by its author, and keeps a text that is rejected', async () => {
    await ada?.post(`${path}/notes`, { note: 'Ask the contractor.' })
    const { id } = await app.db.prisma.issueNote.findFirstOrThrow()
    const note_id = String(id)

    const note_version = /name="note_version" value="([^"]+)"/.exec((await ada?.get(path))?.text ?? '')?.[1] ?? ''
    const rejected = await ada?.post(`${path}/notes/edit`, { note_id, note_version, note: ' ' })
    const edited = await ada?.post(`${path}/notes/edit`, { note_id, note_version, note: 'The contractor comes on Monday.' })
    const lost = await ada?.post(`${path}/notes/edit`, { note_id, note_version, note: 'The contractor is ill.' })
    const page = await see(ada)
    await ada?.post(`${path}/notes/delete`, { note_id })

    expect([rejected?.status, rejected?.text.includes(`id="field-note${id}-error"`), edited?.status]).toEqual([422, true, 303])
    expect([lost?.status, lost?.text.includes('The contractor is ill.</textarea>')]).toEqual([422, true])
    expect(page).toContain('· edited The contractor comes on Monday. Edit the note')
    expect(await see(ada)).not.toContain('Edit the note')
  })
})

describe('the types on the page of an issue', () => {
  it('name the organisation of its own “Other”', async () => {
    const { id } = await app.db.prisma.organization.findFirstOrThrow({ where: { name: 'Roads' } })
    const other = await app.create.requestType({ organization: id, title: 'Other' })
    await app.db.prisma.requestType.update({ where: { id: other }, data: { is_other: true } })

    const { text } = (await ada?.get(path)) ?? { text: '' }

    expect([...text.matchAll(/<option value="[^"]*"(?: selected)?>(Other[^<]*)/g)].map(([, name]) => name)).toEqual([
      'Other · Roads',
      'Other',
    ])
  })
})

describe('the merge of an issue on its page', () => {
  it('closes the duplicate, links both public pages, and is undone', async () => {
    const original = await app.create.issue({ request_type: (await find()).request_type_id ?? 0 })

    const merged = await ada?.post(`${path}/merge`, { version: '1', duplicate_of: `#${original}` })
    const [duplicate, list] = [await createBrowser(app.fastify).get(path), await see(undefined, `/issues/${original}`)]
    const undone = await ada?.post(`${path}/unmerge`, { version: String((await find()).version) })

    expect([merged?.status, undone?.status, (await find()).status]).toEqual([303, 303, 'Open'])
    expect(duplicate.text).toContain(`href="/issues/${original}"`)
    expect(list).toContain(`Duplicates #${issue}`)
    expect(await see(undefined, `/issues/${original}`)).not.toContain('Duplicates')
  })

  it('lists no duplicate that is hidden', async () => {
    const original = await app.create.issue({ request_type: (await find()).request_type_id ?? 0 })
    await ada?.post(`${path}/merge`, { version: '1', duplicate_of: String(original) })
    await app.db.prisma.issue.update({ where: { id: issue }, data: { moderation_state: 'held' } })

    expect(await see(undefined, `/issues/${original}`)).not.toContain('Duplicates')
  })

  it('returns 422 with an error at the field for the issue itself', async () => {
    const answer = await ada?.post(`${path}/merge`, { version: '1', duplicate_of: String(issue) })

    expect([answer?.status, answer?.text.includes('href="#field-merge-into"')]).toEqual([422, true])
  })
})
