/** Longer paths are not returned to: `RETURN_PATH_MAX` in src/html/redirects.ts. */
const PATH_MAX = 2_000

/** Lets the login and the registration return to the area that was drawn. */
export function keepLoginLinks(form: HTMLFormElement): void {
  const entries = [...new FormData(form)].filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const filled = new URLSearchParams(entries.filter(([, value]) => value !== ''))
  const path = `${new URL(form.action).pathname}?${filled.toString()}`
  for (const link of form.querySelectorAll<HTMLAnchorElement>('a[data-return]')) {
    const url = new URL(link.href)
    url.searchParams.set('return_to', path.length > PATH_MAX ? '/watch' : path)
    link.href = url.href
  }
}
