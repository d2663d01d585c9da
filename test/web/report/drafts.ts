import type { FastifyRequest } from 'fastify'

import type { ClientLimit } from '../../../src/http/auth/login.ts'
import { sql } from '../../../src/database/database.ts'
import { hashPassword } from '../../helpers/hash-password.ts'
import { type Browser, createBrowser } from '../../helpers/browser.ts'
import { GREEN } from '../../helpers/factories.ts'
import { sendMultipart } from '../../helpers/logged-in-browser.ts'
import { queryRows } from '../../helpers/query-rows.ts'
import type { TestApp } from '../../helpers/use-app.ts'
import { redImage } from '../../media/stored-images.ts'

export const PASSWORD = 'correct horse'
export const EMAIL = 'ada@example.org'
export const registration = {
  ...{ name: 'Ada Park', email: EMAIL, accept_terms: 'true' },
  ...{ password: PASSWORD, password_confirmation: PASSWORD },
}
const fields = {
  ...{ lat: String(GREEN.lat), lng: String(GREEN.lng), address: '1 Elm Street' },
  ...{ request_type_id: 'other', 'answers[summary]': 'Deep pothole' },
}

/** Returns functions of visitors who write a report before they log in. */
export function createDrafts(app: TestApp) {
  /** Each visitor has an address, because the number of drafts is limited for each. */
  let addresses = 0
  const visitor = (address = `203.0.113.${++addresses}`) => createBrowser(app.fastify, { address })
  const report = (browser: Browser, more: Record<string, string | File> = {}) =>
    sendMultipart(browser, '/report', { ...fields, ...more })
  /** Sends the form of another place as a browser does: the form names the draft that it replaces. */
  const reportAt = async (browser: Browser, lat: number, more: Record<string, string | File> = {}) => {
    const { text } = await browser.get(`/report?lat=${lat}&lng=${GREEN.lng}&type=other`)
    const replaced_draft_id = /name="replaced_draft_id" value="(\d+)"/.exec(text)?.[1] ?? ''
    return report(browser, { lat: String(lat), replaced_draft_id, ...more })
  }
  const createAda = async () => app.create.user({ name: 'Ada Park', password_hash: await hashPassword(PASSWORD) })
  const logIn = (browser: Browser, { email }: { email: string }, return_to = '/') =>
    browser.post('/login', { email, password: PASSWORD, return_to })
  const picture = async () => new File([new Uint8Array(await redImage().toBuffer())], 'a.png', { type: 'image/png' })
  const withPicture = async (browser = visitor()) => {
    await report(browser, { 'answers[issue_image]': await picture() })
    return browser
  }
  const draftPictures = async (browser: Browser) =>
    [...(await browser.get('/report/draft')).text.matchAll(/src="\/report\/draft\/pictures\/(\d+)"/g)].map(([, number]) => number)
  const images = () => app.db.prisma.reportDraftImage.findMany({ orderBy: { id: 'asc' } })
  const draftCount = async () => app.db.prisma.reportDraft.count()
  const issues = () =>
    queryRows<{ summary: string; images: number }>(
      app.db,
      sql`SELECT i.summary, (SELECT count(*)::integer FROM media m WHERE m.issue_id = i.id) AS images FROM issues i ORDER BY i.id`,
    )
  return { visitor, report, reportAt, createAda, logIn, picture, withPicture, draftPictures, images, draftCount, issues }
}

/** Uses up a part of the limit of a client address without requests. */
export async function countTimes(limit: ClientLimit, times: number, ip: string): Promise<void> {
  for (let n = 0; n < times; n++) await limit.count({ ip } as FastifyRequest, () => Promise.resolve())
}
