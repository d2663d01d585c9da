import { hashToken, newSecret } from '../../http/identity/credentials.ts'
import { storeImage } from '../../media/store-image.ts'
import { type CheckedReport, checkReport } from '../check-report.ts'
import type { Services } from '../../services.ts'
import { addDraft, type DraftImage } from './draft-queries.ts'

/**
 * Saves a valid report until its author has logged in. Returns the secret with which the author's browser reads it.
 * @param body the same fields as `reportIssue` takes them, with files as `Upload`
 * @throws Problem 422 `{errors: {field: [text]}}` as `reportIssue` does, 503 if pictures cannot be stored now
 */
export async function saveDraft(
  { db, files, clock }: Pick<Services, 'db' | 'files' | 'clock'>,
  body: Readonly<Record<string, unknown>>,
): Promise<string> {
  const report = await checkReport(db, body)
  const images: DraftImage[] = []
  for (const { question, clean } of report.images) {
    const { full_key, bytes } = await storeImage(files, clean)
    images.push({ primary_key: question.primary_key, full_key, bytes })
  }
  const secret = newSecret()
  await addDraft(db, { secretHash: hashToken(secret), formValues: toFormValues(report, body), images }, clock())
  return secret
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
