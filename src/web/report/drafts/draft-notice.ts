import type { FastifyRequest } from 'fastify'
import type { Texts } from '../../../locales/texts.ts'
import { createLinks } from '../../../html/links.ts'
import { html, type SafeHtml } from '../../../html/template.ts'
import { type Draft, findDraft, isIncomplete } from '../../../reporting/drafts/draft-queries.ts'
import type { Services } from '../../../services.ts'
import { DRAFT_PATH, draftReader } from './draft-cookie.ts'

type DraftServices = Pick<Services, 'db' | 'urls' | 'clock'>

/** Pictures alone need no notice: the next form shows them. */
async function findNoticed(request: FastifyRequest, { db, urls, clock }: DraftServices): Promise<Draft | undefined> {
  const draft = await findDraft(db, draftReader(request, urls), clock())
  return draft && !isIncomplete(draft) ? draft : undefined
}

export const hasDraft = async (request: FastifyRequest, services: DraftServices) =>
  (await findNoticed(request, services)) !== undefined

/** Returns the newest draft of an account, which reads it in every browser. */
export const findWaitingDraft = ({ db, clock }: Pick<DraftServices, 'db' | 'clock'>, userId: number) =>
  findDraft(db, { secretHash: undefined, userId }, clock())

interface NoticeOptions {
  /** True where another report begins, which replaces the draft of an anonymous visitor. */
  readonly isReplaced?: boolean
  /** True if only the button in a mail publishes it. */
  readonly isMailed?: boolean
}

/** Leads to the draft of the caller from a page where its author may look for it; '' without a draft. A page with it is private. */
export async function draftNotice(request: FastifyRequest, services: DraftServices, texts: Texts, options: NoticeOptions = {}) {
  const draft = await findNoticed(request, services)
  if (!draft) return ''
  const isMailed = draft.email !== null && draft.mailedTo === null && !draft.isClaimed
  return draftNoticeSection(createLinks(services.urls).to(DRAFT_PATH), texts, { ...options, isMailed })
}

/** The section shows nothing of what was written, because others may see the page. */
export function draftNoticeSection(
  href: string,
  texts: Texts,
  { isReplaced = false, isMailed = false }: NoticeOptions = {},
): SafeHtml {
  return html`<div class="waiting" data-draft-notice>
      <p><b>${texts(isMailed ? 'draftNotice.mailed' : 'draftNotice.notPublished')}</b>${isReplaced ? html` ${texts('draftNotice.replacement')}` : ''}</p>
      <p><a class="button primary" href="${href}">${texts(isMailed ? 'draftNotice.seeReport' : 'draftNotice.open')}</a></p>
    </div>`
}
