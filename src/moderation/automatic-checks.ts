import type { PrismaHandle, Queryable } from '../database/database.ts'
import {
  countDuplicateReports,
  isWrittenByEmployee,
  type ItemToCheck,
  listNamesNear,
  findEnclosingName,
  splitNames,
} from './check-queries.ts'
import { filterApprovedHosts } from './item-queries.ts'
import { containsOtherUrl, type LinkTarget, parseLinks, withoutWww } from '../content-policy/links.ts'
import { plainText } from '../content-policy/plain-text.ts'
import { LINKS_MAX, type Reason } from '../content-policy/policy.ts'
import { listPublicTexts } from './subject-texts.ts'
import { findBlockedWords } from '../content-policy/words.ts'
import { getDomain, getPublicSuffix } from 'tldts-icann'
import { parseVideoUrl } from '../comments/youtube.ts'

export interface Finding {
  readonly cleared: boolean
  readonly note: string
}

interface CheckResult {
  readonly approved: boolean
  readonly note: string
}

/** Reports farther apart than this count as different problems. */
const SAME_PROBLEM_M = 50
/** The limit is about the number of lamps in a street. */
const DUPLICATES_APPROVED_MAX = 20
const LINKS_APPROVED_MAX = 10
const LISTED_MAX = 10

interface CheckInput {
  readonly db: Queryable & PrismaHandle
  readonly item: ItemToCheck
  readonly texts: readonly string[]
  readonly address: string | undefined
  readonly root: string
}

const checks: Readonly<Record<Reason, (checking: CheckInput) => Promise<Finding>>> = {
  words: checkWords,
  links: checkLinks,
  'links-of-a-new-account': checkLinks,
  repeated: checkRepeated,
  organization: async () => ({ cleared: false, note: 'The organisation reviews everything.' }),
  'said-to-be-offensive': async () => ({ cleared: false, note: 'The author marked it as offensive.' }),
  flagged: async () => ({ cleared: false, note: 'Users flagged it.' }),
}

/** Runs the checks on a held item. It is approved if all of its reasons are cleared. @param root PUBLIC_URL */
export async function runAutomaticChecks(db: Queryable & PrismaHandle, item: ItemToCheck, root: string): Promise<CheckResult> {
  const texts = (await listPublicTexts(db, item)).map(plainText)
  const address = item.address === null ? undefined : plainText(item.address)
  const findings: Finding[] = []
  for (const reason of item.reasons) findings.push(await checks[reason]({ db, item, texts, address, root }))
  const notes = [...new Set(findings.map(({ note }) => note))]
  return { approved: findings.length > 0 && findings.every(({ cleared }) => cleared), note: notes.join(' ') }
}

/** A blocked word is allowed as a part of a nearby name, such as a street name. */
async function checkWords({ db, item, texts, address }: CheckInput): Promise<Finding> {
  const found = texts.flatMap((text) =>
    findBlockedWords(text, item.locale).map((span) => ({ text, span, word: text.slice(span.start, span.end) })),
  )
  // The word lists may have changed since the item was submitted.
  if (found.length === 0) return { cleared: true, note: 'It contains no blocked words any more.' }
  const words = [...new Set(found.map(({ word }) => word.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '').toLowerCase()))]
  const names = splitNames(await listNamesNear(db, item, words))
  const enclosingNames = found.map(({ text, span }) => findEnclosingName(text, span, names, text === address))
  const unnamed = found.filter((_, index) => enclosingNames[index] === undefined).map(({ word }) => word)
  if (unnamed.length > 0)
    return { cleared: false, note: `Blocked words that are not part of a name near this place: ${formatList(unnamed)}.` }
  return {
    cleared: true,
    note: `The blocked words are part of names near this place: ${formatList(enclosingNames.filter((name) => name !== undefined))}.`,
  }
}

