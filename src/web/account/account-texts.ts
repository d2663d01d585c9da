import { html, type SafeHtml } from '../../html/template.ts'
import type { Language } from '../../errors/texts/languages.ts'

type Link = (text: string) => SafeHtml

export interface AccountTexts {
  readonly description: string
  /** The parameter `done` selects the message after a form was saved. */
  readonly done: Readonly<Record<SuccessKey, string>>
  readonly save: string
  readonly delete: string
  /** The label of a button that appears several times. */
  readonly actionLabel: (action: string, subject: string) => string
  readonly name: string
  readonly nameHint: string
  readonly pageLanguage: string
  readonly pageLanguageHint: string
  readonly mailLanguage: string
  readonly mailLanguageChoice: string
  readonly homePlace: string
  readonly shareLocation: string
  readonly shareLocationHint: string
  readonly picture: string
  readonly yourPicture: string
  readonly choosePicture: string
  readonly anotherPicture: string
  readonly pictureHint: string
  readonly savePicture: string
  readonly passwordHint: string
  readonly currentPassword: string
  readonly newPassword: string
  readonly repeatPassword: string
  readonly changePassword: string
  readonly emailsHint: string
  readonly confirmed: string
  readonly unconfirmed: string
  readonly sendAgain: string
  readonly anotherEmail: string
  readonly addEmail: string
  readonly mailsOn: string
  readonly mailsOff: string
  readonly turnOff: string
  readonly turnOn: string
  readonly watchAreasHint: string
  readonly yourWatchAreas: string
  readonly noTokens: string
  readonly tokensHint: (reference: Link) => SafeHtml
  /** The name of a token that has none. */
  readonly token: (id: number) => string
  readonly tokenCreated: (date: SafeHtml) => SafeHtml
  readonly tokenEnds: (date: SafeHtml) => SafeHtml
}

const successKeys = ['saved', 'password', 'mailed', 'removed'] as const
export type SuccessKey = (typeof successKeys)[number]
export const isSuccessKey = (text: unknown): text is SuccessKey => successKeys.some((key) => key === text)

