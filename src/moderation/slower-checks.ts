import type { Queryable } from '../database/database.ts'
import { countRepetitions, isOfEmployee, type ItemToCheck, listNamesNear } from './check-queries.ts'
import { hostsLetThrough } from './host-queries.ts'
import { isKnown } from './known-hosts.ts'
import { hasOtherAddress, linksOf } from '../content-policy/links.ts'
import { nameAround, namesIn } from './names.ts'
import { plainText } from '../content-policy/plain-text.ts'
import { LINKS_MAX, type Reason } from '../content-policy/policy.ts'
import { publicTextsOf } from './subject-texts.ts'
import { findBlockedWords } from '../content-policy/words.ts'

export interface Finding {
  readonly cleared: boolean
  readonly note: string
}

export interface Checked {
  /** All reasons are cleared, so no moderator has to decide. */
  readonly released: boolean
  readonly note: string
}

/** Reports farther apart than this are about different problems. */
const APART_M = 50
/** Maximum number of identical reports that the checks approve; a street has about so many lamps. */
const SAME_RELEASED_MAX = 20
/** Maximum number of links that the checks approve, whatever their hosts. */
const LINKS_RELEASED_MAX = 10
const NAMED_MAX = 10

interface Checking {
  readonly db: Queryable
  readonly item: ItemToCheck
  readonly texts: readonly string[]
  readonly address: string | undefined
  readonly root: string
}

/** Checks that use the location and earlier decisions; each clears its own reason. */
const checks: Readonly<Record<Reason, (checking: Checking) => Promise<Finding>>> = {
  words: checkWords,
  links: checkLinks,
  'links-of-a-new-account': checkLinks,
  repeated: checkRepeated,
  organization: async () => ({ cleared: false, note: 'The organisation wants to look at everything.' }),
  'said-to-be-offensive': async () => ({ cleared: false, note: 'The author says that it is offensive.' }),
  flagged: async () => ({ cleared: false, note: 'People flagged it.' }),
}

/**
 * Runs the checks on an open item. It is approved if all of its reasons are cleared.
 * @param root of the service, from PUBLIC_URL
 */
export async function checkSlowly(db: Queryable, item: ItemToCheck, root: string): Promise<Checked> {
  const texts = (await publicTextsOf(db, item)).map(plainText)
  const address = item.address === null ? undefined : plainText(item.address)
  const findings: Finding[] = []
  for (const reason of item.reasons) findings.push(await checks[reason]({ db, item, texts, address, root }))
  const notes = [...new Set(findings.map(({ note }) => note))]
  return { released: findings.length > 0 && findings.every(({ cleared }) => cleared), note: notes.join(' ') }
}

/** A blocked word is allowed as a part of a nearby name, such as a street name. */
async function checkWords({ db, item, texts, address }: Checking): Promise<Finding> {
  const found = texts.flatMap((text) =>
    findBlockedWords(text, item.locale).map((span) => ({ text, span, word: text.slice(span.start, span.end) })),
  )
  // The word lists may have changed since the item was submitted.
  if (found.length === 0) return { cleared: true, note: 'No word of it is blocked any more.' }
  const words = [...new Set(found.map(({ word }) => word.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '').toLowerCase()))]
  const names = namesIn(await listNamesNear(db, item, words))
  const around = found.map(({ text, span }) => nameAround(text, span, names, text === address))
  const unnamed = found.filter((_, index) => around[index] === undefined).map(({ word }) => word)
  if (unnamed.length > 0) return { cleared: false, note: `Blocked words that stand in no name at this place: ${listed(unnamed)}.` }
  return {
    cleared: true,
    note: `Blocked words stand in names at this place: ${listed(around.filter((name) => name !== undefined))}.`,
  }
}

/**
 * Many links are cleared only if all lead to known hosts; the links of a new account also if a moderator approved their hosts.
 * URLs that may redirect elsewhere are never cleared.
 */
async function checkLinks({ db, texts, root }: Checking): Promise<Finding> {
  const links = texts.flatMap(linksOf)
  if (links.length > LINKS_RELEASED_MAX)
    return { cleared: false, note: `It has ${links.length} links, which is more than ${LINKS_RELEASED_MAX}.` }
  const others = links.filter((link) => link === undefined || !isKnown(link, root))
  const named = others.map((link) => link?.host ?? 'an address that hides where it leads')
  if (others.length > 0 && links.length > LINKS_MAX)
    return { cleared: false, note: `More than ${LINKS_MAX} links, not all to where anybody may lead: ${listed(named)}.` }
  const plain = others.filter((link) => link !== undefined && !hasOtherAddress(link.url)).map((link) => link?.host ?? '')
  const before = await hostsLetThrough(db, plain)
  const unknown = others.flatMap((link) => {
    if (!link) return ['an address that hides where it leads']
    if (hasOtherAddress(link.url)) return [`${link.host}, which may send on to elsewhere`]
    return before.includes(link.host) ? [] : [link.host]
  })
  if (unknown.length > 0) return { cleared: false, note: `Links to where nobody let any lead yet: ${listed(unknown)}.` }
  return {
    cleared: true,
    note: 'All links lead to public administrations, videos on YouTube, this service or where moderators let some lead before.',
  }
}

/**
 * Identical reports are cleared if they are about different places, such as each broken lamp of a street, and identical
 * comments if an employee wrote them, such as "Repaired.". Identical questions are never cleared.
 */
async function checkRepeated({ db, item }: Checking): Promise<Finding> {
  if (item.subject_type !== 'issue') {
    if (item.subject_type !== 'question' && (await isOfEmployee(db, item)))
      return { cleared: true, note: byEmployee[item.subject_type] }
    return { cleared: false, note: `The same ${item.subject_type} was sent several times within an hour.` }
  }
  const { count, rejected, close } = await countRepetitions(db, item.subject_id, APART_M)
  const said = `The author sent ${count} reports with this text within an hour`
  if (rejected > 0) return { cleared: false, note: `${said}, of which ${rejected} were rejected.` }
  if (close > 0) return { cleared: false, note: `${said}, of which ${close} are within ${APART_M} metres of another.` }
  if (count > SAME_RELEASED_MAX) return { cleared: false, note: `${said}, which is more than ${SAME_RELEASED_MAX}.` }
  return { cleared: true, note: `${said}, each more than ${APART_M} metres from all others.` }
}

const byEmployee = {
  comment: 'An employee says the same of several issues that they look after.',
  answer: 'An employee answers several questions of their city alike.',
} as const

const listed = (names: readonly string[]) => {
  const all = [...new Set(names)]
  return [...all.slice(0, NAMED_MAX).map((name) => name.slice(0, 100)), ...(all.length > NAMED_MAX ? ['…'] : [])].join(', ')
}
