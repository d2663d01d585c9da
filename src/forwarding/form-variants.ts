import { EndpointRefusal } from '../georeport/endpoint-error.ts'
import type { ParsedRecord } from '../georeport/parse-response.ts'

/** Endpoints respond with them to content that they do not accept. */
const INVALID: ReadonlySet<number> = new Set([400, 422])

/** Sends the first of the forms that the endpoint accepts. Equal forms are sent once. @throws the refusal of the last one */
export async function postAccepted(
  forms: readonly URLSearchParams[],
  post: (form: URLSearchParams) => Promise<ParsedRecord[]>,
): Promise<ParsedRecord[]> {
  const variants = [...new Map(forms.map((form) => [form.toString(), form])).values()]
  for (const [n, form] of variants.entries()) {
    try {
      return await post(form)
    } catch (error) {
      const mayTryNext = error instanceof EndpointRefusal && INVALID.has(error.status) && n < variants.length - 1
      if (!mayTryNext) throw error
    }
  }
  throw new Error('there is no form to send')
}

/** Some endpoints accept pictures of certain hosts only. The address is then part of the text. */
export function withLinkInText(form: URLSearchParams): URLSearchParams {
  const link = form.get('media_url')
  if (link === null) return form
  const variant = new URLSearchParams(form)
  variant.delete('media_url')
  variant.set('description', `${form.get('description') ?? ''}\n\n${link}`)
  return variant
}

/** An issue that has changed at the endpoint meanwhile may not take the status. The comment is sent nevertheless. */
export function withoutStatus(form: URLSearchParams): URLSearchParams {
  const variant = new URLSearchParams(form)
  variant.delete('status')
  return variant
}