export const accountTexts: Readonly<Record<Language, AccountTexts>> = {
  en: {
    description: 'Your name, language, home place, password, e-mail addresses and tokens.',
    done: {
      saved: 'Saved.',
      password: 'Your new password is set. All other sessions and all tokens have ended; you stay logged in here.',
      mailed: 'A mail is on its way. Follow the link in it to confirm that the address is yours.',
      removed: 'Deleted.',
    },
    save: 'Save',
    delete: 'Delete',
    actionLabel: (action, subject) => `${action}: ${subject}`,
    name: 'Name',
    nameHint: 'It is public and appears with your reports.',
    pageLanguage: 'Language of these pages',
    pageLanguageHint: 'It is stored in this browser. Without a choice, the language of the browser applies.',
    mailLanguage: 'Language of mails',
    mailLanguageChoice: 'Language',
    homePlace: 'Home place',
    shareLocation: 'Let others find me near my last public report',
    shareLocationHint: 'Accurate to about a kilometre. Anonymous reports are not used.',
    picture: 'Picture',
    yourPicture: 'Your picture',
    choosePicture: 'Choose a picture',
    anotherPicture: 'Another picture',
    pictureHint: 'It is public. PNG, JPEG, GIF, WebP or HEIC, up to 20 MB.',
    savePicture: 'Save the picture',
    passwordHint: 'A new password ends all other sessions and all tokens.',
    currentPassword: 'Current password',
    newPassword: 'New password',
    repeatPassword: 'Repeat the new password',
    changePassword: 'Change the password',
    emailsHint:
      'You can log in with each of them. Only confirmed addresses get mails; mails about issues and questions go to the first one.',
    confirmed: 'confirmed',
    unconfirmed: 'not confirmed yet',
    sendAgain: 'Send the mail again',
    anotherEmail: 'Another address',
    addEmail: 'Add the address',
    mailsOn: 'You get mails about issues that you report, follow or are assigned, and about your questions.',
    mailsOff: 'You get no mails about issues or questions.',
    turnOff: 'Turn them off',
    turnOn: 'Turn them on',
    watchAreasHint: 'Mails about what happens in a city or around a point.',
    yourWatchAreas: 'Your watch areas',
    noTokens: 'There are no tokens yet.',
    tokensHint: (reference) => html`A program requests a token with your password: see ${reference('the API reference')}.`,
    token: (id) => `Token ${id}`,
    tokenCreated: (date) => html`created ${date}`,
    tokenEnds: (date) => html`ends ${date}`,
  },
  es: {
    description: 'Tu nombre, idioma, lugar de residencia, contraseña, direcciones de correo y claves.',
    done: {
      saved: 'Guardado.',
      password:
        'Tu contraseña nueva ya está activa. Han terminado todas las claves y todas las demás sesiones; esta sesión sigue abierta.',
      mailed: 'Te hemos enviado un correo. Sigue el enlace que contiene para confirmar que la dirección es tuya.',
      removed: 'Borrado.',
    },
    save: 'Guardar',
    delete: 'Borrar',
    actionLabel: (action, subject) => `${action}: ${subject}`,
    name: 'Nombre',
    nameHint: 'Es público y aparece en tus reportes.',
    pageLanguage: 'Idioma de estas páginas',
    pageLanguageHint: 'Se guarda en este navegador. Si no eliges ninguno, se usa el idioma del navegador.',
    mailLanguage: 'Idioma de los correos',
    mailLanguageChoice: 'Idioma',
    homePlace: 'Lugar de residencia',
    shareLocation: 'Permitir que me encuentren cerca de mi último reporte público',
    shareLocationHint: 'Con una precisión aproximada de un kilómetro. Los reportes anónimos no se usan.',
    picture: 'Imagen',
    yourPicture: 'Tu imagen',
    choosePicture: 'Elige una imagen',
    anotherPicture: 'Otra imagen',
    pictureHint: 'Es pública. PNG, JPEG, GIF, WebP o HEIC, de hasta 20 MB.',
    savePicture: 'Guardar la imagen',
    passwordHint: 'Con una contraseña nueva terminan todas las demás sesiones y todas las claves.',
    currentPassword: 'Contraseña actual',
    newPassword: 'Contraseña nueva',
    repeatPassword: 'Repite la contraseña nueva',
    changePassword: 'Cambiar la contraseña',
    emailsHint:
      'Puedes iniciar sesión con cualquiera de ellas. Solo las direcciones confirmadas reciben correos; los correos sobre reportes y preguntas van a la primera.',
    confirmed: 'confirmada',
    unconfirmed: 'todavía sin confirmar',
    sendAgain: 'Enviar el correo de nuevo',
    anotherEmail: 'Otra dirección',
    addEmail: 'Añadir la dirección',
    mailsOn: 'Recibes correos sobre los reportes que envías, que sigues o que se te asignan, y sobre tus preguntas.',
    mailsOff: 'No recibes correos sobre reportes ni preguntas.',
    turnOff: 'Desactivarlos',
    turnOn: 'Activarlos',
    watchAreasHint: 'Correos sobre lo que pasa en una ciudad o alrededor de un punto.',
    yourWatchAreas: 'Tus zonas vigiladas',
    noTokens: 'Todavía no hay claves.',
    tokensHint: (reference) =>
      html`Los programas piden una clave con tu contraseña: consulta ${reference('la referencia de la API')}.`,
    token: (id) => `Clave ${id}`,
    tokenCreated: (date) => html`creada el ${date}`,
    tokenEnds: (date) => html`caduca el ${date}`,
  },
  fr: {
    description: 'Votre nom, votre langue, votre lieu de résidence, votre mot de passe, vos adresses e-mail et vos jetons.',
    done: {
      saved: 'Enregistré.',
      password:
        'Votre nouveau mot de passe est enregistré. Toutes les autres sessions et tous les jetons ont pris fin ; cette session-ci reste ouverte.',
      mailed: 'Un courriel vous a été envoyé. Suivez le lien qu’il contient pour confirmer que l’adresse est la vôtre.',
      removed: 'Supprimé.',
    },
    save: 'Enregistrer',
    delete: 'Supprimer',
    actionLabel: (action, subject) => `${action} : ${subject}`,
    name: 'Nom',
    nameHint: 'Il est public et apparaît sur vos signalements.',
    pageLanguage: 'Langue de ces pages',
    pageLanguageHint: 'Elle est enregistrée dans ce navigateur. Sans choix, la langue du navigateur s’applique.',
    mailLanguage: 'Langue des courriels',
    mailLanguageChoice: 'Langue',
    homePlace: 'Lieu de résidence',
    shareLocation: 'Permettre aux autres de me trouver près de mon dernier signalement public',
    shareLocationHint: 'À un kilomètre près environ. Les signalements anonymes ne sont pas utilisés.',
    picture: 'Image',
    yourPicture: 'Votre image',
    choosePicture: 'Choisissez une image',
    anotherPicture: 'Une autre image',
    pictureHint: 'Elle est publique. PNG, JPEG, GIF, WebP ou HEIC, jusqu’à 20 Mo.',
    savePicture: 'Enregistrer l’image',
    passwordHint: 'Un nouveau mot de passe met fin à toutes les autres sessions et à tous les jetons.',
    currentPassword: 'Mot de passe actuel',
    newPassword: 'Nouveau mot de passe',
    repeatPassword: 'Répétez le nouveau mot de passe',
    changePassword: 'Changer le mot de passe',
    emailsHint:
      'Vous pouvez vous connecter avec chacune d’elles. Seules les adresses confirmées reçoivent des courriels ; ceux qui portent sur les signalements et les questions vont à la première.',
    confirmed: 'confirmée',
    unconfirmed: 'pas encore confirmée',
    sendAgain: 'Renvoyer le courriel',
    anotherEmail: 'Une autre adresse',
    addEmail: 'Ajouter l’adresse',
    mailsOn:
      'Vous recevez des courriels sur les signalements que vous envoyez, que vous suivez ou qui vous sont attribués, et sur vos questions.',
    mailsOff: 'Vous ne recevez aucun courriel sur les signalements ni sur les questions.',
    turnOff: 'Les désactiver',
    turnOn: 'Les activer',
    watchAreasHint: 'Des courriels sur ce qui se passe dans une ville ou autour d’un point.',
    yourWatchAreas: 'Vos zones surveillées',
    noTokens: 'Il n’y a pas encore de jetons.',
    tokensHint: (reference) =>
      html`Les programmes demandent un jeton avec votre mot de passe : consultez ${reference('la référence de l’API')}.`,
    token: (id) => `Jeton ${id}`,
    tokenCreated: (date) => html`créé le ${date}`,
    tokenEnds: (date) => html`expire le ${date}`,
  },
}
