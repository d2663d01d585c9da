import { raw, sql, type Database } from '../../src/database/database.ts'
import { queryRows } from './query-rows.ts'

/** Returns schema and content of a database, a line for each object, to compare two databases. */
export async function readCatalog(database: Database): Promise<Record<string, string[]>> {
  const kinds: [kind: string, statement: string][] = [
    ['extensions', `SELECT format('%s %s', e.extname, e.extversion) AS line FROM pg_extension e`],
    [
      'relations',
      `SELECT format('%s %s %s %s', c.relname, c.relkind, c.reloptions, CASE c.relkind WHEN 'v' THEN pg_get_viewdef(c.oid) END) AS line
       FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND ${isNotFromExtension('c.oid')}`,
    ],
    [
      'columns',
      `SELECT format('%s.%s %s %s %s %s %s %s', c.relname, a.attname, row_number() OVER (PARTITION BY c.oid ORDER BY a.attnum), format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
         a.attgenerated, pg_get_expr(d.adbin, d.adrelid)) AS line
       FROM pg_attribute a
       JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'v')
       LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
       WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped AND ${isNotFromExtension('c.oid')}`,
    ],
    [
      'constraints',
      `SELECT format('%s %s %s %s', o.conrelid::regclass, o.conname, o.convalidated, pg_get_constraintdef(o.oid)) AS line
       FROM pg_constraint o WHERE o.connamespace = 'public'::regnamespace AND ${isNotFromExtension('o.conrelid')}`,
    ],
    [
      'indexes',
      `SELECT format('%s %s', i.indisvalid, pg_get_indexdef(i.indexrelid)) AS line
       FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid AND c.relnamespace = 'public'::regnamespace WHERE ${isNotFromExtension('i.indrelid')}`,
    ],
    [
      'triggers',
      // The other form of the definition has fewer brackets after a restore.
      `SELECT format('%s %s', t.tgenabled, pg_get_triggerdef(t.oid, true)) AS line FROM pg_trigger t WHERE NOT t.tgisinternal`,
    ],
    [
      'functions',
      `SELECT pg_get_functiondef(f.oid) AS line
       FROM pg_proc f WHERE f.pronamespace = 'public'::regnamespace AND f.prokind = 'f' AND ${isNotFromExtension('f.oid')}`,
    ],
    [
      'text search',
      `SELECT format('%s %s %s', c.cfgname, m.maptokentype, string_agg(m.mapdict::regdictionary::text, ' ' ORDER BY m.mapseqno)) AS line
       FROM pg_ts_config c JOIN pg_ts_config_map m ON m.mapcfg = c.oid
       WHERE c.cfgnamespace = 'public'::regnamespace GROUP BY c.cfgname, m.maptokentype`,
    ],
    ['sequences', `SELECT format('%s %s %s', s.sequencename, s.data_type, s.last_value) AS line FROM pg_sequences s`],
  ]
  const catalogue: Record<string, string[]> = { rows: await hashRows(database) }
  for (const [kind, statement] of kinds) {
    const rows = await queryRows<{ line: string }>(database, sql`${raw(statement)} ORDER BY 1`)
    catalogue[kind] = rows.map(({ line }) => line)
  }
  return catalogue
}

/** Excludes objects of extensions. */
const isNotFromExtension = (oid: string) => `NOT EXISTS (SELECT FROM pg_depend e WHERE e.objid = ${oid} AND e.deptype = 'e')`

async function hashRows(database: Database): Promise<string[]> {
  const tables = await queryRows<{ name: string }>(
    database,
    sql`
    SELECT quote_ident(t.tablename) AS name FROM pg_tables t WHERE t.schemaname = 'public' ORDER BY 1`,
  )
  const lines: string[] = []
  for (const { name } of tables) {
    const [row] = await queryRows<{ line: string }>(
      database,
      sql`
      SELECT format('%s %s %s', ${name}::text, count(*), md5(string_agg(t::text, E'\n' ORDER BY t::text COLLATE "C"))) AS line
      FROM ${raw(name)} t`,
    )
    if (row) lines.push(row.line)
  }
  return lines
}
