/** Returns the path of a URL as logs and traces name it: without the query, which may contain credentials, and without e-mail addresses. */
export function loggedPath(url: string): string {
  const [path = ''] = url.split('?')
  // An expression for the whole path would take time that grows with the square of its length.
  return path
    .split('/')
    .map((part) => (/@|%40/.test(part) ? '…@…' : part))
    .join('/')
}
