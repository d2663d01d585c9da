import { makeZip } from 'client-zip'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { Database } from '../database/database.ts'
import type { FileStore } from '../storage/file-store.ts'
import { exportKey } from './erasure.ts'

/** Stores a zip of everything that the service knows about a user: `data.json`, and the pictures. Returns false if there is no such user. */
export async function exportData(
  { db, files }: { readonly db: Database; readonly files: FileStore },
  id: number,
): Promise<boolean> {
  const data = await collectData(db, id)
  if (!data) return false
  // A key in a text may be that of a picture of another person.
  const keys = new Set<string>()
  const json = JSON.stringify(
    data,
    (name, value: unknown) => {
      if (PICTURE.test(name) && typeof value === 'string') keys.add(value)
      return hideFields(name, value)
    },
    2,
  )
  async function* listFiles() {
    yield { name: 'data.json', input: json }
    for (const key of keys) {
      const file = await files.open(key)
      if (file) yield { name: key, input: file.stream }
    }
  }
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-export-'))
  try {
    const path = join(folder, 'zip')
    await pipeline(Readable.from(makeZip(listFiles())), createWriteStream(path))
    await files.put(exportKey(id), path, 'application/zip')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return true
}

/** Secrets, and what staff did with a report. The keys of pictures stay. */
const HIDDEN =
  /hash|secret|token$|revision|version|cell|priority|assignee|_due$|_ids?$|^(?:bytes|width|height|import_key|payload|reply)$/
const PICTURE = /^(?:avatar_)?(?:full|square|representative)(?:_key)?$/
const SHOWN = /^(?:issue|comment|question|answer|place|user|device)_id$/

const hideFields = (name: string, value: unknown) =>
  HIDDEN.test(name) && !SHOWN.test(name) ? undefined : typeof value === 'bigint' ? Number(value) : value

const collectData = ({ prisma }: Database, id: number) =>
  prisma.user.findUnique({
    where: { id },
    include: {
      ...{
        home_place: { select: { name: true, url_name: true } },
        memberships: { include: { organization: { select: { name: true } } } },
      },
      ...{ email_addresses: { include: { mails: true } }, tokens: true, trusted_devices: true, saved_views: true },
      ...{
        reported_issues: { include: { answers: true, media: true } },
        comments: { include: { media: true } },
        status_changes: true,
      },
      ...{
        issue_notes: true,
        closing_answers: true,
        questions: true,
        answers: true,
        votes: true,
        follows: true,
        answer_votes: true,
      },
      ...{ flags: true, watch_areas: true, report_drafts: { include: { images: true } } },
    },
  })
