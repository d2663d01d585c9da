import { makeZip } from 'client-zip'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { Database } from '../database/database.ts'
import type { FileStore } from '../storage/file-store.ts'
import { withTemporaryFolder } from '../storage/temporary-folders.ts'
import { exportKey } from './erasure.ts'

/** Rows that are in memory at the same time. */
const PAGE = 500

/** Stores a zip of everything that the service knows about a user: `data.json`, and the pictures. Returns false if there is no such user. */
export async function exportData(
  { db, files }: { readonly db: Database; readonly files: FileStore },
  id: number,
): Promise<boolean> {
  const home_place = { select: { name: true, url_name: true } }
  const user = await db.prisma.user.findUnique({ where: { id }, include: { home_place } })
  if (!user) return false
  // A key in a text may be that of a picture of another person.
  const keys = new Set<string>()
  const toJson = (value: object) =>
    JSON.stringify(value, (name, field: unknown) => {
      if (PICTURE.test(name) && typeof field === 'string') keys.add(field)
      return hideFields(name, field)
    })
  async function* writeJson() {
    yield Buffer.from(toJson(user ?? {}).slice(0, -1))
    for (const [name, read] of Object.entries(listSources(db, id))) {
      yield Buffer.from(`,\n"${name}":[`)
      for (let skip = 0, isLast = false; !isLast; skip += PAGE) {
        const rows: object[] = await read({ skip, take: PAGE })
        isLast = rows.length < PAGE
        const comma = skip === 0 || rows.length === 0 ? '' : ',\n'
        yield Buffer.from(comma + rows.map(toJson).join(',\n'))
      }
      yield Buffer.from(']')
    }
    yield Buffer.from('}\n')
  }
  async function* listFiles() {
    yield { name: 'data.json', input: writeJson() }
    // All keys are known after the last row.
    for (const key of keys) {
      const file = await files.open(key)
      if (file) yield { name: key, input: file.stream }
    }
  }
  await withTemporaryFolder(async (folder) => {
    const path = join(folder, 'zip')
    await pipeline(Readable.from(makeZip(listFiles())), createWriteStream(path))
    await files.put(exportKey(id), path, 'application/zip')
  })
  // An account that was erased meanwhile leaves no copy.
  const isErased = (await db.prisma.user.count({ where: { id } })) === 0
  if (isErased) await files.remove(exportKey(id))
  return !isErased
}

/** Secrets, and what staff did with a report. The keys of pictures stay. */
const HIDDEN =
  /hash|secret|token$|revision|version|cell|priority|assignee|_due$|_ids?$|^(?:bytes|width|height|import_key|payload|reply)$/
const PICTURE = /^(?:avatar_)?(?:full|square|representative)(?:_key)?$/
const SHOWN = /^(?:issue|comment|question|answer|place|user|device)_id$/

const hideFields = (name: string, value: unknown) =>
  HIDDEN.test(name) && !SHOWN.test(name) ? undefined : typeof value === 'bigint' ? Number(value) : value

interface Page {
  readonly skip: number
  readonly take: number
}

/** Returns a function for each kind of rows that reads a page of them. */
function listSources({ prisma }: Database, user_id: number) {
  const [where, byId, byIssue] = [{ user_id }, { orderBy: { id: 'asc' } }, { orderBy: { issue_id: 'asc' } }] as const
  const organization = { select: { name: true } }
  return {
    email_addresses: (page: Page) => prisma.emailAddress.findMany({ where, ...byId, ...page }),
    mails: (page: Page) => prisma.mail.findMany({ where: { email_address: where }, orderBy: { message_id: 'asc' }, ...page }),
    memberships: (page: Page) =>
      prisma.organizationMember.findMany({ where, include: { organization }, orderBy: { organization_id: 'asc' }, ...page }),
    tokens: (page: Page) => prisma.token.findMany({ where, ...byId, ...page }),
    trusted_devices: (page: Page) => prisma.trustedDevice.findMany({ where, orderBy: { mark: 'asc' }, ...page }),
    saved_views: (page: Page) => prisma.savedView.findMany({ where: { owner_id: user_id }, ...byId, ...page }),
    reported_issues: (page: Page) =>
      prisma.issue.findMany({ where: { reporter_id: user_id }, include: { answers: true, media: true }, ...byId, ...page }),
    comments: (page: Page) =>
      prisma.comment.findMany({ where: { commenter_id: user_id }, include: { media: true }, ...byId, ...page }),
    status_changes: (page: Page) => prisma.statusChange.findMany({ where: { actor_id: user_id }, ...byId, ...page }),
    issue_notes: (page: Page) => prisma.issueNote.findMany({ where: { author_id: user_id }, ...byId, ...page }),
    closing_answers: (page: Page) => prisma.closingAnswer.findMany({ where, orderBy: { status_change_id: 'asc' }, ...page }),
    questions: (page: Page) => prisma.question.findMany({ where: { asker_id: user_id }, ...byId, ...page }),
    answers: (page: Page) => prisma.answer.findMany({ where: { answerer_id: user_id }, ...byId, ...page }),
    votes: (page: Page) => prisma.vote.findMany({ where, ...byIssue, ...page }),
    follows: (page: Page) => prisma.follow.findMany({ where, ...byIssue, ...page }),
    answer_votes: (page: Page) => prisma.answerVote.findMany({ where, orderBy: { answer_id: 'asc' }, ...page }),
    flags: (page: Page) => prisma.flag.findMany({ where, ...byId, ...page }),
    webhooks: (page: Page) => prisma.webhook.findMany({ where, ...byId, ...page }),
    watch_areas: (page: Page) => prisma.watchArea.findMany({ where, ...byId, ...page }),
    report_drafts: (page: Page) => prisma.reportDraft.findMany({ where, include: { images: true }, ...byId, ...page }),
  }
}
