import type { PGlite } from '@electric-sql/pglite'
import pg from 'pg'

/** A statement as the database describes it: the types of its parameters and the columns of its rows. */
export interface Description {
  readonly parameters: readonly PostgresType[]
  readonly columns: readonly { readonly name: string; readonly type: PostgresType }[]
}

export interface PostgresType {
  readonly name: string
  /** The category of pg_type: N number, S string, D time, B boolean, E enum, A array, U any other. */
  readonly category: string
}

interface Connection extends NodeJS.EventEmitter {
  parse(statement: { name: string; text: string; types: number[] }): void
  describe(target: { type: 'S'; name: string }): void
  sync(): void
}

type NamedType = PostgresType & { readonly oid: number }

const TYPES = 'SELECT oid, typname AS name, typcategory AS category FROM pg_type'

const typeFinder = (rows: readonly NamedType[]) => {
  const types = new Map(rows.map(({ oid, ...type }) => [oid, type]))
  return (oid: number): PostgresType => types.get(oid) ?? { name: String(oid), category: 'U' }
}

/** Describes statements in the session of the engine, which may be in a transaction: it must not be an aborted one. */
export async function createEmbeddedDescriber(pglite: PGlite): Promise<(text: string) => Promise<Description>> {
  const typeOf = typeFinder((await pglite.query<NamedType>(TYPES)).rows)
  return async (text) => {
    const { queryParams, resultFields } = await pglite.runExclusive(() => pglite.describeQuery(text))
    return {
      parameters: queryParams.map(({ dataTypeID }) => typeOf(dataTypeID)),
      columns: resultFields.map(({ name, dataTypeID }) => ({ name, type: typeOf(dataTypeID) })),
    }
  }
}

/** Describes statements on a connection of its own, which cannot see uncommitted tables and does not wait for locks. */
export function createDescriber(url: string) {
  let opening: Promise<{ client: pg.Client; typeOf: (oid: number) => PostgresType }> | undefined
  let previous: Promise<unknown> = Promise.resolve()

  const open = async () => {
    const client = new pg.Client({ connectionString: url, options: '-c lock_timeout=500' })
    client.on('error', () => (opening = undefined))
    await client.connect()
    const { rows } = await client.query<NamedType>(TYPES)
    return { client, typeOf: typeFinder(rows) }
  }

  return {
    /** @throws DatabaseError of the server: a relation of an open transaction is unknown, and a locked one is 55P03 */
    async describe(text: string): Promise<Description> {
      const { client, typeOf } = await (opening ??= open())
      // A client has one query at a time.
      const described = previous.then(() => describe(client, text))
      previous = described.catch(() => undefined)
      const { parameters, columns } = await described
      return {
        parameters: parameters.map(typeOf),
        columns: columns.map(({ name, dataTypeID }) => ({ name, type: typeOf(dataTypeID) })),
      }
    },
    close: async () => (await opening)?.client.end(),
  }
}

function describe(client: pg.Client, text: string) {
  const statement = new Describe(text)
  client.query(statement as unknown as pg.Submittable)
  return statement.description.promise
}

/** Parse and Describe of the extended protocol, without Execute. */
class Describe {
  readonly description = Promise.withResolvers<{ parameters: readonly number[]; columns: readonly pg.FieldDef[] }>()
  readonly text: string
  private columns: readonly pg.FieldDef[] = []
  private parameters: readonly number[] = []
  private readonly onParameters = ({ dataTypeIDs }: { dataTypeIDs: readonly number[] }) => (this.parameters = dataTypeIDs)

  constructor(text: string) {
    this.text = text
  }

  submit(connection: Connection): void {
    connection.once('parameterDescription', this.onParameters)
    connection.parse({ name: '', text: this.text, types: [] })
    connection.describe({ type: 'S', name: '' })
    connection.sync()
  }

  handleRowDescription({ fields }: { fields: readonly pg.FieldDef[] }): void {
    this.columns = fields
  }

  handleError(error: Error, connection: Connection): void {
    connection.off('parameterDescription', this.onParameters)
    this.description.reject(error)
  }

  handleReadyForQuery(): void {
    this.description.resolve({ parameters: this.parameters, columns: this.columns })
  }
}
