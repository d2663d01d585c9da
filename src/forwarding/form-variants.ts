import { EndpointRefusal } from '../georeport/endpoint-error.ts'
import type { ParsedRecord } from '../georeport/parse-response.ts'

/** Endpoints respond with them to content that they do not accept. */
const INVALID: ReadonlySet<number> = new Set([400, 422])

export const isInvalid = (error: unknown): boolean => error instanceof EndpointRefusal && INVALID.has(error.status)

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
      if (!isInvalid(error) || n === variants.length - 1) throw error
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

export function withoutStatus(form: URLSearchParams): URLSearchParams {
  const variant = new URLSearchParams(form)
  variant.delete('status')
  return variant
}

export function withStatus(form: URLSearchParams, status: string): URLSearchParams {
  const variant = new URLSearchParams(form)
  variant.set('status', status)
  return variant
}
