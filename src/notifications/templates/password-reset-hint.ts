import type { Language } from '../../errors/texts/languages.ts'
import type { AccountMailContent } from './composed-mail.ts'

const words: Readonly<Record<Language, string>> = {
  en: 'This address was confirmed less than 72 hours ago, so it cannot reset the password yet. Use an older address of the account.',
  es: 'Esta dirección se confirmó hace menos de 72 horas y todavía no puede restablecer la contraseña. Usa una dirección más antigua de la cuenta.',
  fr: 'Cette adresse est confirmée depuis moins de 72 heures et ne peut pas encore réinitialiser le mot de passe. Utilisez une adresse plus ancienne du compte.',
}

export const passwordResetHint = (language: Language, { mayResetPassword, isRemoved }: AccountMailContent): string[] =>
  mayResetPassword || isRemoved ? [] : [words[language]]
