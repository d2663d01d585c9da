/** Relation types of links (RFC 8288): where a report came from (RFC 4287), and what a receiver has already (RFC 6249). */
export const VIA = 'via'
export const DUPLICATE = 'duplicate'

/** Returns the addresses of the links in a Link header that have the relation type. */
export function listLinks(header: string, relation: string): string[] {
  return [...header.matchAll(/<([^<>\s]+)>([^<]*)/g)].flatMap(([, address = '', parameters = '']) => {
    const [, quoted, token] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters) ?? []
    const relations = (quoted ?? token ?? '').toLowerCase().split(/\s+/)
    return relations.includes(relation) ? [address] : []
  })
}

export const formatLinks = (addresses: readonly string[], relation: string): string =>
  addresses.map((address) => `<${address}>; rel="${relation}"`).join(', ')
