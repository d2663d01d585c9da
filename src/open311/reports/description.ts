import { SUMMARY_MAX } from '../../issues/schema.ts'

export interface IssueTexts {
  readonly summary: string
  readonly description?: string
}

/**
 * Returns the summary and description of an issue for the one text of GeoReport v2, which has no blanks around it. The first line is the
 * summary, so that `toServiceRequest` gives the same paragraphs again; a longer one is cut at a word, and the whole text is the description.
 * @param isRequired whether the service requires a description besides the summary
 */
export function splitDescription(text: string, isRequired: boolean): IssueTexts {
  const end = text.search(/\r?\n/)
  const summary = end < 0 ? text : text.slice(0, end).trim()
  if (countCharacters(summary) > SUMMARY_MAX) return { summary: shorten(summary), description: text }
  const description = end < 0 ? '' : text.slice(end).trim()
  if (description !== '') return { summary, description }
  return isRequired ? { summary, description: summary } : { summary }
}

const countCharacters = (text: string) => [...text].length

function shorten(text: string): string {
  const start = [...text].slice(0, SUMMARY_MAX - 1).join('')
  const lastSpace = start.lastIndexOf(' ')
  return `${(lastSpace > SUMMARY_MAX / 2 ? start.slice(0, lastSpace) : start).trimEnd()}…`
}
