import type { Queryable } from '../../database/database.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import type { Urls } from '../../http/request/urls.ts'
import { parseIssueNumber } from '../../issues/list/search.ts'
import { findIssue, type IssueRow } from '../../issues/queries.ts'
import type { Texts } from '../../locales/texts.ts'
import { issueCard } from './cards.ts'

/** Returns the issue whose number is searched, unless it is one of `issues`: its place or status may be none of the list. */
export async function findNumbered(
  db: Queryable,
  search: string | undefined,
  issues: readonly Pick<IssueRow, 'id'>[],
  viewer: Viewer | null,
): Promise<IssueRow | undefined> {
  const number = parseIssueNumber(search)
  if (!number || issues.some(({ id }) => id === number.id)) return undefined
  return findIssue(db, number.id, viewer)
}

export function numberedSection(row: IssueRow | undefined, urls: Urls, texts: Texts): SafeHtml | string {
  if (!row) return ''
  return html`<section aria-labelledby="numbered"><h2 id="numbered">${texts('card.numbered')}</h2>
    <ul class="cards">${issueCard(row, urls, texts)}</ul></section>`
}
