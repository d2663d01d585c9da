/* Shows other filters and pages of a list in its page. Without scripts, the same links and forms load a page. */

const LINKS = ':is(.pager, .choices, .empty, .buttons) a'
const FOCUSABLE = 'a, button, summary, select, input:not([type=hidden])'
/** Parts that depend on the area and the filters. Forms have what the user types, and are replaced for links and the history only. */
const PARTS = '[data-follows-map]'
const FORMS = 'form[data-filters]'
const areaNames = ['place_url', 'watch_area', 'lat', 'lng', 'zoom', 'min_lat', 'min_lng', 'max_lat', 'max_lng']

interface ListAddress {
  /** Shows parameters in the address. */
  set(parameters: URLSearchParams, isNew: boolean): void
  /** Shows the parts of a loaded page around its list: headings, links and, unless a form was sent, forms. */
  showParts(page: Document): void
}

/**
 * Calls back for links and forms that keep the area, and for the history. The area and the view stay in the address.
 * @param showArea shows another area that the history leads to
 */
export function followAddress(onChange: (link: Element | undefined) => void, showArea = () => location.reload()): ListAddress {
  let shown = location.search
  let replacesForms = false
  const set = (parameters: URLSearchParams, isNew: boolean) => {
    const query = parameters.toString()
    history[isNew ? 'pushState' : 'replaceState'](null, '', `${location.pathname}${query === '' ? '' : `?${query}`}`)
    shown = location.search
    // The choice of another language returns to the same view.
    const path = document.querySelector<HTMLInputElement>('input[name=return_to]')
    if (path) path.value = `${path.value.split('?')[0] ?? ''}${shown}`
  }
  const open = (parameters: URLSearchParams, link?: Element) => {
    const current = new URLSearchParams(shown)
    for (const name of [...areaNames, 'view']) {
      const value = current.get(name)
      if (value === null) parameters.delete(name)
      else parameters.set(name, value)
    }
    // Enter in a field is a change and sends the form.
    if (parameters.toString() === current.toString()) return
    replacesForms = link !== undefined
    set(parameters, true)
    onChange(link)
  }
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>(LINKS)
    if (!link || !isPlainClick(event) || link.origin + link.pathname !== location.origin + location.pathname) return
    if (!hasSameArea(link.search, location.search)) return
    event.preventDefault()
    open(new URLSearchParams(link.search), link)
  })
  const send = (event: Event) => {
    const form = (event.target as Element).closest<HTMLFormElement>(FORMS)
    if (!form) return
    event.preventDefault()
    open(joinLists([...new FormData(form)].filter((entry): entry is [string, string] => entry[1] !== '')))
  }
  document.addEventListener('submit', send)
  document.addEventListener('change', send)
  addEventListener('popstate', () => {
    // A link to a part of the page, such as the one to skip the header, does not change what is shown.
    if (location.search === shown) return
    const isOther = !hasSameArea(location.search, shown)
    shown = location.search
    if (isOther) showArea()
    replacesForms = true
    onChange(undefined)
  })
  return {
    set,
    showParts(page) {
      document.title = page.title
      // A parsed page has the elements of `noscript`, by which the style sheet would hide links.
      for (const unused of page.querySelectorAll('noscript')) unused.remove()
      for (const part of document.querySelectorAll(replacesForms ? `${PARTS}, ${FORMS}` : PARTS)) {
        const next = page.getElementById(part.id)
        if (next && !part.isEqualNode(next)) replacePart(part, next)
      }
      const feed = page.querySelector('head link[rel=alternate]')?.getAttribute('href')
      if (feed) document.querySelector('head link[rel=alternate]')?.setAttribute('href', feed)
    },
  }
}

export const isPlainClick = ({ button, ctrlKey, metaKey, shiftKey }: MouseEvent) =>
  button === 0 && !ctrlKey && !metaKey && !shiftKey

/** Returns true if both queries have the same area. */
function hasSameArea(query: string, other: string): boolean {
  const [parameters, others] = [new URLSearchParams(query), new URLSearchParams(other)]
  return areaNames.every((name) => parameters.get(name) === others.get(name))
}

/** Replaces a part without a loss of the focus or of opened details. */
function replacePart(part: Element, next: Element): void {
  const focus = [...part.querySelectorAll(FOCUSABLE)].indexOf(document.activeElement as Element)
  const isOpen = part.querySelector('details')?.open
  part.replaceWith(next)
  const details = next.querySelector('details')
  if (details && isOpen) details.open = true
  if (focus !== -1) next.querySelectorAll<HTMLElement>(FOCUSABLE)[focus]?.focus({ preventScroll: true })
}

/** Boxes with the same name are one list: `status=open,closed`. */
function joinLists(entries: readonly [string, string][]): URLSearchParams {
  const names = [...new Set(entries.map(([name]) => name))]
  return new URLSearchParams(
    names.map((name) => [name, entries.flatMap(([other, value]) => (other === name ? [value] : [])).join(',')]),
  )
}
