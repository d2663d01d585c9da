import type { FastifyRequest } from 'fastify'
import type { Texts } from '../../../locales/texts.ts'
import { createLinks } from '../../../html/links.ts'
import { html, type SafeHtml } from '../../../html/template.ts'
import { findDraft, isIncomplete } from '../../../reporting/drafts/draft-queries.ts'
import type { Services } from '../../../services.ts'
import { DRAFT_PATH, draftReader } from './draft-cookie.ts'

type DraftServices = Pick<Services, 'db' | 'urls' | 'clock'>

/** Pictures alone need no notice: the next form shows them. */
export async function hasDraft(request: FastifyRequest, { db, urls, clock }: DraftServices): Promise<boolean> {
  const draft = await findDraft(db, draftReader(request, urls), clock())
  return draft !== undefined && !isIncomplete(draft)
}

/** Returns the newest draft of an account, which reads it in every browser. */
export const findWaitingDraft = ({ db, clock }: Pick<DraftServices, 'db' | 'clock'>, userId: number) =>
  findDraft(db, { secretHash: undefined, userId }, clock())

interface NoticeOptions {
  /** True where another report begins, which replaces the draft of an anonymous visitor. */
  readonly isReplaced?: boolean
}

/** Leads to the draft of the caller from a page where its author may look for it; '' without a draft. A page with it is private. */
export async function draftNotice(request: FastifyRequest, services: DraftServices, texts: Texts, options: NoticeOptions = {}) {
  if (!(await hasDraft(request, services))) return ''
  return draftNoticeSection(createLinks(services.urls).to(DRAFT_PATH), texts, options)
}

/** The section shows nothing of what was written, because others may see the page. */
export function draftNoticeSection(href: string, texts: Texts, { isReplaced = false }: NoticeOptions = {}): SafeHtml {
  return html`<div class="waiting" data-draft-notice>
      <p><b>${texts('draftNotice.notPublished')}</b>${isReplaced ? html` ${texts('draftNotice.replacement')}` : ''}</p>
      <p><a class="button primary" href="${href}">${texts('draftNotice.open')}</a></p>
    </div>`
}
