/** Shows the parts of a newly loaded page, besides its list, that depend on the area: the title, the heading and links. */
export function showPageParts(page: Document): void {
  document.title = page.title
  for (const part of document.querySelectorAll('[data-follows-map]')) {
    const next = page.getElementById(part.id)
    if (next && !part.isEqualNode(next)) part.replaceWith(next)
  }
  copyAttribute(page, 'head link[rel=alternate]', 'href')
  // The choice of another language returns to the same view.
  copyAttribute(page, 'input[name=return_to]', 'value')
}

function copyAttribute(page: Document, selector: string, name: string): void {
  const value = page.querySelector(selector)?.getAttribute(name)
  if (value !== undefined && value !== null) document.querySelector(selector)?.setAttribute(name, value)
}
