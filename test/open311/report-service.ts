import type { TestApp } from '../helpers/use-app.ts'
import { hole } from './writer.ts'

/** Creates an organisation with a request type that has a question of most kinds, and returns the required fields of a report. */
export async function createService(app: TestApp, { guests = false, name = 'Roads' } = {}) {
  const organization = await app.create.organization({ name })
  await app.db.prisma.organization.update({ where: { id: organization }, data: { guest_reports: guests } })
  const type = await app.create.requestType({
    title: 'Hole',
    organization,
    questions: [
      { built_in: 'summary', question: 'What?', question_type: 'text', response_required: true },
      { built_in: 'description', question: 'More?', question_type: 'textarea' },
      { built_in: 'issue_image', question: 'A picture?', question_type: 'file' },
      { question: 'How deep?', question_type: 'number', response_required: true },
      {
        question: 'Which lanes?',
        question_type: 'multivaluelist',
        select_values: ['a', 'b', 'c'].map((key) => ({ key, name: key })),
      },
      { question: 'Is it dangerous?', question_type: 'boolean' },
      { question: 'Your favourite colour?', question_type: 'text', answer_kept_private: true },
    ],
  })
  const questions = await app.db.prisma.requestTypeQuestion.findMany({
    where: { request_type_id: type, built_in: null },
    orderBy: { id: 'asc' },
  })
  const [deep = 0, lanes = 0, danger = 0, colour = 0] = questions.map(({ id }) => id)
  return {
    organization,
    type,
    deep,
    lanes,
    danger,
    colour,
    fields: { ...hole, service_code: String(type), [`attribute[${deep}]`]: '12' },
  }
}