/** Approved hosts clear the links of a new account, but not many links. URLs that may redirect elsewhere are never cleared. */
async function checkLinks({ db, texts, root }: CheckInput): Promise<Finding> {
  const links = texts.flatMap(parseLinks)
  if (links.length > LINKS_APPROVED_MAX)
    return { cleared: false, note: `It has ${links.length} links, which is more than ${LINKS_APPROVED_MAX}.` }
  const untrusted = links.filter((link) => link === undefined || !isTrustedLink(link, root))
  const hosts = untrusted.map((link) => link?.host ?? 'a link with a disguised destination')
  if (untrusted.length > 0 && links.length > LINKS_MAX)
    return { cleared: false, note: `More than ${LINKS_MAX} links, and not all hosts are trusted: ${formatList(hosts)}.` }
  const candidates = untrusted.filter((link) => link !== undefined && !containsOtherUrl(link.url)).map((link) => link?.host ?? '')
  const approvedHosts = await filterApprovedHosts(db, candidates)
  const unknown = untrusted.flatMap((link) => {
    if (!link) return ['a link with a disguised destination']
    if (containsOtherUrl(link.url)) return [`${link.host}, which may redirect elsewhere`]
    return approvedHosts.includes(link.host) ? [] : [link.host]
  })
  if (unknown.length > 0)
    return { cleared: false, note: `Links to hosts that no moderator has approved yet: ${formatList(unknown)}.` }
  return {
    cleared: true,
    note: 'All links lead to public administrations, YouTube videos, this service or hosts that a moderator approved before.',
  }
}

/** Repeated reports about different places, such as the lamps of a street, and repeated texts of employees are cleared. */
async function checkRepeated({ db, item }: CheckInput): Promise<Finding> {
  if (item.subject_type !== 'issue') {
    if (item.subject_type !== 'question' && (await isWrittenByEmployee(db, item)))
      return { cleared: true, note: employeeNotes[item.subject_type] }
    return { cleared: false, note: `The same ${item.subject_type} was sent several times within an hour.` }
  }
  const { count, rejected, close } = await countDuplicateReports(db, item.subject_id, SAME_PROBLEM_M)
  const summary = `The author sent ${count} reports with this text within an hour`
  if (rejected > 0) return { cleared: false, note: `${summary}, of which ${rejected} were rejected.` }
  if (close > 0) return { cleared: false, note: `${summary}, of which ${close} are within ${SAME_PROBLEM_M} metres of another.` }
  if (count > DUPLICATES_APPROVED_MAX) return { cleared: false, note: `${summary}, which is more than ${DUPLICATES_APPROVED_MAX}.` }
  return { cleared: true, note: `${summary}, each more than ${SAME_PROBLEM_M} metres from all others.` }
}

const employeeNotes = {
  comment: 'An employee wrote the same comment on several issues.',
  answer: 'An employee gave the same answer to several questions of their city.',
} as const

const formatList = (names: readonly string[]) => {
  const all = [...new Set(names)]
  return [...all.slice(0, LISTED_MAX).map((name) => name.slice(0, 100)), ...(all.length > LISTED_MAX ? ['…'] : [])].join(', ')
}

/** Only suffixes of the Public Suffix List count, because anyone can register `gov.tk`. */
const administrationSuffix = /^(gov|(gov|gob|gouv|govt|gub|gv)\.[a-z]{2}|gc\.ca|go\.(jp|kr|th|id|ke|tz|ug|cr))$/
const administrationDomains = new Set(['europa.eu', 'admin.ch', 'bund.de', 'canada.ca'])

/** Trusts this service, administrations and YouTube videos, but no URL that may redirect elsewhere. @param root PUBLIC_URL */
function isTrustedLink({ url, host }: LinkTarget, root: string): boolean {
  if (parseVideoUrl(url.href) !== undefined) return true
  if (containsOtherUrl(url)) return false
  if (host === withoutWww(new URL(root).hostname)) return true
  const [suffix, domain] = [getPublicSuffix(host), getDomain(host)]
  return (suffix !== null && administrationSuffix.test(suffix)) || (domain !== null && administrationDomains.has(domain))
}
