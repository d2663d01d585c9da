import type { Messages } from './messages.ts'

/** Requests in general: invalid URLs, authentication, permissions and retries. */
export const requests = {
  administrators_only: {
    en: 'This is for administrators of the service.',
    es: 'Esto es para administradores del servicio.',
    fr: 'Ceci est réservé aux administrateurs du service.',
  },
  board_action_forbidden: {
    en: 'The board cannot do this: the service itself creates the jobs.',
    es: 'El tablero no puede hacer esto: el propio servicio crea los trabajos.',
    fr: 'Le tableau ne peut pas faire cela : le service crée lui-même les tâches.',
  },
  point_missing: {
    en: 'A point is needed: give lat and lng.',
    es: 'Hace falta un punto: indica lat y lng.',
    fr: 'Il faut un point : indiquez lat et lng.',
  },
  login_needed: {
    en: 'You need to log in for this: send HTTP Basic or a Bearer token.',
    es: 'Para esto tienes que iniciar sesión: envía HTTP Basic o un token Bearer.',
    fr: 'Vous devez vous connecter pour cela : envoyez HTTP Basic ou un jeton Bearer.',
  },
  password_needed: {
    en: 'Creating a token requires the password: send HTTP Basic, or email and password in the body.',
    es: 'Para crear un token hace falta la contraseña: envía HTTP Basic, o email y password en el cuerpo.',
    fr: 'La création d’un jeton demande le mot de passe : envoyez HTTP Basic, ou email et password dans le corps.',
  },
  credentials_wrong: {
    en: 'The credentials are wrong: check them and try again.',
    es: 'Las credenciales no son correctas: revísalas e inténtalo de nuevo.',
    fr: 'Les identifiants sont incorrects : vérifiez-les et réessayez.',
  },
  token_over_http: {
    en: 'The access_token parameter is accepted over HTTPS only: send the token as Authorization: Bearer.',
    es: 'El parámetro access_token solo se acepta por HTTPS: envía el token como Authorization: Bearer.',
    fr: 'Le paramètre access_token n’est accepté qu’en HTTPS : envoyez le jeton sous la forme Authorization: Bearer.',
  },
  login_missing: {
    en: 'You must be logged in: send HTTP Basic or a Bearer token.',
    es: 'Tienes que iniciar sesión: envía HTTP Basic o un token Bearer.',
    fr: 'Vous devez être connecté : envoyez HTTP Basic ou un jeton Bearer.',
  },
  user_agent_missing: {
    en: 'Every request needs a User-Agent header that names the client.',
    es: 'Cada petición necesita una cabecera User-Agent que nombre al cliente.',
    fr: 'Chaque requête doit avoir un en-tête User-Agent qui nomme le client.',
  },
  other_site_without_token: {
    en: 'A request from another site needs a Bearer token: Basic and cookies are not accepted.',
    es: 'Una petición desde otro sitio necesita un token Bearer: no se aceptan ni Basic ni cookies.',
    fr: 'Une requête depuis un autre site demande un jeton Bearer : ni Basic ni les cookies ne sont acceptés.',
  },
  cross_site_form: {
    en: 'This form did not come from our site, so nothing was changed. Open {root} in your browser, log in there and send it again.',
    es: 'Este formulario no vino de nuestro sitio, así que no se ha cambiado nada. Abre {root} en tu navegador, inicia sesión allí y envíalo otra vez.',
    fr: 'Ce formulaire ne venait pas de notre site, donc rien n’a été modifié. Ouvrez {root} dans votre navigateur, connectez-vous-y et renvoyez-le.',
  },
  other_site_opens_page: {
    en: 'No other site may open this page: type its address into the browser.',
    es: 'Ningún otro sitio puede abrir esta página: escribe su dirección en el navegador.',
    fr: 'Aucun autre site ne peut ouvrir cette page : saisissez son adresse dans le navigateur.',
  },
  client_blocked: {
    en: 'This client is blocked for an hour because it kept sending requests above the limit.',
    es: 'Este cliente queda bloqueado durante una hora porque siguió enviando peticiones por encima del límite.',
    fr: 'Ce client est bloqué pendant une heure parce qu’il a continué d’envoyer des requêtes au-delà de la limite.',
  },
  too_many_requests: {
    en: 'Too many requests: try again in {seconds, plural, one {1 second} other {{seconds, number, ::group-off} seconds}}.',
    es: 'Demasiadas peticiones: inténtalo de nuevo dentro de {seconds, plural, one {1 segundo} other {# segundos}}.',
    fr: 'Trop de requêtes : réessayez dans {seconds, plural, one {1 seconde} other {# secondes}}.',
  },
  too_many_registrations: {
    en: 'Too many accounts were registered from this address within an hour: try again later.',
    es: 'Se han registrado demasiadas cuentas desde esta dirección en una hora: inténtalo más tarde.',
    fr: 'Trop de comptes ont été créés depuis cette adresse en une heure : réessayez plus tard.',
  },
  registration_closed: {
    en: 'Registration is closed: this service takes no new accounts.',
    es: 'El registro está cerrado: este servicio no admite cuentas nuevas.',
    fr: 'Les inscriptions sont fermées : ce service n’accepte pas de nouveaux comptes.',
  },
  too_many_drafts: {
    en: 'Too many drafts were saved from this address within an hour: log in before you report, or try again later.',
    es: 'Se han guardado demasiados borradores desde esta dirección en una hora: inicia sesión antes de reportar o inténtalo más tarde.',
    fr: 'Trop de brouillons ont été enregistrés depuis cette adresse en une heure : connectez-vous avant de signaler, ou réessayez plus tard.',
  },
  too_many_draft_bytes: {
    en: 'Drafts from this address have more than {max, number} MB of pictures within an hour: log in before you report, send smaller pictures, or try again later.',
    es: 'Los borradores desde esta dirección tienen más de {max, number} MB de imágenes en una hora: inicia sesión antes de reportar, envía imágenes más pequeñas o inténtalo más tarde.',
    fr: 'Les brouillons depuis cette adresse ont plus de {max, number} Mo d’images en une heure : connectez-vous avant de signaler, envoyez des images plus petites, ou réessayez plus tard.',
  },
  draft_quota_used: {
    en: 'The service saves no more pictures in drafts today: log in before you report, report without a picture, or try again later.',
    es: 'El servicio no guarda más imágenes en borradores hoy: inicia sesión antes de reportar, reporta sin imagen o inténtalo más tarde.',
    fr: 'Le service n’enregistre plus d’images dans les brouillons aujourd’hui : connectez-vous avant de signaler, signalez sans image, ou réessayez plus tard.',
  },
  too_many_draft_mails: {
    en: 'Too many links were requested from this address within an hour: try again later.',
    es: 'Se han pedido demasiados enlaces desde esta dirección en una hora: inténtalo más tarde.',
    fr: 'Trop de liens ont été demandés depuis cette adresse en une heure : réessayez plus tard.',
  },
  method_not_allowed: {
    en: 'This address does not support that method. Allowed: {methods}.',
    es: 'Esta dirección no admite ese método. Permitidos: {methods}.',
    fr: 'Cette adresse n’accepte pas cette méthode. Autorisées : {methods}.',
  },
  key_in_flight: {
    en: 'A request with this Idempotency-Key is still in progress: try again shortly.',
    es: 'Una petición con esta Idempotency-Key aún está en curso: inténtalo de nuevo dentro de poco.',
    fr: 'Une requête avec cette Idempotency-Key est encore en cours : réessayez dans un instant.',
  },
  key_malformed: {
    en: 'must be 1 to 255 visible ASCII characters, such as a UUID',
    es: 'debe tener de 1 a 255 caracteres ASCII visibles, como un UUID',
    fr: 'doit comporter de 1 à 255 caractères ASCII visibles, comme un UUID',
  },
  key_reused: {
    en: 'was used for a request with other content: every new request needs a new key',
    es: 'ya se usó para una petición con otro contenido: cada petición nueva necesita una clave nueva',
    fr: 'a déjà servi pour une requête d’un autre contenu : chaque nouvelle requête demande une nouvelle clé',
  },
  request_too_slow: {
    en: 'The request took too long to arrive.',
    es: 'La petición ha tardado demasiado en llegar.',
    fr: 'La requête a mis trop de temps à arriver.',
  },
  url_too_long: {
    en: 'The URL is longer than {max, number} characters.',
    es: 'La URL tiene más de {max, number} caracteres.',
    fr: 'L’URL compte plus de {max, number} caractères.',
  },
  headers_too_large: {
    en: 'The URL and the headers are too long.',
    es: 'La URL y las cabeceras son demasiado largas.',
    fr: 'L’URL et les en-têtes sont trop longs.',
  },
  url_badly_encoded: {
    en: 'The percent-encoding of the URL is invalid.',
    es: 'La codificación por porcentaje de la URL no es válida.',
    fr: 'L’encodage-pourcent de l’URL n’est pas valide.',
  },
  several_hosts: {
    en: 'The request has more than one Host header.',
    es: 'La petición tiene más de una cabecera Host.',
    fr: 'La requête a plus d’un en-tête Host.',
  },
  not_http: { en: 'This is not an HTTP request.', es: 'Esto no es una petición HTTP.', fr: 'Ceci n’est pas une requête HTTP.' },
  media_type_unsupported: {
    en: 'The body must be application/json, application/x-www-form-urlencoded or multipart/form-data.',
    es: 'El cuerpo debe ser application/json, application/x-www-form-urlencoded o multipart/form-data.',
    fr: 'Le corps doit être de type application/json, application/x-www-form-urlencoded ou multipart/form-data.',
  },
  file_changed: {
    en: 'The file has changed: request it without If-Match.',
    es: 'El archivo ha cambiado: pídelo sin If-Match.',
    fr: 'Le fichier a changé : demandez-le sans If-Match.',
  },
  several_ranges: {
    en: 'Only one range can be read at a time: send a request for each.',
    es: 'Solo se puede leer un rango a la vez: envía una petición para cada uno.',
    fr: 'Une seule plage peut être lue à la fois : envoyez une requête pour chacune.',
  },
  range_not_satisfiable: {
    en: 'The file has {bytes, number, ::group-off} bytes, so the requested range does not exist.',
    es: 'El archivo tiene {bytes, number} bytes, así que el rango pedido no existe.',
    fr: 'Le fichier compte {bytes, number} octets : la plage demandée n’existe pas.',
  },
  internal_error: {
    en: 'Something went wrong on our side. If it happens again, send us the request id.',
    es: 'Algo ha fallado por nuestra parte. Si vuelve a pasar, envíanos el identificador de la petición.',
    fr: 'Quelque chose s’est mal passé de notre côté. Si cela se reproduit, envoyez-nous l’identifiant de la requête.',
  },
  search_too_slow: {
    en: 'This search takes too long: ask for a smaller area or an earlier page, or try again later.',
    es: 'Esta búsqueda tarda demasiado: pide una zona más pequeña o una página anterior, o inténtalo más tarde.',
    fr: 'Cette recherche prend trop de temps : demandez une zone plus petite ou une page antérieure, ou réessayez plus tard.',
  },
  geocoder_unavailable: {
    en: 'The geocoder is not available: try again later, or send lat and lng.',
    es: 'El geocodificador no está disponible: inténtalo más tarde, o envía lat y lng.',
    fr: 'Le géocodeur n’est pas disponible : réessayez plus tard, ou envoyez lat et lng.',
  },
  too_many_uploads: {
    en: 'Too many files are being uploaded right now: try again shortly.',
    es: 'Ahora mismo se están subiendo demasiados archivos: inténtalo de nuevo dentro de poco.',
    fr: 'Trop de fichiers sont envoyés en ce moment : réessayez dans un instant.',
  },
  service_unavailable: {
    en: 'The service is not available right now: try again shortly.',
    es: 'El servicio no está disponible ahora mismo: inténtalo de nuevo dentro de poco.',
    fr: 'Le service n’est pas disponible en ce moment : réessayez dans un instant.',
  },
} as const satisfies Messages
