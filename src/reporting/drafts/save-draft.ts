import { Upload } from '../../http/request/upload.ts'
import { hashToken, newSecret } from '../../http/identity/credentials.ts'
import { storeImage } from '../../media/store-image.ts'
import { checkReport } from '../check-report.ts'
import type { Services } from '../../services.ts'
import { addDraft, type DraftImage } from './draft-queries.ts'

export interface DraftRequest {
  /** The fields of the form, with files as `Upload`. */
  readonly formValues: Readonly<Record<string, unknown>>
  /** The same report as `reportIssue` takes it. */
  readonly body: unknown
}

/**
 * Saves a valid report until its author has logged in. Returns the secret with which the author's browser reads it.
 * @throws Problem 422 `{errors: {field: [text]}}` as `reportIssue` does, 503 if pictures cannot be stored now
 */
export async function saveDraft(
  { db, files, clock }: Pick<Services, 'db' | 'files' | 'clock'>,
  { formValues, body }: DraftRequest,
): Promise<string> {
  const { images } = await checkReport(db, body)
  const stored: DraftImage[] = []
  for (const { question, clean } of images) {
    const { full_key, bytes } = await storeImage(files, clean)
    stored.push({ primary_key: question.primary_key, full_key, bytes })
  }
  const secret = newSecret()
  const draft = { secretHash: hashToken(secret), formValues: withoutFiles(formValues), images: stored }
  await addDraft({ prisma: db.prisma }, draft, clock())
  return secret
}

/** The key of the form belongs to one request, so it is not saved either. */
function withoutFiles({ form_key: _key, ...values }: DraftRequest['formValues']): object {
  const isFile = (value: unknown) => [value].flat().some((part) => part instanceof Upload)
  return JSON.parse(JSON.stringify(values, (_name, value: unknown) => (isFile(value) ? undefined : value))) as object
}
