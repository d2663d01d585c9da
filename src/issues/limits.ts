/** Maximal number of the pictures of a report. */
export const ISSUE_IMAGES_MAX = 5

/** Maximal lengths of the texts of a report in characters. */
export const SUMMARY_MAX = 255
export const DESCRIPTION_MAX = 10_000
export const ADDRESS_MAX = 500
