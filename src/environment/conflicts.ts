/** Returns a line for each variable that another one requires or excludes. */
export function listConflicts(variables: Readonly<Record<string, unknown>>, requirePublicUrl: boolean): string[] {
  const { DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_REPLICA_URLS, PUBLIC_URL, BASEMAP_STYLE_URL, BASEMAP_PMTILES } = variables
  const lines: string[] = []
  if (requirePublicUrl && DATABASE_URL !== undefined && PUBLIC_URL === undefined) {
    lines.push('PUBLIC_URL must be set if DATABASE_URL is set: links in responses and mails start with it')
  }
  if (DATABASE_REPLICA_URLS !== undefined && DATABASE_URL === undefined) {
    lines.push('DATABASE_REPLICA_URLS requires DATABASE_URL')
  }
  if (DATABASE_DIRECT_URL !== undefined && DATABASE_URL === undefined) lines.push('DATABASE_DIRECT_URL requires DATABASE_URL')
  if ((variables['DATABASE_POOLER'] === undefined) !== (DATABASE_DIRECT_URL === undefined)) {
    lines.push('DATABASE_POOLER and DATABASE_DIRECT_URL require each other')
  }
  if (variables['REDIS_SENTINELS'] !== undefined && variables['REDIS_URL'] === undefined) {
    lines.push('REDIS_SENTINELS requires REDIS_URL, whose host is the name of the primary')
  }
  if (BASEMAP_STYLE_URL !== undefined && BASEMAP_PMTILES !== undefined) {
    lines.push('BASEMAP_STYLE_URL and BASEMAP_PMTILES are both set: remove one of them')
  }
  return lines
}
