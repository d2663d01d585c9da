import { hashPassword } from '../../../src/http/identity/credentials.ts'
import { type Browser, createBrowser } from '../../helpers/browser.ts'
import { GREEN } from '../../helpers/factories.ts'
import { sendMultipart } from '../../helpers/logged-in-browser.ts'
import type { TestApp } from '../../helpers/use-app.ts'

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
  return { visitor, report, reportAt, createAda, logIn }
}
