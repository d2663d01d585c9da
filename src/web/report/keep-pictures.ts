import type { FastifyReply, FastifyRequest } from 'fastify'

import { Problem } from '../../errors/problems.ts'
import { type FormValues, toFormValues } from '../../html/form-input.ts'
import { clientKey } from '../../http/request/client-address.ts'
import { Upload } from '../../http/request/upload.ts'
import { hashToken } from '../../http/identity/credentials.ts'
import { type Draft, findDraft } from '../../reporting/drafts/draft-queries.ts'
import { saveDraftPictures } from '../../reporting/drafts/save-draft.ts'
import type { Services } from '../../services.ts'
import { rememberDraft } from './drafts/draft-cookie.ts'
import { hasDraft } from './drafts/draft-notice.ts'
import { remainingPictures } from './drafts/stored-pictures.ts'

/**
 * Stores the valid pictures of a form with errors as those of a draft, because browsers do not fill in file fields again. Returns the draft and the values
 * without files; {} if nothing is stored: the scripts of the form keep the files themselves, and another draft or a limit may be in the way.
 * @param draft the draft that the form changes
 */
export async function keepPictures(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  { values, draft }: { readonly values: FormValues; readonly draft: Draft | undefined },
): Promise<{ readonly draft?: Draft; readonly values?: FormValues }> {
  const { db, urls, clock } = services
  if (request.headers['x-requested-with'] !== undefined) return {}
  if (draft ? draft.isClaimed : await hasDraft(request, services)) return {}
  const limit = draft ? services.draftChanges : services.drafts
  const input = { client: clientKey(request), body: values }
  const changed = draft && { ...draft, images: remainingPictures(draft, values) }
  try {
    const secret = await saveDraftPictures(services, input, { draft: changed, count: (save) => limit.count(request, save) })
    if (secret === undefined) return {}
    rememberDraft(reply, urls, secret)
    const stored = await findDraft(db, { secretHash: hashToken(secret), userId: undefined }, clock())
    const answers = Object.entries(toFormValues(values['answers'])).filter(([, answer]) => !hasFile(answer))
    return stored ? { draft: stored, values: { ...values, answers: Object.fromEntries(answers) } } : {}
  } catch (error) {
    if (error instanceof Problem) return {}
    throw error
  }
}

const hasFile = (answer: unknown) => [answer].flat().some((value) => value instanceof Upload)
