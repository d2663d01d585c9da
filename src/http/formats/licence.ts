import type { Urls } from '../request/urls.ts'

/** The licence of the data, which every file and feed names. */
export const LICENCE_NAME = 'CC BY-NC-SA 3.0 US'
export const LICENCE_URL = 'https://creativecommons.org/licenses/by-nc-sa/3.0/us/'
export const licenceText = `${LICENCE_NAME}, ${LICENCE_URL}`

/** The value of a Link header (RFC 8288). */
export const LICENCE_LINK = `<${LICENCE_URL}>; rel="license"`

/** The values of a Link header that name the licence of a file and its author, for formats without metadata. */
export const creditLinks = (urls: Urls): string => `${LICENCE_LINK}, <${urls.at('/')}>; rel="author"; title="Fixpoint"`

export const attributionText = (urls: Urls): string => `Fixpoint, ${urls.at('/')}`
