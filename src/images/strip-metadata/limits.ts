/** Limit of a colour profile: cameras write some kilobytes, print profiles have up to 3 MB. */
export const COLOUR_PROFILE_MAX = 4 * 1024 * 1024
/** Limit of the EXIF data, which is copied for the orientation. */
export const EXIF_MAX = 65_536
