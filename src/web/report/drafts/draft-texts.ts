import type { Language } from '../../../errors/texts/languages.ts'
import { html, type SafeHtml } from '../../../html/template.ts'

export interface DraftTexts {
  readonly title: string
  readonly description: string
  /** A note above the form for people who are not logged in. */
  readonly accountComesLast: string
  /** The form comes back with what was written, because too many drafts were saved. */
  readonly isKept: string
  readonly logInInNewTab: string
  readonly notPublished: string
  /** The page shows this once an account has claimed the draft. */
  readonly onlyYou: string
  readonly whoReports: string
  readonly publishHint: string
  readonly logIn: string
  readonly logInAndPublish: string
  readonly register: string
  readonly publish: string
  readonly edit: string
  readonly discard: string
  readonly kept: (until: SafeHtml) => SafeHtml
  readonly place: string
  readonly pictures: string
  readonly errors: string
  readonly picture: (number: number) => string
  readonly sharedDevice: string
  /** In the form of a draft: its pictures. */
  readonly storedPictures: string
  readonly storedPicturesStay: string
  readonly storedPictureStays: string
  readonly removePicture: (number: number) => string
  /** The form of a draft comes back, because the browser no longer reads the draft. */
  readonly isGone: string
}

export const draftTexts: Readonly<Record<Language, DraftTexts>> = {
  en: {
    title: 'Your report is saved',
    description: 'A report that is not published yet.',
    accountComesLast: 'You log in or create an account after this form. What you write here is kept until then.',
    isKept: 'What you wrote is still in the form below: send it after you have logged in.',
    logInInNewTab: 'Log in in a new tab',
    notPublished: 'It is not published yet.',
    onlyYou: 'Only you can read it.',
    whoReports:
      'One step is left. Log in, and the report is published at once; or create an account, and it is published as soon as you confirm your e-mail address.',
    publishHint: 'Check it once more, then publish it.',
    logIn: 'Log in',
    logInAndPublish: 'Log in and publish',
    register: 'Create an account',
    publish: 'Publish the report',
    edit: 'Change it',
    discard: 'Discard the report',
    kept: (until) => html`It is deleted on ${until} unless you publish it before.`,
    place: 'Place',
    pictures: 'Pictures',
    picture: (number) => `Picture ${number}`,
    sharedDevice:
      'Until an account takes it over, everyone who uses this browser can read it for 24 hours. The account that logs in here next takes it over. Discard it if you share this device.',
    errors: 'The report cannot be published as it is. Change it, then publish it.',
    storedPictures: 'Saved pictures',
    storedPicturesStay: 'They stay in the report, and pictures that you choose are added to them.',
    storedPictureStays: 'It stays in the report, unless you choose another one.',
    removePicture: (number) => `Remove picture ${number}`,
    isGone:
      'The saved report that you were changing can no longer be opened here: it was published or discarded meanwhile, or you were logged out. Look at your reports first: if you send this form, it becomes another report, without the saved pictures.',
  },
  es: {
    title: 'Tu reporte está guardado',
    description: 'Un reporte que todavía no está publicado.',
    accountComesLast:
      'Después de este formulario inicias sesión o creas una cuenta. Lo que escribas aquí se conserva hasta entonces.',
    isKept: 'Lo que escribiste sigue en el formulario: envíalo cuando hayas iniciado sesión.',
    logInInNewTab: 'Iniciar sesión en otra pestaña',
    notPublished: 'Todavía no está publicado.',
    onlyYou: 'Solo tú puedes leerlo.',
    whoReports:
      'Falta un paso. Inicia sesión y el reporte se publica enseguida, o crea una cuenta y se publica en cuanto confirmes tu dirección de correo.',
    publishHint: 'Revísalo una vez más y publícalo.',
    logIn: 'Iniciar sesión',
    logInAndPublish: 'Iniciar sesión y publicar',
    register: 'Crear una cuenta',
    publish: 'Publicar el reporte',
    edit: 'Cambiarlo',
    discard: 'Descartar el reporte',
    kept: (until) => html`Se elimina el ${until} si no lo publicas antes.`,
    place: 'Lugar',
    pictures: 'Imágenes',
    picture: (number) => `Imagen ${number}`,
    sharedDevice:
      'Hasta que pase a una cuenta, cualquiera que use este navegador puede leerlo durante 24 horas. Pasa a la próxima cuenta que inicie sesión aquí. Descártalo si compartes este dispositivo.',
    errors: 'El reporte no se puede publicar tal como está. Cámbialo y publícalo después.',
    storedPictures: 'Imágenes guardadas',
    storedPicturesStay: 'Se quedan en el reporte, y las imágenes que elijas se añaden a ellas.',
    storedPictureStays: 'Se queda en el reporte, salvo que elijas otra.',
    removePicture: (number) => `Quitar la imagen ${number}`,
    isGone:
      'El reporte guardado que estabas cambiando ya no se puede abrir aquí: mientras tanto se publicó o se descartó, o se cerró tu sesión. Mira antes tus reportes: si envías este formulario, será otro reporte, sin las imágenes guardadas.',
  },
  fr: {
    title: 'Votre signalement est enregistré',
    description: 'Un signalement qui n’est pas encore publié.',
    accountComesLast: 'Vous vous connectez ou créez un compte après ce formulaire. Ce que vous écrivez ici est conservé jusque-là.',
    isKept: 'Ce que vous avez écrit est encore dans le formulaire : envoyez-le après vous être connecté.',
    logInInNewTab: 'Se connecter dans un nouvel onglet',
    notPublished: 'Il n’est pas encore publié.',
    onlyYou: 'Vous seul pouvez le lire.',
    whoReports:
      'Il reste une étape. Connectez-vous, et le signalement est publié aussitôt ; ou créez un compte, et il est publié dès que vous confirmez votre adresse e-mail.',
    publishHint: 'Relisez-le une dernière fois, puis publiez-le.',
    logIn: 'Se connecter',
    logInAndPublish: 'Se connecter et publier',
    register: 'Créer un compte',
    publish: 'Publier le signalement',
    edit: 'Le modifier',
    discard: 'Supprimer le signalement',
    kept: (until) => html`Il est supprimé le ${until} si vous ne le publiez pas avant.`,
    place: 'Lieu',
    pictures: 'Images',
    picture: (number) => `Image ${number}`,
    sharedDevice:
      'Tant qu’aucun compte ne l’a repris, toute personne qui utilise ce navigateur peut le lire pendant 24 heures. Le prochain compte qui se connecte ici le reprend. Supprimez-le si vous partagez cet appareil.',
    errors: 'Le signalement ne peut pas être publié tel quel. Modifiez-le, puis publiez-le.',
    storedPictures: 'Images enregistrées',
    storedPicturesStay: 'Elles restent dans le signalement, et les images que vous choisissez s’y ajoutent.',
    storedPictureStays: 'Elle reste dans le signalement, sauf si vous en choisissez une autre.',
    removePicture: (number) => `Retirer l’image ${number}`,
    isGone:
      'Le signalement enregistré que vous modifiiez ne peut plus être ouvert ici : il a été publié ou supprimé entre-temps, ou vous avez été déconnecté. Consultez d’abord vos signalements : si vous envoyez ce formulaire, il devient un autre signalement, sans les images enregistrées.',
  },
}
