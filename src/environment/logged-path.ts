/** Returns the path of a URL as logs and traces name it: without the query, which may contain credentials, and without e-mail addresses. */
export const loggedPath = (url: string): string => (url.split('?')[0] ?? '').replaceAll(/[^/]*(?:@|%40)[^/]*/g, '…@…')
