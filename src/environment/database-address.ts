const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/

/** Returns an address for each host of one like `postgres://user@one:5432,two:5432/name`, which libpq reads and URL parsers do not. */
export function addressesOf(url: string): string[] {
  const [, start, hosts, end] = PARTS.exec(url) ?? []
  return hosts === undefined ? [url] : hosts.split(',').map((host) => `${start}${host}${end}`)
}

/** Programs that use libpq take any of several hosts unless the address says that it must be the primary. */
export const namesPrimary = (url: string): boolean =>
  addressesOf(url).length === 1 || /[?&]target_session_attrs=(read-write|primary)(&|$)/.test(url)

/** A password in the URL takes precedence. */
export function addPassword(address: string, password: string | undefined): string {
  const url = new URL(addressesOf(address)[0] ?? address)
  if (password === undefined || url.password !== '' || url.searchParams.has('password')) return address
  // A URL without a host, such as one for a socket, can carry a password in its query only.
  if (url.host === '') url.searchParams.set('password', password)
  else url.password = encodeURIComponent(password)
  return url.href.replace(`@${url.host}`, `@${PARTS.exec(address)?.[2]}`)
}

/** Returns the address for the command line of a program, where others could read the password, and the password for its environment. */
export function splitPassword(address: string): { readonly address: string; readonly password: string | undefined } {
  const [, user = '', password] = /^(\w+:\/\/[^:@/?#]*):([^@/?#]*)@/.exec(address) ?? []
  if (password === undefined) return { address, password }
  return { address: user + address.slice(user.length + 1 + password.length), password: decodeURIComponent(password) }
}
