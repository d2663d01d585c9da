import { createHash } from 'node:crypto'
import type { Database, Transaction } from '../../database/database.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import { type Language, text } from '../../locales/texts.ts'
import { addIssueMails } from '../../notifications/recipients/issue-notification-queries.ts'
import { addWatchMailsAndMatches } from '../../watch-areas/match-queries.ts'
import { previewOf, RolledBack } from '../previews.ts'
import { applyChange, type Changeable, describeRefusal, finishBatch, listChangeable, startBatch } from './change.ts'
import { type BulkChange, BULK_MAX } from './schema.ts'
import { problems } from '../../errors/problems.ts'
import { listIssueDots } from '../../issues/list/overview.ts'
import type { WorklistQuery } from '../worklist/schema.ts'
import { parseWorklist, type Worklist } from '../worklist/worklist.ts'

/** Issues of one transaction. */
export const BATCH_MAX = 50

interface PreviewInput {
  readonly ids: readonly number[]
  readonly change: BulkChange
  readonly by: Viewer
  readonly now: Date
  readonly request_id: string
  readonly language: Language
}

export interface Preview {
  readonly accepted: readonly Changeable[]
  readonly refused: readonly { readonly id: number; readonly why: string }[]
  readonly mails: number
}

/**
 * Returns what a run would do: it makes the change and writes its mails in transactions that are rolled back, so that the preview follows the same rules
 * as the run.
 */
export async function previewRun(db: Database, input: PreviewInput): Promise<Preview> {
  const ids = [...new Set(input.ids)].toSorted((a, b) => a - b)
  const previews: Preview[] = []
  for (let start = 0; start < ids.length; start += BATCH_MAX)
    previews.push(await previewBatch(db, { ...input, ids: ids.slice(start, start + BATCH_MAX) }))
  return {
    accepted: previews.flatMap(({ accepted }) => accepted),
    refused: previews.flatMap(({ refused }) => refused),
    mails: previews.reduce((sum, { mails }) => sum + mails, 0),
  }
}

const previewBatch = (db: Database, input: PreviewInput) =>
  previewOf<Preview>(() =>
    db.transaction(async (tx) => {
      throw new RolledBack(await tryBatch(tx, input))
    }),
  )

async function tryBatch(tx: Transaction, { ids, change, language, ...edit }: PreviewInput): Promise<Preview> {
  const issues = new Map((await listChangeable(tx, ids)).map((issue) => [issue.id, issue]))
  const accepted: Changeable[] = []
  const refused: { id: number; why: string }[] = []
  const batch = await startBatch(tx, edit.by, ids, change)
  for (const id of ids) {
    try {
      await applyChange(tx, { ...edit, issue_id: id, version: 'any', source: 'job', batch }, change)
    } catch (error) {
      refused.push({ id, why: describeRefusal(error, language) })
      continue
    }
    const issue = issues.get(id)
    if (issue) accepted.push(issue)
  }
  await finishBatch(tx, edit, change, batch)
  const events = tx.deliveries.flatMap(({ event_id, handler }) => (handler === 'notify' ? [event_id] : []))
  if (events.length === 0) return { accepted, refused, mails: 0 }
  const toFollowers = await addIssueMails(tx, ...events)
  const toWatchers = change.transition === undefined ? 0 : (await addWatchMailsAndMatches(tx, ...events)).mails
  return { accepted, refused, mails: toFollowers + toWatchers }
}

/** Returns a hash of what the preview shows. */
export const hashPreview = (change: BulkChange, { accepted, refused, mails }: Preview): string =>
  createHash('sha256')
    .update(JSON.stringify([change, accepted.map(({ id, version }) => [id, version]), refused, mails]))
    .digest('hex')

/**
 * Returns the ids of all issues of a list of staff, of every page. Check the capability `work_on_issues` first.
 * @throws Problem 422 naming a parameter that is not allowed, and `{query}` if it selects no issue or too many
 */
export async function selectIds(worklist: Worklist, query: WorklistQuery): Promise<number[]> {
  const { filter } = await parseWorklist(worklist, query, { page: 1, perPage: BULK_MAX })
  const issues = await listIssueDots(worklist.reader, filter, BULK_MAX + 1)
  if (issues.length === 0 || issues.length > BULK_MAX) throw problems.invalid({ query: text('bulk_query', { max: BULK_MAX }) })
  return issues.map(({ id }) => id)
}
