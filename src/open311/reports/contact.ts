import type { Language } from '../../errors/texts/languages.ts'
import type { FurtherAnswer } from '../../reporting/report-issue.ts'
import type { Parameters } from '../input/parameters.ts'

type Name = 'first_name' | 'last_name' | 'email' | 'phone' | 'account_id' | 'address_id' | 'media_url'

/** The fields that contain personal data. */
const contactNames = ['first_name', 'last_name', 'email', 'phone', 'account_id'] as const satisfies readonly Name[]

const labels: Readonly<Record<Language, Readonly<Record<Name, string>>>> = {
  en: {
    first_name: 'First name',
    last_name: 'Last name',
    email: 'E-mail',
    phone: 'Phone',
    account_id: 'Account at the sender',
    address_id: 'Address id',
    media_url: 'Picture or video',
  },
  es: {
    first_name: 'Nombre',
    last_name: 'Apellido',
    email: 'Correo',
    phone: 'Teléfono',
    account_id: 'Cuenta en el remitente',
    address_id: 'Id de la dirección',
    media_url: 'Imagen o video',
  },
  fr: {
    first_name: 'Prénom',
    last_name: 'Nom',
    email: 'E-mail',
    phone: 'Téléphone',
    account_id: 'Compte chez l’expéditeur',
    address_id: 'Id de l’adresse',
    media_url: 'Image ou vidéo',
  },
}

/**
 * Returns the fields of a report that no question asks for as answers: contact data and the address id for the staff of the organisation only,
 * the link to a picture for everyone.
 */
export function toFurtherAnswers(fields: Parameters, language: Language): FurtherAnswer[] {
  const answer = (name: Name, kind: Pick<FurtherAnswer, 'answer_kept_private' | 'is_contact'>) => {
    const value = fields.get(name)
    return value === undefined ? [] : [{ question: labels[language][name], answer: value, ...kind }]
  }
  const mediaUrl = answer('media_url', { answer_kept_private: false })
  return [
    ...contactNames.flatMap((name) => answer(name, { answer_kept_private: true, is_contact: true })),
    ...answer('address_id', { answer_kept_private: true }),
    // The name in the value lets `findMediaUrls` find the link.
    ...mediaUrl.flatMap((link) => link.answer.split('\n').map((url) => ({ ...link, answer: url, value: { media_url: url } }))),
  ]
}
