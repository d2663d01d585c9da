import { LinkifyIt } from 'linkify-it'
import tlds from 'tlds' with { type: 'json' }

/**
 * These top-level domains are also common words or file extensions, so that a missing space ("Light is out.Call me", "5th St.next
 * to the bank") makes no link; after `www.` or `http://` they count.
 */
const wordTlds = new Set(
  [
    'able apartments art auto autos baby band bank bar baseball bar beauty beer bike black blue bom book booking bot box build builders',
    'business buy cab cafe call cam camera camp car cards care cars casa case cat catering center charity chase cheap church circle city',
    'claims cleaning clinic clothing coach codes coffee college community company compare computer construction contact contractors cool',
    'country coupon courses credit cricket dad dance data date day deal deals degree delivery design direct directory discount dog domains',
    'dot download drive earth eat education email energy engineer equipment events exchange expert exposed express fail faith family fan',
    'fans farm farmers fast feedback film final finance financial fire fish fishing fit fly food foot football free frontier fun furniture',
    'games gap garden gay gift gifts gives giving glass global gold golf got gov green grocery group guide hair health help here hockey',
    'holiday home homes horse hospital host hot hotels house how ice ink institute international investments jeep jobs joy juniper',
    'kids kim kitchen land lat law lawyer lease legal life lighting like limited limo live living locker love man management map',
    'medical media meet memorial men menu mil mobile mom money motorcycles moto mov museum music name navy network new news next now office',
    'one open orange organic page paris parking parts party pay pet pharmacy phone photo photos pics pictures pid pin pink pizza place play',
    'plumbing plus post press prime pro productions prof properties property protection pub quest racing radio read realty red rehab rent',
    'rentals repair report rest restaurant review reviews rich rip rocks room run safe safety sale salon save school schools science search',
    'seat secure security seek select services seven sharp shell shoes shopping show sky smart smile soccer social solar solutions song',
    'spot staples star storage street studio study style sucks supplies supply support surf surgery systems tab talk target tattoo tax taxi',
    'team tech technology tennis theater tickets tienda tips tires today tools total tours town toys trade training travel trust tube uno',
    'university ups vacations video villas vision vote voting walmart watch watches weather wedding whoswho windows wine winners work works world',
    'wow wtf yoga you zero zip zone',
  ].flatMap((line) => line.split(' ')),
)

/** These are no common words, states or points of the compass (unlike "5th St.in", "Atlanta.GA"). */
const countryTlds = 'io co ru cn uk nl pl ua tk cc ws su cf gq jp kr vn cz hu kz'.split(' ')

const links = new LinkifyIt({
  fuzzyLink: true,
  fuzzyEmail: false,
  tlds: [...tlds.filter((ending) => ending.length > 2 && !wordTlds.has(ending)), ...countryTlds],
})

/** Counts URLs with or without a scheme. @param text from `plainText` */
export function countLinks(text: string): number {
  return findLinks(text).length
}

export interface LinkTarget {
  readonly url: URL
  /** Host as browsers normalize it, in lower case and ASCII, without a leading `www.`. */
  readonly host: string
}

/** Returns undefined for an unclear or disguised destination (`https://denver.gov@example.com`). @param text from `plainText` */
export function parseLinks(text: string): (LinkTarget | undefined)[] {
  return findLinks(text).map(({ url: link, isContinued }) => {
    const url = URL.parse(link)
    const isPlain = url && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === ''
    return isPlain && !isContinued && url.hostname !== '' ? { url, host: withoutWww(url.hostname.replace(/\.$/, '')) } : undefined
  })
}

/** Finds targets of open redirects in any percent-encoding (`https://denver.gov/leave?to=https%3A%2F%2Fexample.com`). */
export function containsOtherUrl({ pathname, search, hash }: URL): boolean {
  const rest = percentDecode(pathname.slice(1) + search + hash)
  // Excessive encoding counts as an attempt to hide a URL.
  if (rest === undefined) return true
  return (
    /\/\/|\\|(^|[^a-z])(https?|ftp|javascript|data|intent):/i.test(rest) || countLinks(rest.replaceAll(/[/?&=#;,|@:]/g, ' ')) > 0
  )
}

const DECODINGS_MAX = 4

function percentDecode(text: string): string | undefined {
  let current = text
  for (let count = 0; count <= DECODINGS_MAX; count++) {
    const next = current.replaceAll(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    if (next === current) return current
    current = next
  }
  return undefined
}

/** The prefix `www.` rarely distinguishes pages. */
export const withoutWww = (host: string) => host.replace(/^www\d{0,3}\./, '')

interface Link {
  readonly url: string
  readonly isContinued: boolean
}

function findLinks(text: string): Link[] {
  const normalized = text
    // Browsers treat the Chinese and Japanese full stop as a dot.
    .replaceAll(/(?<=[a-z0-9])[。｡](?=[a-z0-9])/giu, '.')
    .replaceAll(/(?<![\p{L}\p{N}/@.-])www\d{0,3}\.(?=[\p{L}\p{N}])/giu, 'http://')
  return (links.match(normalized) ?? []).map(({ url, lastIndex }) => ({
    url,
    isContinued: /^[@:\\%]\S/.test(normalized.slice(lastIndex, lastIndex + 2)),
  }))
}
