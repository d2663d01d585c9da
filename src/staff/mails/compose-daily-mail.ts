import type { Urls } from '../../http/request/urls.ts'
import { languageOf, textsIn } from '../../locales/texts.ts'
import { mailingListHeaders, unsubscribeUrl } from '../../mail/list-headers.ts'
import { unsubscribeToken } from '../../mail/unsubscribe-token.ts'
import type { ComposedMail } from '../../notifications/templates/composed-mail.ts'
import { composeMail, type Section } from '../../notifications/templates/layout.ts'
import { toOneLine } from '../../notifications/templates/shorten-text.ts'
import { describeTarget } from '../targets/describe-target.ts'
import { type DailyIssue, type DailyRecipient, type DailySection, dailySections } from './daily-queries.ts'

const TEXT_MAX = 100
const DAY_MS = 86_400_000
const LIST = { label: 'work', name: 'Fixpoint work' }

/** The filters of the work list with the issues of a section. */
const filtersAt = (now: Date): Readonly<Record<DailySection, string>> => ({
  new: `after=${new Date(now.getTime() - DAY_MS).toISOString()}`,
  late: 'late=acknowledge,close',
  soon: 'late=soon',
  mine: 'assignee=me',
})

/** Returns undefined if there is nothing to do. */
export function composeDailyMail(
  recipient: DailyRecipient,
  issues: readonly DailyIssue[],
  { urls, signingKey, now }: { readonly urls: Urls; readonly signingKey: string; readonly now: Date },
): ComposedMail | undefined {
  const language = languageOf(recipient.locale)
  const texts = textsIn(language)
  const { user_id, organization_id } = recipient
  const token = unsubscribeToken(signingKey, { kind: 'work', user_id, organization_id })
  const found = dailySections.flatMap((section) => {
    const rows = issues.filter((issue) => issue.section === section)
    return rows[0] ? [{ section, rows, total: rows[0].total }] : []
  })
  if (found.length === 0) return undefined
  const list = `/work?organization_id=${organization_id}`
  const toRow = ({ id, summary, address, due_at, due, paused_at }: DailyIssue) => ({
    text: `${toOneLine(summary, TEXT_MAX)} (#${id})`,
    url: urls.at(`/issues/${id}`),
    lines: [
      ...(address ? [toOneLine(address, TEXT_MAX)] : []),
      ...(due_at && due ? [describeTarget({ due_at, due, paused_at }, now, language).words] : []),
    ],
  })
  const sections = found.map(({ section, rows, total }): Section => ({
    title: texts(`workMail.sections.${section}`, { count: total }),
    rows: [...rows.map(toRow), { text: texts('workMail.view'), url: urls.at(`${list}&${filtersAt(now)[section]}`), lines: [] }],
  }))
  const organization = toOneLine(recipient.organization, TEXT_MAX)
  const counts = found.map(({ section, total }) => texts(`workMail.counts.${section}`, { count: total }))
  const mail = composeMail(
    language,
    {
      subject: texts('workMail.subject', { counts: counts.join(', '), organization }),
      intro: [],
      sections,
      button: texts('workMail.button'),
      url: urls.at(list),
      closing: [texts('workMail.reason', { organization })],
      settingsLink: { text: texts('workMail.settings'), url: urls.at('/account/mails') },
      unsubscribe: { text: texts('workMail.unsubscribe'), url: unsubscribeUrl(urls, token) },
    },
    urls.root,
  )
  return { ...mail, headers: mailingListHeaders(urls, LIST, token) }
}
