import { sql } from '../../../src/database/database.ts'
import { type Browser, formKeyIn } from '../../helpers/browser.ts'
import { queryRows } from '../../helpers/query-rows.ts'
import type { TestApp } from '../../helpers/use-app.ts'
import { createDraftMails } from './draft-mails.ts'
import { EMAIL } from './drafts.ts'

export const PUBLISHED = { summary: 'Deep pothole', moderation_state: 'passed' }
export const NEW_ACCOUNT = { reporter: 'Resident', has_no_password: true, confirmed: [EMAIL] }

/** Publishes reports by the button behind the link of their mail. */
export function createPublishing(app: TestApp) {
  const { openLink } = createDraftMails(app)
  const hidden = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''
  async function publish(browser: Browser, token: string, more: Record<string, string> = {}) {
    const page = await openLink(browser, token)
    const fields = { token, version: hidden(page.text, 'version'), form_key: formKeyIn(page), ...more }
    const answer = await browser.post('/report/draft/open/publish', fields)
    return answer.status === 303 ? browser.get(answer.headers['location'] as string) : answer
  }
  const issues = () =>
    queryRows(
      app.db,
      sql`
        SELECT i.summary, u.name AS reporter, u.password_hash IS NULL AS has_no_password, i.moderation_state,
          (SELECT json_agg(e.email ORDER BY e.id) FROM email_addresses e WHERE e.user_id = u.id AND e.confirmed_at IS NOT NULL) AS confirmed
        FROM issues i JOIN users u ON u.id = i.reporter_id ORDER BY i.id`,
    )
  /** Moves the publications of all reports by e-mail alone into the past. */
  const passMinutes = (minutes: number) =>
    app.db.execute(sql`UPDATE report_draft_links SET expires_at = expires_at - make_interval(mins => ${minutes}::integer)`)
  return { hidden, publish, issues, passMinutes }
}
