import { EndpointRefusal } from '../georeport/endpoint-client.ts'
import { cutDescription } from '../georeport/geo-report.ts'
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

/** Endpoints may cut a long text before its end. */
const COMPARED_CHARACTERS = 3_900
/** The regular expression takes quadratic time. */
const LINK_MAX = 500

/** Returns whether a description is the text that was sent for a comment: the same apart from blanks, and from the link to its picture at the end. */
export function isSentText(description: string, comment: string): boolean {
  const [received, sent] = [withoutBlanks(description), withoutBlanks(cutDescription(comment))]
  if (sent.length >= COMPARED_CHARACTERS) return received.startsWith(sent.slice(0, COMPARED_CHARACTERS))
  const rest = received.slice(sent.length)
  return received.startsWith(sent) && rest.length <= LINK_MAX && /^( https?:\/\/\S+\/files\/\S+)?$/.test(rest)
}

const withoutBlanks = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
