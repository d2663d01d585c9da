import { SaxesParser } from 'saxes'

export interface Element {
  readonly name: string
  readonly uri: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Element[]
  text: string
}

export const ATOM = 'http://www.w3.org/2005/Atom'
export const GEORSS = 'http://www.georss.org/georss'

/** @throws Error if the document is not well-formed XML 1.0 with namespaces */
export function parseXml(document: string): Element {
  const parser = new SaxesParser({ xmlns: true })
  const root: Element = { name: '', uri: '', attributes: {}, children: [], text: '' }
  const open = [root]
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ local, uri, attributes }) => {
    const pairs = Object.entries(attributes).map(([name, { value }]) => [name, value] as const)
    const element: Element = { name: local, uri, attributes: Object.fromEntries(pairs), children: [], text: '' }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('text', (text) => {
    const element = open.at(-1)
    if (element) element.text += text
  })
  parser.on('closetag', () => void open.pop())
  parser.write(document).close()
  const [top] = root.children
  if (!top) throw new Error('the document has no element')
  return top
}

export const childrenOf = (element: Element, name: string, uri = ATOM) =>
  element.children.filter((child) => child.name === name && child.uri === uri)

/** Returns the text of the only child with this name. */
export function textOf(element: Element, name: string, uri = ATOM): string {
  const [child, ...more] = childrenOf(element, name, uri)
  if (!child || more.length > 0) throw new Error(`there is not exactly one ${name} in ${element.name}`)
  return child.text
}

export const linkOf = (element: Element, rel: string, type?: string) =>
  childrenOf(element, 'link').find(
    ({ attributes }) => attributes['rel'] === rel && (type === undefined || attributes['type'] === type),
  )?.attributes['href']
