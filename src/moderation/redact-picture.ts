import { join } from 'node:path'
import Type, { type Static } from 'typebox'

import { Id, nullable, type Queryable, sql, type Transaction } from '../database/database.ts'
import { problems, type ValidationErrors, orNotFound } from '../errors/problems.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { type Box, paintBoxes } from '../images/paint-boxes.ts'
import { can, commentReadableBy, issueReadableBy, mayReadPrivateData } from '../issue-lifecycle/access.ts'
import { text } from '../locales/texts.ts'
import { type StoredSizes, storeAllSizes } from '../media/store-image.ts'
import { recordEvent } from '../outbox/queries.ts'
import type { Services } from '../services.ts'

const Picture = Type.Object({
  id: Id,
  issue_id: Id,
  comment_id: nullable(Id),
  full_key: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
  /** True if the caller wrote the report or comment. */
  is_own: Type.Boolean(),
  may_redact: Type.Boolean(),
})
export type Picture = Static<typeof Picture>

/** Returns the picture with this key of its full size, unless the caller may not see it. */
export const findPicture = (db: Queryable, fullKey: string, viewer: Viewer): Promise<Picture | undefined> =>
  db.query(sql.first(Picture)`
    SELECT m.id, m.issue_id, m.comment_id, m.full_key, m.width, m.height,
      coalesce(CASE WHEN m.comment_id IS NULL THEN i.reporter_id ELSE c.commenter_id END = ${viewer.id}, FALSE) AS is_own, ${can(viewer, 'moderate')} AS may_redact
    FROM media m JOIN issues i ON i.id = m.issue_id LEFT JOIN comments c ON c.id = m.comment_id
    WHERE m.full_key = ${fullKey} AND ${issueReadableBy(viewer)} AND (c.id IS NULL OR ${commentReadableBy(viewer)})
      AND (NOT m.answer_kept_private OR coalesce(${mayReadPrivateData(viewer)}, FALSE))`)

const OldKeys = Type.Object({
  full_key: Type.String(),
  square_key: nullable(Type.String()),
  representative_key: nullable(Type.String()),
})

/**
 * Replaces the files of a picture and returns the keys of the old ones; undefined if the picture was deleted or has other files by now.
 * The row of the picture is locked before its issue, as by the job that adds the smaller sizes.
 */
async function replacePictureFiles(
  tx: Transaction,
  { id, issue_id, comment_id, full_key }: Picture,
  files: StoredSizes,
  now: Date,
): Promise<string[] | undefined> {
  const [old] = await tx.query(sql.type(OldKeys)`
    SELECT m.full_key, m.square_key, m.representative_key FROM media m WHERE m.id = ${id} AND m.full_key = ${full_key} FOR UPDATE`)
  if (!old) return undefined
  await tx.prisma.medium.update({ where: { id }, data: files, select: { id: true } })
  const timestamp = sql`${now.toISOString()}::timestamptz`
  if (comment_id === null) {
    // A picture that answers a question of the form is also the text of that answer.
    await tx.prisma.issueAnswer.updateMany({
      where: { issue_id, value: { path: ['file'], equals: full_key } },
      data: { answer: files.full_key, value: { file: files.full_key } },
    })
    await tx.execute(sql`UPDATE issues i SET updated_at = greatest(i.updated_at, ${timestamp}) WHERE i.id = ${issue_id}`)
  } else {
    await tx.execute(sql`UPDATE comments c SET updated_at = greatest(c.updated_at, ${timestamp}) WHERE c.id = ${comment_id}`)
  }
  return Object.values(old).filter((key) => key !== null)
}

interface Redaction {
  readonly picture: Picture
  readonly boxes: readonly Box[]
  readonly moderator_id: number
  readonly request_id: string
  /** A folder of the request, which is deleted after it. */
  readonly folder: string
  /** The transaction for all rows: `db.transaction`, or the one that stores the response under an Idempotency-Key. */
  readonly inTransaction: (work: (tx: Transaction) => Promise<RedactionResult>) => Promise<RedactionResult>
}

export type RedactionResult = { readonly issue_id: number }

/**
 * Paints the boxes over the picture and gives it new addresses. New files first, then the row, then the old files go: after a crash the picture is
 * unchanged or redacted, and files without a row are 404 and are deleted by `delete-orphaned-files`.
 * @throws Problem 404 if the picture was redacted or deleted meanwhile; 503 if the store is unavailable
 */
export async function redactPicture(
  { files, clock, log }: Pick<Services, 'files' | 'clock' | 'log'>,
  { picture, boxes, moderator_id, request_id, folder, inTransaction }: Redaction,
): Promise<RedactionResult> {
  const [from, path] = [join(folder, 'full'), join(folder, 'redacted')]
  if (!(await files.download(picture.full_key, from))) throw problems.notFound('the_picture')
  const stored = await storeAllSizes(files, { path, image: await paintBoxes(from, path, boxes) })

  let oldKeys: readonly string[] = []
  const result = await inTransaction(async (tx) => {
    oldKeys = orNotFound(await replacePictureFiles(tx, picture, stored, clock()), 'the_picture')
    await recordEvent(tx, { type: 'image.redacted', subject_id: picture.id, actor_id: moderator_id, request_id })
    return { issue_id: picture.issue_id }
  })
  for (const key of oldKeys)
    await files.remove(key).catch((error: unknown) => log.warn({ err: error }, 'could not delete a redacted picture yet'))
  return result
}

export const BOXES_MAX = 10
export const boxFields = ['x', 'y', 'width', 'height'] as const
/** A number in plain decimal digits, as browsers send it. */
const PER_CENT = /^\d{1,3}(\.\d{0,15})?$/

/**
 * Reads the boxes of a form by their numbers, such as `boxes[1][x]`. Blank rows are left out.
 * @throws Problem 422 by rows, such as `{"box_1": text}`, or `{"boxes": text}` for none
 */
export function parseBoxes(body: unknown): Box[] {
  const rows = toRecord(toRecord(body)['boxes'])
  const errors: Record<string, ValidationErrors[string]> = {}
  const boxes: Box[] = []
  for (let number = 1; number <= BOXES_MAX; number++) {
    const row = toRecord(rows[number])
    const inputs = boxFields.map((name) => (typeof row[name] === 'string' ? row[name].trim() : ''))
    if (inputs.every((input) => input === '')) continue
    const [x = NaN, y = NaN, width = NaN, height = NaN] = inputs.map((input) => (PER_CENT.test(input) ? Number(input) : NaN))
    const isInside = x >= 0 && x < 100 && y >= 0 && y < 100 && width > 0 && width <= 100 && height > 0 && height <= 100
    if (isInside) boxes.push({ x, y, width, height })
    else errors[`box_${number}`] = text('box_outside_of_picture')
  }
  if (Object.keys(errors).length > 0) throw problems.invalid(errors)
  if (boxes.length === 0) throw problems.invalid({ boxes: text('boxes_missing') })
  return boxes
}

const toRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
