import { cutDescription } from '../georeport/description.ts'

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
