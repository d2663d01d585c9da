import type { Transaction } from '../../database/database.ts'
import { hashToken, newSecret } from '../../http/identity/credentials.ts'
import { storeImage } from '../../media/store-image.ts'
import { DESCRIPTION_MAX, ISSUE_IMAGES_MAX } from '../../issues/schema.ts'
import { type CheckedReport, checkReport, type ImageAnswer } from '../check-report.ts'
import type { Services } from '../../services.ts'
import {
  addDraft,
  changeDraft,
  type Draft,
  type DraftContent,
  type DraftImage,
  isIncomplete,
  isSecretUsed,
  type NewDraftImage,
  removeUnmailedDraft,
} from './draft-queries.ts'

type DraftServices = Pick<Services, 'db' | 'files' | 'clock' | 'draftBytes'>

/** The same fields as `reportIssue` takes them, with files as `Upload`. */
type ReportBody = Readonly<Record<string, unknown>>

interface DraftInput {
  /** The `clientKey` of the sender, whose pictures count against a quota. */
  readonly client: string
  readonly body: ReportBody
  /** The secret of a new draft, unless it was used before. */
  readonly secret?: string | undefined
}

/**
 * Saves a valid report until its author has logged in. Returns the secret with which the author's browser reads it.
 * @param former the draft of another report that the browser no longer reads
 * @throws Problem 422 `{errors: {field: [text]}}` as `reportIssue` does, 429 or 503 over a quota, 503 if pictures cannot be stored now
 */
export async function saveDraft(services: DraftServices, input: DraftInput, former: Draft | undefined): Promise<string> {
  const content = await toContent(services, input)
  const wanted = input.secret
  const secret = wanted === undefined || (await isSecretUsed(services.db, hashToken(wanted))) ? newSecret() : wanted
  await services.db.transaction(async (tx) => {
    if (former) await removeUnmailedDraft(tx, former.id)
    await addDraft(tx, content, { secret_hash: hashToken(secret), now: services.clock() })
  })
  return secret
}

interface DraftChange extends DraftInput {
  /** It has the pictures that stay. */
  readonly draft: Draft
  readonly inTransaction: (work: (tx: Transaction) => Promise<{ readonly id: number }>) => Promise<unknown>
}

/** Replaces the content of a draft by a valid report. Returns another secret of it. @throws Problem 404 as `changeDraft` does, 422, 429 and 503 as `saveDraft` does */
export async function saveChangedDraft(services: DraftServices, { draft, inTransaction, ...input }: DraftChange): Promise<string> {
  const content = await toContent(services, input, draft.images)
  const secret = newSecret()
  await inTransaction(async (tx) => {
    await changeDraft(tx, draft, content, { secret_hash: hashToken(secret), now: services.clock() })
    return { id: draft.id }
  })
  return secret
}

interface PictureTarget {
  /** The author goes back to an earlier step: the draft also keeps the texts, even without pictures. */
  readonly isLeft?: boolean
  /** It has the pictures that stay. */
  readonly draft: Draft | undefined
  /** The valid pictures of the report. */
  readonly images: readonly ImageAnswer[]
  /** Counts the new or changed draft against a limit. */
  readonly count: (save: () => Promise<string>) => Promise<string>
}

/**
 * Adds the valid pictures of an invalid or unfinished report to a draft, or to a new one, which has nothing else but the spot and the type of the report,
 * and texts with `isLeft`. Returns a secret of the draft; undefined if there is nothing to add.
 * @throws Problem as `saveChangedDraft` does
 */
export async function saveDraftPictures(
  services: DraftServices,
  { client, body }: DraftInput,
  { draft, images: sent, count, isLeft = false }: PictureTarget,
): Promise<string | undefined> {
  const { lat, lng, request_type_id } = body
  const isSeveral = (primary_key: string) => primary_key === 'issue_image'
  const room = ISSUE_IMAGES_MAX - (draft?.images.filter(({ primary_key }) => isSeveral(primary_key)).length ?? 0)
  const valid = Map.groupBy(sent, ({ question }) => isSeveral(question.primary_key))
  const pictures = [...(valid.get(true) ?? []).slice(0, room), ...(valid.get(false) ?? [])]
  if (pictures.length === 0 && !isLeft) return undefined
  return count(async () => {
    const images = await storePictures(services, client, pictures)
    const unfinished = { lat, lng, request_type_id, ...(isLeft ? { answers: textsOf(body) } : {}) }
    const formValues = draft && !(isLeft && isIncomplete(draft)) ? draft.formValues : unfinished
    const content = { formValues, images }
    const secret = newSecret()
    const stamp = { secret_hash: hashToken(secret), now: services.clock() }
    await services.db.transaction((tx) => (draft ? changeDraft(tx, draft, content, stamp) : addDraft(tx, content, stamp)))
    return secret
  })
}

/** Returns the texts that most types ask for. */
function textsOf({ answers }: ReportBody): object {
  const { summary, description } = Object(answers) as Readonly<Record<string, unknown>>
  const texts = Object.entries({ summary, description }).filter(([, text]) => typeof text === 'string')
  return Object.fromEntries(texts.map(([name, text]) => [name, String(text).slice(0, DESCRIPTION_MAX)]))
}

async function toContent(
  services: DraftServices,
  { client, body }: DraftInput,
  stored: readonly DraftImage[] = [],
): Promise<DraftContent> {
  const report = await checkReport(services.db, body, { questionsWithPictures: stored.map(({ primary_key }) => primary_key) })
  return { formValues: toFormValues(report, body), images: await storePictures(services, client, report.images) }
}

async function storePictures(
  { files, draftBytes }: DraftServices,
  client: string,
  pictures: readonly ImageAnswer[],
): Promise<NewDraftImage[]> {
  await draftBytes.add(
    client,
    pictures.reduce((sum, { clean }) => sum + clean.image.bytes, 0),
  )
  const images: NewDraftImage[] = []
  for (const { question, clean } of pictures) {
    const { full_key, bytes } = await storeImage(files, clean)
    images.push({ primary_key: question.primary_key, full_key, bytes })
  }
  return images
}

/** Only checked fields are saved: PostgreSQL cannot store every text, and other fields have no limit of their length. */
function toFormValues({ fields, answers }: CheckedReport, body: Readonly<Record<string, unknown>>): object {
  const { point, requestType, address, anonymous } = fields
  const sent = body['answers'] as Readonly<Record<string, unknown>>
  return {
    lat: String(point.lat),
    lng: String(point.lng),
    request_type_id: String(requestType),
    address,
    ...(anonymous ? { anonymize_reporter: 'true' } : {}),
    answers: Object.fromEntries(answers.map(({ primary_key }) => [primary_key, sent[primary_key]])),
  }
}
