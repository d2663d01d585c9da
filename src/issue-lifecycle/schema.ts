import Type from 'typebox'
import { Id } from '../http/schema/fields.ts'

export const IssueParams = Type.Object({ id: { ...Id, description: 'The id of the issue.' } })
