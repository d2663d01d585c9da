import type { Language } from '../../errors/texts/languages.ts'
import { menuTexts } from '../../html/menu-texts.ts'

export type ActivitySection = 'reports' | 'following' | 'watch-areas'
export type SettingsSection = 'profile' | 'language' | 'emails' | 'mails' | 'password' | 'tokens'
export type AccountSection = ActivitySection | SettingsSection

export interface AccountSectionsTexts {
  /** The name of the navigation. */
  readonly account: string
  readonly activity: string
  readonly settings: string
  readonly sections: Readonly<Record<AccountSection, string>>
}

export const accountSectionsTexts: Readonly<Record<Language, AccountSectionsTexts>> = {
  en: {
    account: 'Your account',
    activity: 'Activity',
    settings: 'Settings',
    sections: {
      reports: menuTexts.en.reports,
      following: menuTexts.en.following,
      'watch-areas': menuTexts.en.watchAreas,
      profile: 'Profile',
      language: 'Language',
      emails: 'E-mail addresses',
      mails: 'Notifications',
      password: 'Password',
      tokens: 'Access tokens',
    },
  },
  es: {
    account: 'Tu cuenta',
    activity: 'Actividad',
    settings: 'Ajustes',
    sections: {
      reports: menuTexts.es.reports,
      following: menuTexts.es.following,
      'watch-areas': menuTexts.es.watchAreas,
      profile: 'Perfil',
      language: 'Idioma',
      emails: 'Direcciones de correo',
      mails: 'Notificaciones',
      password: 'Contraseña',
      tokens: 'Claves de acceso',
    },
  },
  fr: {
    account: 'Votre compte',
    activity: 'Activité',
    settings: 'Réglages',
    sections: {
      reports: menuTexts.fr.reports,
      following: menuTexts.fr.following,
      'watch-areas': menuTexts.fr.watchAreas,
      profile: 'Profil',
      language: 'Langue',
      emails: 'Adresses e-mail',
      mails: 'Avis par courriel',
      password: 'Mot de passe',
      tokens: 'Jetons d’accès',
    },
  },
}
