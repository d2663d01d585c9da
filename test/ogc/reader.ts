import { PUBLIC_URL, type TestApp } from '../helpers/use-app.ts'

export interface Items {
  readonly numberMatched: number
  readonly numberReturned: number
  readonly timeStamp: string
  readonly links: readonly { readonly rel: string; readonly href: string; readonly type?: string }[]
  readonly features: readonly { readonly id: number; readonly properties: Record<string, unknown> }[]
}

export const ISSUES = '/ogc/collections/issues/items'
export const PLACES = '/ogc/collections/places/items'

/** Returns functions that send requests of an anonymous caller. */
export function createReader(app: TestApp) {
  const ask = (path: string, accept = '*/*') => app.as.anonymous.send('GET', path, { headers: { accept } })
  const readItems = async (path: string) => JSON.parse((await ask(path)).text) as Items
  const readIds = async (path: string) => (await readItems(path)).features.map(({ id }) => id)
  /** Returns the ids of each page. */
  const readPages = async (path: string) => {
    const pages: number[][] = []
    let url: string | undefined = path
    while (url !== undefined) {
      const page: Items = await readItems(url)
      pages.push(page.features.map(({ id }) => id))
      url = page.links.find(({ rel }) => rel === 'next')?.href.replace(PUBLIC_URL, '')
    }
    return pages
  }
  return { ask, readItems, readIds, readPages }
}
