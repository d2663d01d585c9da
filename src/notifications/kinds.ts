import type { Database } from '../database/database.ts'
import type { Urls } from '../http/request/urls.ts'
import { type LeasedNotice, listNoticeFacts, listWantedNotices, type WantedNotice } from './recipients/queries.ts'
import type { DeliveryKey } from '../mail/queries.ts'
import { listQuestionNotices, listWantedQuestionNotices } from './recipients/question-queries.ts'
import { listDigestIssues, listWantedDigests } from '../watch-areas/digest-notice-queries.ts'
import { listWantedWatchNotices, listWatchNews } from '../watch-areas/notice-queries.ts'
import { composeDigest } from './templates/compose-digest.ts'
import { composeNotice } from './templates/compose-notice.ts'
import { composeQuestionNotice } from './templates/compose-question-notice.ts'
import { composeWatchNotice } from './templates/compose-watch-notice.ts'
import type { ComposedMail } from './templates/composed-mail.ts'

/** Composes one notification; undefined if the recipient no longer wants it or its content is no longer public. */
export type Composer = (notice: LeasedNotice) => ComposedMail | undefined

export interface Composing {
  readonly db: Database
  readonly urls: Urls
  readonly key: string
}

export type NoticeKind = (notices: readonly LeasedNotice[], composing: Composing) => Promise<Composer>

const kinds = {
  issue: noticesOf((db, notices) => listNoticeFacts(db, eventsOf(notices)), listWantedNotices, composeNotice),
  question: noticesOf(listQuestionNotices, listWantedQuestionNotices, composeQuestionNotice),
  watch: noticesOf(listWatchNews, listWantedWatchNotices, composeWatchNotice),
  digest: digestNotices,
} as const satisfies Record<string, NoticeKind>
type KindName = keyof typeof kinds

function kindOf({ type, watch_area_id }: LeasedNotice): KindName {
  if (type === 'watch_area.digest_due') return 'digest'
  if (watch_area_id !== null) return 'watch'
  return /^(question|answer)\./.test(type) ? 'question' : 'issue'
}

/** Reads the notifications of one batch with a few statements per kind, and returns their composer. */
export async function composerOf(notices: readonly LeasedNotice[], composing: Composing): Promise<Composer> {
  const composers = new Map<KindName, Composer>()
  for (const [kind, those] of Map.groupBy(notices, kindOf)) composers.set(kind, await kinds[kind](those, composing))
  return (notice) => composers.get(kindOf(notice))?.(notice)
}

function noticesOf<Facts extends { readonly event_id: number }, Wanted extends WantedNotice>(
  listFacts: (db: Database, notices: readonly LeasedNotice[]) => Promise<Facts[]>,
  listWanted: (db: Database, notices: readonly LeasedNotice[]) => Promise<Wanted[]>,
  compose: (to: Wanted & { readonly user_id: number }, facts: Facts, urls: Urls, key: string) => ComposedMail,
): NoticeKind {
  return async (notices, { db, urls, key }) => {
    const [facts, wanted] = [await listFacts(db, notices), await listWanted(db, notices)]
    const factsOf = new Map(facts.map((one) => [one.event_id, one]))
    const wantedOf = new Map(wanted.map((one) => [keyOf(one), one]))
    return (notice) => {
      const [told, to] = [factsOf.get(notice.event_id), wantedOf.get(keyOf(notice))]
      return told && to ? compose({ ...to, user_id: notice.user_id }, told, urls, key) : undefined
    }
  }
}

/** The content is read for the wanted digests only, because a digest lists many issues. */
async function digestNotices(notices: readonly LeasedNotice[], { db, urls, key }: Composing): Promise<Composer> {
  const wanted = await listWantedDigests(db, notices)
  const issues = Map.groupBy(await listDigestIssues(db, eventsOf(wanted)), ({ digest_id }) => digest_id)
  const wantedOf = new Map(wanted.map((one) => [keyOf(one), one]))
  return (notice) => {
    const to = wantedOf.get(keyOf(notice))
    return to && composeDigest({ ...to, user_id: notice.user_id }, issues.get(notice.event_id) ?? [], urls, key)
  }
}

export const eventsOf = (notices: readonly DeliveryKey[]) => [...new Set(notices.map(({ event_id }) => event_id))]

export const keyOf = ({ event_id, email_id }: DeliveryKey) => `${event_id} ${email_id}`
